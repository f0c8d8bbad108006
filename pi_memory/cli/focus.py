"""`pi-memory focus`: what you have been working on, and changing it."""

import json
import time
from datetime import datetime
from typing import Any
from urllib.parse import quote

import click
from rich.console import Console
from rich.table import Table

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load
from pi_memory.focus.shown import ago

BAR = 10


@click.group("focus", invoke_without_command=True)
@click.option("--all", "everything", is_flag=True, help="Also what has faded or was removed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
@click.pass_context
def command(context: click.Context, load: Load, everything: bool, as_json: bool) -> None:
    """Show what you have been working on, or change it.

    \b
    Example:
      pi-memory focus
      pi-memory focus rename deploy deployment
    """
    if context.invoked_subcommand is not None:
        return
    with daemon(load({})) as client:
        shown = checked(client.get("/focus", params={"all": "1"} if everything else {}))
    if as_json:
        click.echo(json.dumps(shown, indent=2))
    elif not shown["topics"]:
        click.echo("No recent topics tracked yet.")
    else:
        Console().print(_table(shown["topics"], time.time()))


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
@pass_load
def touch(load: Load, topic: str) -> None:
    """Add TOPIC to the focus, or bring it back to full strength.

    \b
    Example:
      pi-memory focus touch garden/irrigation
    """
    with daemon(load({})) as client:
        shown = checked(client.put(_path(topic), json={}))
    click.echo(f"{shown['topic']} is at strength {shown['strength']:.2f}.")


def _path(topic: str) -> str:
    return f"/focus/{quote(topic)}"


def _table(topics: list[dict[str, Any]], now: float) -> Table:
    table = Table("topic", "strength", "", "sessions", "last", "files", box=None, header_style="bold")
    for column in table.columns[:5]:
        column.no_wrap = True
    for topic in topics:
        filled = round(topic["strength"] * BAR)
        files = ", ".join(path.rsplit("/", 1)[-1] for path in topic["file_paths"][-3:])
        status = topic["status"] if topic["is_active"] else "inactive"
        bar = "█" * filled + "░" * (BAR - filled)
        touched = ago(now - datetime.fromisoformat(topic["last_touched_at"]).timestamp())
        table.add_row(topic["topic"], bar, status, str(topic["session_count"]), touched, files)
    return table
