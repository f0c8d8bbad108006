"""`pi-memory history`: shows the events of a memory."""

import json
from collections.abc import Iterator
from typing import Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import MEMORY_IDS
from pi_memory.cli.options import MEMORY, Id, Load, json_option, pass_load, report


@click.command("history")
@click.argument("which", metavar="ID", type=MEMORY, shell_complete=MEMORY_IDS)
@json_option
@pass_load
def command(load: Load, which: Id, as_json: bool) -> None:
    """Show the events of memory ID, newest last, with the numbers that `undo` needs.

    \b
    Example:
      pi-memory history m12
    """
    with daemon(load({})) as client:
        found = checked(client.get(f"{which.path}/history"))
    report(found, "\n".join(_lines(found["history"][::-1])), as_json=as_json)


def _lines(history: list[dict[str, Any]]) -> Iterator[str]:
    for event, then in zip(history, [*history[1:], {}], strict=True):
        undoes = f", undoes {event['undoes']}" if event["undoes"] else ""
        head = f"{event['event_id']:>6}  {event['at']}  {event['kind']} by {event['origin']}{undoes}"
        if (old := event.get("instead_of")) is not None:
            yield f"{head}: it took the place of {Id('memory', old)}"
            continue
        yield head
        # What takes the place of another one is added first, and holds a moment later.
        for_a_moment = (then.get("before") or {}) if then.get("instead_of") is not None else {}
        after = {name: value for name, value in (event["after"] or {}).items() if name not in for_a_moment}
        for change in _changes(event["before"] or {}, after):
            yield f"        {change}"


def _changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    for field, value in after.items():
        if field in before:
            yield f"{field}: {shown(before[field])} -> {shown(value)}"
        elif value not in (None, "", []):
            yield f"{field}: {shown(value)}"


def shown(value: Any) -> str:
    """A field's value on one line."""
    return "nothing" if value in (None, "", []) else json.dumps(value, ensure_ascii=False)
