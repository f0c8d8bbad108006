"""Small learned judges of sentences, and the plain facts that they find."""
