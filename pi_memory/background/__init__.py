"""Work after the reply."""
