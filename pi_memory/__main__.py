"""`pi-memory`, and `python -m pi_memory`, which is the same."""

import sys


def main() -> None:
    """Run the command line. A coding agent waits for `pi-memory hook`, which therefore goes past it."""
    if sys.argv[1:] == ["hook"]:
        from pi_memory import hook

        hook.main()
        return
    from pi_memory import cli

    cli.main()


if __name__ == "__main__":
    main()
