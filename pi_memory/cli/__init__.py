"""The command line: one file a command, imported when it is used, so that `serve` stays small."""

import importlib
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from pi_memory import __version__, settings
from pi_memory.cli.plain import plain
from pi_memory.errors import PiMemoryError, StartError

COMMANDS = (
    "serve",
    "chat",
    "check",
    "pull",
    "focus",
    "memories",
    "recall",
    "remember",
    "forget",
    "exchanges",
    "conversations",
    "history",
    "conflicts",
    "undo",
    "export",
    "backup",
    "restore",
    "hook",
    "mcp",
    "import",
    "export-embedder",
    "completion",
)

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 + SIGINT."""


class Commands(click.Group):
    """Imports the file of a command by its name, and prints errors in two lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"pi_memory.cli.{cmd_name.replace('-', '_')}")
        if cmd_name != "serve" and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # the daemon has a handler of its own
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except PiMemoryError as error:
            click.echo(plain(f"pi-memory: {error.message}"), err=True)
            if error.hint:
                click.echo(plain(error.hint), err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(INTERRUPTED)
        except (MemoryError, SystemError, ImportError, OSError, RuntimeError) as error:
            if not _lacks_memory(error):
                raise
            click.echo("pi-memory: There is too little memory to run", err=True)
            click.echo("End other programs, or raise the limit that it runs under (ulimit -v, MemoryMax).", err=True)
            ctx.exit(StartError.exit_code)


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether an error comes from a lack of memory, which the interpreter and its libraries report in several ways."""
    signs = ("can't start new thread", "failed to map segment", "cannot allocate memory")
    while error is not None:
        if isinstance(error, MemoryError | SystemError) or any(sign in str(error).lower() for sign in signs):
            return True
        error = error.__cause__ or error.__context__
    return False


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pi-memory")
@click.option("--env-file", type=click.Path(path_type=Path), help="Settings file, instead of yours and the system's.")
@click.option("--data-dir", metavar="FOLDER", help="Folder of the database and the models.")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
@click.pass_context
def main(context: click.Context, env_file: Path | None, data_dir: str | None, log_level: str | None) -> None:
    """A local assistant that remembers.

    Settings come from flags, the environment, ~/.config/pi-memory/env and /etc/pi-memory/env, in this order;
    docs/settings.md lists them.

    \b
    Example:
      pi-memory serve
      pi-memory chat "What was I working on?"
    """
    given: dict[str, object] = {"PI_MEMORY_DATA_DIR": data_dir, "PI_MEMORY_LOG_LEVEL": log_level}

    def load(flags: Mapping[str, object]) -> settings.Settings:
        return settings.load({**given, **flags}, env_file=env_file)

    context.obj = load
