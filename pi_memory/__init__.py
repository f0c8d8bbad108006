"""pi-memory: a local assistant that runs as one light process and remembers."""

__version__ = "0.1.0"
