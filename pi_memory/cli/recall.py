"""`pi-memory recall`: searches memories and what was said."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load


@click.command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("--project", metavar="NAME", help="See what belongs to this project too.")
@click.option("--namespace", metavar="NAME", help="Only this namespace and what is below it.")
@click.option("--kind", type=click.Choice(["memory", "exchange"]), help="Only memories, or only what was said.")
@click.option("-k", "--count", "count", default=10, show_default=True, help="Most results.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with why each was found.")
@pass_load
def command(load: Load, query: tuple[str, ...], *, count: int, as_json: bool, **filters: str | None) -> None:
    """Search memories and what was said for QUERY, best first.

    \b
    Example:
      pi-memory recall when did we replace the pump --project garden
    """
    given = {name: value for name, value in filters.items() if value is not None}
    params = {"q": " ".join(query), "k": str(count), "explain": "1", **given}
    with daemon(load({})) as client:
        found = checked(client.get("/memories/search", params=params))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    elif not found["results"]:
        click.echo("Nothing is known about that.")
    else:
        Console().print(_table(found["results"]))


def _table(results: list[dict[str, Any]]) -> Table:
    table = Table("score", "what", "id", "when", "content", box=None, header_style="bold")
    for column in table.columns[:4]:
        column.no_wrap = True
    for result in results:
        # What somebody said may look like markup.
        content = Text(" ".join(result["content"].split()))
        what = result.get("role") or result["kind"]
        table.add_row(f"{result['score']:.2f}", what, str(result["id"]), result["at"][:10], content)
    return table
