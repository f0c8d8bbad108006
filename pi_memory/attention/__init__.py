"""What each session is in the middle of."""
