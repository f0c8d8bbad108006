"""Small learned judges of sentences and of pairs of them, with the rules that correct them."""
