"""Memories: stored, changed, undone, forgotten, exported."""
