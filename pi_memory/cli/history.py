"""`pi-memory history`: shows the events of a memory."""

import json
from typing import Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("history")
@click.argument("memory_id", metavar="ID", type=click.IntRange(min=1))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, memory_id: int, as_json: bool) -> None:
    """Show the events of memory ID, newest last, with the numbers that `undo` needs.

    \b
    Example:
      pi-memory history 12
    """
    with daemon(load({})) as client:
        found = checked(client.get(f"/memories/{memory_id}/history"))
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for event in found["history"][::-1]:
        undoes = f", undoes {event['undoes']}" if event["undoes"] else ""
        click.echo(f"{event['event_id']:>6}  {event['at']}  {event['kind']} by {event['origin']}{undoes}")
        for line in _changes(event["before"] or {}, event["after"] or {}):
            click.echo(f"        {line}")


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    lines = []
    for field, value in after.items():
        if field in before:
            lines.append(f"{field}: {shown(before[field])} -> {shown(value)}")
        elif value not in (None, "", []):
            lines.append(f"{field}: {shown(value)}")
    return lines


def shown(value: Any) -> str:
    """A field's value on one line."""
    return "nothing" if value in (None, "", []) else json.dumps(value, ensure_ascii=False)
