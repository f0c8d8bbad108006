"""Decides which of what is found answers a message, and shows it."""
