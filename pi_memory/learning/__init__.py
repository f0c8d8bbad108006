"""Learns memories from messages and sessions."""
