"""`pi-memory forget`: erases a memory's fact, or what was said, for good."""

from typing import Any

import click

from pi_memory.cli.client import Client, checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("forget")
@click.argument("memory_id", metavar="[ID]", type=click.IntRange(min=1), required=False)
@click.option("--exchange", metavar="ID", type=click.IntRange(min=1), help="Erase an exchange; `exchanges` lists them.")
@click.option("--conversation", metavar="NAME", help="Erase all that was said in a conversation, and end it.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_load
def command(
    load: Load, memory_id: int | None, exchange: int | None, conversation: str | None, *, dry_run: bool, yes: bool
) -> None:
    """Erase for good the fact that memory ID states, wherever it was said; or whole exchanges.

    It first shows everything that will be erased. There is no undo, and the fact is not learned again.

    \b
    Examples:
      pi-memory forget 12 --dry-run
      pi-memory forget --exchange 340
    """
    path = _path(memory_id, exchange, conversation)
    with daemon(load({})) as client:
        if memory_id is not None and checked(client.get(f"/memories/{memory_id}"))["forgotten_at"]:
            click.echo(f"Memory {memory_id} is forgotten already.")
            return
        _show(client, path)
        if dry_run:
            return
        if not yes:
            click.confirm("Forget this for good?", abort=True)
        checked(client.delete(path))
    click.echo("Forgotten.")


def _path(memory_id: int | None, exchange: int | None, conversation: str | None) -> str:
    given = {
        f"/memories/{memory_id}?forget=1": memory_id,
        f"/exchanges/{exchange}": exchange,
        f"/conversations/{conversation}?forget=1": conversation,
    }
    paths = [path for path, value in given.items() if value is not None]
    if len(paths) != 1:
        raise click.UsageError("Give the ID of a memory, or --exchange, or --conversation.")
    return paths[0]


def _show(client: Client, path: str) -> None:
    would: dict[str, Any] = checked(client.delete(f"{path}{'&' if '?' in path else '?'}dry_run=1"))
    for one in would["gone"]:
        place = one["place"] if one["id"] is None else f"{one['place']} {one['id']}"
        click.echo(f"{place}: {' '.join(one['text'].split())}")
