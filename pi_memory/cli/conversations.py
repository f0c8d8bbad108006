"""`pi-memory conversations`: lists stored conversations."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("conversations")
@click.option("-n", "--count", "count", type=click.IntRange(1, 200), default=20, show_default=True, help="Most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, count: int, as_json: bool) -> None:
    """List conversations and sessions of agents, most recently active last.

    \b
    Example:
      pi-memory conversations
    """
    with daemon(load({})) as client:
        found = checked(client.get("/conversations", params={"limit": str(count)}))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    elif not found["conversations"]:
        click.echo("Nothing was said yet.")
    else:
        Console().print(_table(found["conversations"][::-1]))


def _table(conversations: list[dict[str, Any]]) -> Table:
    table = Table("conversation", "from", "to", "exchanges", "source", "project", box=None, header_style="bold")
    for one in conversations:
        first, last = one["started_at"][:10], one["last_at"][:10]
        project = Text(one["project"] or "")
        table.add_row(Text(one["conversation_id"]), first, last, str(one["exchanges"]), one["source"], project)
    return table
