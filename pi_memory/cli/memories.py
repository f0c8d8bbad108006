"""`pi-memory memories`: lists memories."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, pass_load

PAGE = 500


@click.command("memories")
@click.option("--namespace", metavar="NAME", help="Only this namespace and what is below it.")
@click.option("--all", "everything", is_flag=True, help="Also what no longer holds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_load
def command(load: Load, namespace: str | None, everything: bool, as_json: bool) -> None:
    """List memories, newest last.

    \b
    Example:
      pi-memory memories --namespace project/garden
    """
    asked = (
        {"limit": str(PAGE)} | ({"namespace": namespace} if namespace else {}) | ({"all": "1"} if everything else {})
    )
    found: list[dict[str, Any]] = []
    with daemon(load({})) as client:
        while True:
            page = checked(client.get("/memories", params={**asked, "offset": str(len(found))}))["memories"]
            found += page
            if len(page) < PAGE:
                break
    if as_json:
        click.echo(json.dumps({"memories": found}, indent=2))
    elif not found:
        click.echo("Nothing has been learned yet.")
    else:
        Console().print(_table(found[::-1]))


def _table(memories: list[dict[str, Any]]) -> Table:
    table = Table("id", "since", "namespace", "strength", "content", box=None, header_style="bold")
    for column in table.columns[:4]:
        column.no_wrap = True
    for memory in memories:
        # What somebody said may look like markup.
        content = Text("(forgotten)" if memory["forgotten_at"] else memory["content"])
        strength = f"{memory['strength']:.2f}" if memory["is_valid"] else "no longer"
        since = memory["valid_from"][:10]
        table.add_row(str(memory["id"]), since, memory["namespace"], strength, content)
    return table
