"""All SQL: one SQLite file, written by one thread."""
