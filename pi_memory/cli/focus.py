"""`pi-memory focus`: shows and changes the topics."""

import contextlib
import json
import sys
import time
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pi_memory.cli.client import Client, checked, daemon
from pi_memory.cli.options import Load, pass_load
from pi_memory.topics.display import ago

BAR = 10
WATCH_SECONDS = 2.0


@click.group("focus", invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also what has faded or was removed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
        elif asked["as_json"]:
            click.echo(json.dumps({"topics": _topics(client, everything=asked["everything"])}, indent=2))
        else:
            Console().print(_table(_topics(client, everything=asked["everything"]), time.time()))


@command.command("rename")
@click.argument("old")
@click.argument("new")
@pass_load
def rename(load: Load, old: str, new: str) -> None:
    """Give topic OLD the name NEW.

    \b
    Example:
      pi-memory focus rename deploy deployment
    """
    with daemon(load({})) as client:
        topic = checked(client.put(_path(old), json={"rename_to": new}))
    click.echo(f"{old} is now {topic['topic']}.")


@command.command("drop")
@click.argument("topic")
@pass_load
def drop(load: Load, topic: str) -> None:
    """Remove TOPIC from the focus; working on it again brings it back.

    \b
    Example:
      pi-memory focus drop deployment
    """
    with daemon(load({})) as client:
        checked(client.delete(_path(topic)))
    click.echo(f"{topic} is no longer in the focus.")


@command.command("touch")
@click.argument("topic")
@click.option("--file", "files", multiple=True, type=click.Path(path_type=Path), help="A file that belongs to it.")
@pass_load
def touch(load: Load, topic: str, files: tuple[Path, ...]) -> None:
    """Add TOPIC to the focus, or bring it back to full strength.

    \b
    Example:
      pi-memory focus touch garden/irrigation --file pump.py
    """
    with daemon(load({})) as client:
        shown = checked(client.put(_path(topic), json=_with_files(client, topic, files) if files else {}))
    click.echo(f"{shown['topic']} is at strength {shown['strength']:.2f}.")


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
    with Live(auto_refresh=False, screen=sys.stdout.isatty()) as live, contextlib.suppress(KeyboardInterrupt):
        while True:
            live.update(_table(_topics(client, everything=everything), time.time()), refresh=True)
            time.sleep(WATCH_SECONDS)


def _table(topics: list[dict[str, Any]], now: float) -> Table | str:
    if not topics:
        return "No recent topics tracked yet."
    table = Table("topic", "strength", "", "sessions", "last", "files", box=None, header_style="bold")
    for column in table.columns[:5]:
        column.no_wrap = True
    for topic in topics:
        filled = round(topic["strength"] * BAR)
        # A file may be called what looks like markup: `[id].tsx`.
        files = Text(", ".join(path.rsplit("/", 1)[-1] for path in topic["file_paths"][-3:]))
        status = topic["status"] if topic["is_active"] else "inactive"
        bar = "█" * filled + "░" * (BAR - filled)
        touched = ago(now - datetime.fromisoformat(topic["last_touched_at"]).timestamp())
        table.add_row(topic["topic"], bar, status, str(topic["session_count"]), touched, files)
    return table
