"""`pi-memory forget`: erases a memory's fact, or what was said, for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import CONVERSATION, IDS
from pi_memory.cli.options import MEMORY_OR_EXCHANGE, Id, Load, json_option, pass_load, report

if TYPE_CHECKING:
    from pi_memory.cli.client import Client


@click.command("forget")
@click.argument("which", metavar="[ID]", type=MEMORY_OR_EXCHANGE, required=False, shell_complete=IDS)
@click.option(
    "--conversation",
    metavar="NAME",
    shell_complete=CONVERSATION,
    help="Erase all that was said in a conversation, and end it.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_load
def command(load: Load, which: Id | None, conversation: str | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Erase for good the fact that memory ID states, wherever it was said; or exchange ID.

    It first shows everything that will be erased. There is no undo, and the fact is not learned again.

    \b
    Examples:
      pi-memory forget m12 --dry-run
      pi-memory forget e340
    """
    if (which is None) == (conversation is None):
        raise click.UsageError("Give the ID of a memory or of an exchange, or --conversation.")
    if as_json and not (dry_run or yes):
        raise click.UsageError("--json does not ask: give --yes, or --dry-run.")
    with daemon(load({})) as client:
        path = path_of(which) if which else f"/conversations/{quote(conversation or '', safe='')}?forget=1"
        if which and is_forgotten(client, which):
            report({"forgotten": True, "gone": []}, f"Memory {which} is forgotten already.", as_json=as_json)
            return
        would = would_go(client, path)
        if not as_json:
            click.echo("\n".join(texts(would)))
        if not (dry_run or yes):
            click.confirm("Forget this for good?", abort=True)
        if not dry_run:
            checked(client.delete(path))
    if as_json or not dry_run:
        report({"forgotten": not dry_run, **would}, "Forgotten.", as_json=as_json)


def path_of(which: Id) -> str:
    return f"{which.path}?forget=1" if which.kind == "memory" else which.path


def is_forgotten(client: Client, which: Id) -> bool:
    """Whether a memory is forgotten already. Raises `PiMemoryError` when there is no such memory."""
    return which.kind == "memory" and checked(client.get(which.path))["forgotten_at"] is not None


def would_go(client: Client, path: str) -> dict[str, Any]:
    """What a deletion would erase."""
    would: dict[str, Any] = checked(client.delete(f"{path}{'&' if '?' in path else '?'}dry_run=1"))
    return would


def texts(would: dict[str, Any]) -> list[str]:
    """Each text that would go, with its place."""
    return [f"{_place(one)}: {' '.join(one['text'].split())}" for one in would["gone"]]


def _place(gone: dict[str, Any]) -> str:
    place, number = gone["place"], gone["id"]
    if place in ("memory", "exchange"):
        return str(Id(place, number))
    if place == "quote":
        return f"quote of {Id('memory', number)}"
    return place if number is None else f"{place} {number}"
