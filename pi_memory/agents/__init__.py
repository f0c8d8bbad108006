"""Agents elsewhere: hooks, logs, histories."""
