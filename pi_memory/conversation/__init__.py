"""What is being said: the conversations in RAM."""
