"""`python -m pi_memory` is `pi-memory`."""

from pi_memory.cli import main

if __name__ == "__main__":
    main()
