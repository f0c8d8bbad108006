"""`pi-memory undo`: takes a change of a memory back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import EVENT
from pi_memory.cli.history import shown
from pi_memory.cli.options import Id, Load, json_option, pass_load, report

if TYPE_CHECKING:
    from pi_memory.cli.client import Client


@click.command("undo")
@click.argument("event_id", metavar="EVENT", type=click.IntRange(min=1), shell_complete=EVENT)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_load
def command(load: Load, event_id: int, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Take back EVENT, a number that `history` shows. An undo is an event too, and can be undone. --json does not ask.

    \b
    Example:
      pi-memory undo 31 --dry-run
    """
    path = f"/events/{event_id}/undo"
    with daemon(load({})) as client:
        if as_json:
            done = checked(client.post(path, params={"dry_run": str(int(dry_run))}))
            report(done, "", as_json=True)
            return
        would = checked(client.post(path, params={"dry_run": "1"}))
        for line in _lines(would["changes"], _texts(client, would["changes"])):
            click.echo(line)
        if dry_run:
            return
        if not yes:
            click.confirm("Change this?", abort=True)
        checked(client.post(path))
    click.echo("Undone.")


def _texts(client: Client, changes: list[dict[str, Any]]) -> dict[int, str]:
    """What the changed memories say now."""
    ids = ",".join(dict.fromkeys(str(change["memory_id"]) for change in changes))
    found = checked(client.get("/memories", params={"ids": ids}))["memories"] if ids else []
    return {memory["id"]: " ".join(memory["content"].split()) for memory in found}


def _lines(changes: list[dict[str, Any]], texts: dict[int, str]) -> Iterator[str]:
    """A line about each change, in terms of the memory that it is of."""
    ended = {change["memory_id"] for change in changes if change["field"] == "valid_to"}
    for change in changes:
        number, field, before, after = (change[name] for name in ("memory_id", "field", "before", "after"))
        memory = f"{Id('memory', number)} ({texts.get(number) or 'forgotten'})"
        if field == "valid_to" and (before is None) != (after is None):
            yield f"{memory} {'holds again' if after is None else 'no longer holds'}"
        elif field == "content":
            yield f"{Id('memory', number)} says {shown(after)} again, and no longer {shown(before)}"
        elif field != "superseded_by" or number not in ended:  # which is why it ended, or did
            yield f"{memory}, {field}: {shown(before)} -> {shown(after)}"
