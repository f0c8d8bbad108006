"""Finds what answers a query, in memories and in what was said."""
