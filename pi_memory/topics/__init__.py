"""Names of topics, and the topics in RAM."""
