"""The command line: one file a command, imported when it is used, so that `serve` stays small."""

import importlib
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from pi_memory import __version__, settings
from pi_memory.cli.plain import plain
from pi_memory.errors import PiMemoryError, RequestError, StartError

COMMANDS = {
    "serve": "Run the daemon until SIGTERM or Ctrl-C.",
    "chat": "Say something and print the reply, or talk.",
    "check": "Check settings, database, models and port.",
    "pull": "Download models into the data directory.",
    "focus": "Show what you have been working on, or change it.",
    "memories": "List memories, newest last.",
    "recall": "Search memories and what was said.",
    "remember": "Store a memory that never fades.",
    "edit": "Correct what a memory says.",
    "forget": "Erase for good what a memory or an exchange states.",
    "exchanges": "List exchanges, newest last.",
    "conversations": "List conversations and sessions, most recent last.",
    "history": "Show the events of a memory, newest last.",
    "conflicts": "List memories that may not both hold, or settle them.",
    "undo": "Take back an event.",
    "export": "Write every memory with its history to a file.",
    "backup": "Copy everything that is remembered into one file.",
    "restore": "Replace everything that is remembered by a backup.",
    "token": "List named tokens, make or withdraw one.",
    "audit": "Show what named tokens changed, and what was refused.",
    "hook": "Report an event of a coding agent to the daemon.",
    "mcp": "Pass the Model Context Protocol on to the daemon.",
    "import": "Import history from files or folders.",
    "export-embedder": "Write a sentence-transformers model as a GGUF.",
    "completion": "Print the script with which a shell completes words.",
}
"""What the list of commands says of each, so that it is printed, and completed, without importing them."""

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 + SIGINT."""


class Commands(click.Group):
    """Imports the file of a command by its name, and prints errors in two lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        begun = [name for name in COMMANDS if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=COMMANDS[name]) for name in begun] + options

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
        except UnicodeError as error:
            if getattr(error, "encoding", "") != "utf-8":
                raise
            click.echo("pi-memory: What was given is not UTF-8", err=True)
            click.echo("Convert it, as with: iconv -f latin1 -t utf-8.", err=True)
            ctx.exit(RequestError.exit_code)
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
