"""The manual page, pi-memory(1), from the help of the commands."""

import re
import sys
from collections.abc import Iterator

import click

from pi_memory import __version__, settings
from pi_memory.cli import main

EXIT_CODES = {
    0: "Done.",
    1: "An error while it ran.",
    2: "Wrong usage.",
    3: "The daemon cannot start, as its port is in use.",
    78: "A setting is unknown or malformed.",
}

FILES = {
    "/etc/pi-memory/USER.env": "Settings of the service.",
    "/var/lib/pi-memory/USER": "Database and models of the service.",
    "~/pi-memory/memory/RECENT_FOCUS.md": "The focus, to read and to edit.",
    "~/.local/state/pi-memory": "Database, models and focus of a daemon that is no service.",
}


def manual() -> str:
    """The page, in the macros of man(7)."""
    lines = [f'.TH PI-MEMORY 1 "" "pi-memory {__version__}" "User Commands"']
    lines += [".SH NAME", "pi-memory \\- a local assistant that remembers"]
    lines += [".SH SYNOPSIS", ".B pi-memory", "[OPTIONS] COMMAND [ARGUMENTS]"]
    lines += [".SH DESCRIPTION", *_text(main.help or ""), ".SH OPTIONS", *_options(main), ".SH COMMANDS"]
    for name, command in _commands("pi-memory", main):
        usage = " ".join(command.collect_usage_pieces(click.Context(command)))
        lines += [f".SS {_safe(name)} {_safe(usage)}", *_text(command.help or ""), *_options(command)]
    lines += [".SH ENVIRONMENT", "Each is a setting, and may also stand in a file of settings."]
    lines += _terms({option.key: option.help for option in settings.options()})
    lines += [".SH FILES", *_terms(FILES)]
    lines += [".SH EXIT STATUS", *_terms({str(code): meaning for code, meaning in EXIT_CODES.items()})]
    return "\n".join(lines) + "\n"


def _commands(name: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for sub in group.list_commands(context):
        command = group.get_command(context, sub)
        assert command is not None, sub
        yield f"{name} {sub}", command
        if isinstance(command, click.Group):
            yield from _commands(f"{name} {sub}", command)


def _options(command: click.Command) -> list[str]:
    context = click.Context(command)
    records = [parameter.get_help_record(context) for parameter in command.params]
    return _terms(dict(record for record in records if record))


def _terms(meanings: dict[str, str]) -> list[str]:
    """A list of words with what they mean."""
    lines = []
    for word, meaning in meanings.items():
        lines += [".TP", f".B {_safe(word)}", _safe(meaning)]
    return lines


def _text(help_: str) -> list[str]:
    """Paragraphs of a help text; those that begin with a \\b keep their lines."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", help_.strip()):
        kept = paragraph.lstrip().startswith("\b")
        text = _safe(paragraph.replace("\b", "").strip())
        lines += [".PP", *([".nf", text, ".fi"] if kept else [" ".join(text.split())])]
    return lines


def _safe(text: str) -> str:
    """Text that no macro is read from."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


if __name__ == "__main__":
    sys.stdout.write(manual())
