"""Attention: the weights of topics in each session."""
