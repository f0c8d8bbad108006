"""The entry point of `pi-memory` and of `python -m pi_memory`."""

import os
import sys
from io import TextIOWrapper

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 + SIGINT."""


def main() -> None:
    """Run the command line. `pi-memory hook` and `pi-memory mcp` bypass it, because an agent waits for them."""
    try:
        _run()
    except KeyboardInterrupt:  # while something was imported
        sys.exit(INTERRUPTED)


def _run() -> None:
    os.umask(0o077)  # what is written is for its user alone, whatever their shell says
    if sys.argv[1:] == ["hook"]:
        from pi_memory.agents import hook

        hook.main()
        return
    if sys.argv[1:] == ["mcp"]:
        from pi_memory.agents import mcp_pipe

        mcp_pipe.main()
        return
    # Read when numpy is imported. Our arrays are small: a second thread only spins, beside the model's.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from pi_memory import cli

    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows another one in its place.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    # However it was started: the shells complete the program of this name.
    cli.main(prog_name="pi-memory")


if __name__ == "__main__":
    main()
