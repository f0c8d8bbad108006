"""`pi-memory focus`: shows and changes the topics."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import TOPIC
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.cli.table import lines, print_list
from pi_memory.errors import PiMemoryError
from pi_memory.topics.display import ago

if TYPE_CHECKING:
    from pi_memory.cli.client import Client

HEAD = ("topic", "strength", "", "sessions", "last", "files")
NOTHING = "No recent topics tracked yet."
BAR = 10
WATCH_SECONDS = 2.0


@click.group("focus", invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also what has faded or was removed.")
@json_option
@click.option("--watch", is_flag=True, help="Keep showing it as it changes, until Ctrl-C.")
@pass_load
@click.pass_context
def command(context: click.Context, load: Load, /, **asked: bool) -> None:
    """Show what you have been working on, or change it.

    \b
    Example:
      pi-memory focus
      pi-memory focus rename deploy deployment
    """
    if context.invoked_subcommand is not None:
        return
    if asked["watch"] and asked["as_json"]:
        raise click.UsageError("--json is printed once: leave out --watch.")
    with daemon(load({})) as client:
        if asked["watch"]:
            _watch(client, everything=asked["everything"])
            return
        topics = _topics(client, everything=asked["everything"])
    rows = _rows(topics, time.time(), bars=sys.stdout.isatty())
    print_list({"topics": topics}, rows, head=HEAD, nothing=NOTHING, as_json=asked["as_json"])


@command.command("edit")
@json_option
@pass_load
def edit(load: Load, as_json: bool) -> None:
    """Open RECENT_FOCUS.md in your editor (VISUAL, EDITOR); what you save counts. --json only says where it is.

    \b
    Example:
      pi-memory focus edit
    """
    with daemon(load({})) as client:
        found = checked(client.get("/healthz")).get("parts", {}).get("focus", {})
    file = Path(found.get("is", ""))
    if not file.is_file():
        raise PiMemoryError("The focus file is not here", hint=found.get("todo", "Set the daemon's PI_MEMORY_TOKEN."))
    if as_json:
        report({"file": str(file)}, "", as_json=True)
        return
    click.edit(filename=str(file))
    click.echo(f"{file} is read anew whenever it is saved; `pi-memory focus` shows the result.")


@command.command("rename")
@click.argument("old", shell_complete=TOPIC)
@click.argument("new")
@json_option
@pass_load
def rename(load: Load, old: str, new: str, as_json: bool) -> None:
    """Give topic OLD the name NEW.

    \b
    Example:
      pi-memory focus rename deploy deployment
    """
    with daemon(load({})) as client:
        topic = checked(client.put(_path(old), json={"rename_to": new}))
    report(topic, f"{old} is now {topic['topic']}.", as_json=as_json)


@command.command("drop")
@click.argument("topic", shell_complete=TOPIC)
@json_option
@pass_load
def drop(load: Load, topic: str, as_json: bool) -> None:
    """Remove TOPIC from the focus; working on it again brings it back.

    \b
    Example:
      pi-memory focus drop deployment
    """
    with daemon(load({})) as client:
        checked(client.delete(_path(topic)))
    report({"topic": topic, "is_active": False}, f"{topic} is no longer in the focus.", as_json=as_json)


@command.command("touch")
@click.argument("topic", shell_complete=TOPIC)
@click.option("--file", "files", multiple=True, type=click.Path(path_type=Path), help="A file that belongs to it.")
@json_option
@pass_load
def touch(load: Load, topic: str, files: tuple[Path, ...], as_json: bool) -> None:
    """Add TOPIC to the focus, or bring it back to full strength.

    \b
    Example:
      pi-memory focus touch garden/irrigation --file pump.py
    """
    with daemon(load({})) as client:
        shown = checked(client.put(_path(topic), json=_with_files(client, topic, files) if files else {}))
    report(shown, f"{shown['topic']} is at strength {shown['strength']:.2f}.", as_json=as_json)


def _path(topic: str) -> str:
    return f"/focus/{quote(topic)}"


def _with_files(client: Client, topic: str, files: tuple[Path, ...]) -> dict[str, list[str]]:
    """The topic's files and directories, with these files and their directories."""
    answer = client.get(_path(topic))
    known = {} if answer.status_code == HTTPStatus.NOT_FOUND else checked(answer)["topic"]
    paths = [path.expanduser().absolute() for path in files]
    return {
        "file_paths": list(dict.fromkeys([*known.get("file_paths", ()), *map(str, paths)])),
        "directories": list(dict.fromkeys([*known.get("directories", ()), *(f"{path.parent}/" for path in paths)])),
    }


def _topics(client: Client, *, everything: bool) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = checked(client.get("/focus", params={"all": "1"} if everything else {}))["topics"]
    return shown


def _watch(client: Client, *, everything: bool) -> None:
    """Show the focus anew every moment: strengths and ages change although nothing happens."""
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False, screen=sys.stdout.isatty()) as live, contextlib.suppress(KeyboardInterrupt):
        while True:
            rows = _rows(_topics(client, everything=everything), time.time(), bars=True)
            shown = lines([HEAD, *rows], shutil.get_terminal_size().columns) if rows else [NOTHING]
            live.update(Text("\n".join(shown)), refresh=True)
            time.sleep(WATCH_SECONDS)


def _rows(topics: list[dict[str, Any]], now: float, *, bars: bool) -> list[tuple[str, ...]]:
    return [
        (
            topic["topic"],
            _bar(topic["strength"]) if bars else f"{topic['strength']:.2f}",
            topic["status"] if topic["is_active"] else "inactive",
            str(topic["session_count"]),
            ago(now - datetime.fromisoformat(topic["last_touched_at"]).timestamp()),
            ", ".join(path.rsplit("/", 1)[-1] for path in topic["file_paths"][-3:]),
        )
        for topic in topics
    ]


def _bar(strength: float) -> str:
    filled = round(strength * BAR)
    return "█" * filled + "░" * (BAR - filled)
