"""Sentences, words and persons of a text."""
