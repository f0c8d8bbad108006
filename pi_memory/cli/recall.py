"""`pi-memory recall`: searches memories and what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import NAMESPACE, PROJECT
from pi_memory.cli.options import Id, Load, json_option, pass_load
from pi_memory.cli.table import print_list

if TYPE_CHECKING:
    from pi_memory.cli.client import Client

HEAD = ("id", "when", "what", "score", "content")
NOTHING = "Nothing is known about that."


@click.command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("--project", metavar="NAME", shell_complete=PROJECT, help="See what belongs to this project too.")
@click.option("--namespace", metavar="NAME", shell_complete=NAMESPACE, help="Only this one and what is below it.")
@click.option("--kind", type=click.Choice(["memory", "exchange"]), help="Only memories, or only what was said.")
@click.option("-k", "--count", "count", default=10, show_default=True, help="Most results.")
@json_option
@pass_load
def command(load: Load, query: tuple[str, ...], *, count: int, as_json: bool, **filters: str | None) -> None:
    """Search memories and what was said for QUERY, best first; --json says why each was found.

    \b
    Example:
      pi-memory recall when did we replace the pump --project garden
    """
    given = {name: value for name, value in filters.items() if value is not None}
    with daemon(load({})) as client:
        answered = found(client, {"q": " ".join(query), "k": str(count), **given})
    print_list(answered, rows_of(answered["results"]), head=HEAD, nothing=NOTHING, as_json=as_json)
    for project, many in answered.get("elsewhere", {}).items():
        click.echo(f"{many} more in project {project}: --project {project}", err=True)


def found(client: Client, params: dict[str, str]) -> dict[str, Any]:
    """The answer with only those `results` that bear on the query, best first."""
    answered: dict[str, Any] = checked(
        client.get("/memories/search", params={**params, "explain": "1", "bearing": "1"})
    )
    return answered


def rows_of(results: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            str(Id(result["kind"], result["id"])),
            result["at"][:10],
            {"user": "you", "assistant": "it"}.get(result.get("role", ""), "memory"),
            f"{result['score']:.2f}",
            result["content"],
        )
        for result in results
    ]
