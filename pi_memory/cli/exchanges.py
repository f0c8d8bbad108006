"""`pi-memory exchanges`: lists what was said, word for word."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("exchanges")
@click.argument("words", nargs=-1)
@click.option("--conversation", metavar="NAME", help="Only those of this conversation or session.")
@click.option("--project", metavar="NAME", help="Only those said in this project.")
@click.option("--from", "since", metavar="TIME", help="Only those said at this time or later, such as 2026-02-22.")
@click.option("--to", "until", metavar="TIME", help="Only those said before this time.")
@click.option("-n", "--count", "count", type=click.IntRange(1, 200), default=20, show_default=True, help="Most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, words: tuple[str, ...], *, count: int, as_json: bool, **filters: str | None) -> None:
    """List exchanges, newest last; with WORDS only those that contain all of them.

    \b
    Example:
      pi-memory exchanges credit card --from 2026-02-01
    """
    names = {"conversation": "conversation_id", "since": "from", "until": "to"}
    given = {names.get(name, name): value for name, value in filters.items() if value is not None}
    params = {"limit": str(count), **given, **({"q": " ".join(words)} if words else {})}
    with daemon(load({})) as client:
        found = checked(client.get("/exchanges", params=params))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    elif not found["exchanges"]:
        click.echo("Nothing of that was said.")
    else:
        Console().print(_table(found["exchanges"][::-1]))


def _table(exchanges: list[dict[str, Any]]) -> Table:
    table = Table("id", "when", "conversation", "said", box=None, header_style="bold")
    for column in table.columns[:2]:
        column.no_wrap = True
    for exchange in exchanges:
        # What somebody said may look like markup.
        said = Text("\n".join(" ".join(text.split()) for text in (exchange["user"], exchange["reply"]) if text))
        when = exchange["at"][:16].replace("T", " ")
        table.add_row(str(exchange["id"]), when, Text(exchange["conversation_id"]), said)
    return table
