"""RECENT_FOCUS.md: reading, merging and writing it."""
