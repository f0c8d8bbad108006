"""Finds the memories and messages that answer a query."""
