"""Weighs something new against what is known: new, the same, or a correction; and keeps what holds of both."""
