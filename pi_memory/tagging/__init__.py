"""Finds the topic and the files of an exchange."""
