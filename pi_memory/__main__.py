"""The entry point of `pi-memory` and of `python -m pi_memory`."""

import os
import signal
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line. `pi-memory hook` and `pi-memory mcp` bypass it, because an agent waits for them."""
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
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C ends it at once while it is imported, where a KeyboardInterrupt may be lost.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pi_memory import cli

    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows another one in its place.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    # However it was started: the shells complete the program of this name.
    cli.main(prog_name="pi-memory")


if __name__ == "__main__":
    main()
