"""The conversations in RAM."""
