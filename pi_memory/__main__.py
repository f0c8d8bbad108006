"""`pi-memory`, and `python -m pi_memory`, which is the same."""

import os
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line. A coding agent waits for `pi-memory hook`, which therefore goes past it."""
    os.umask(0o077)  # what is written is for its user alone, whatever their shell says
    if sys.argv[1:] == ["hook"]:
        from pi_memory.agents import hook

        hook.main()
        return
    from pi_memory import cli

    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows another one in its place.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    cli.main()


if __name__ == "__main__":
    main()
