"""`pi-memory memories`: lists memories."""

from typing import Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import NAMESPACE
from pi_memory.cli.options import Id, Load, json_option, pass_load
from pi_memory.cli.table import print_list

HEAD = ("id", "since", "strength", "namespace", "content")
NOTHING = "Nothing has been learned yet."
PAGE = 500


@click.command("memories")
@click.option("--namespace", metavar="NAME", shell_complete=NAMESPACE, help="Only this one and what is below it.")
@click.option("--all", "everything", is_flag=True, help="Also what no longer holds.")
@json_option
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
    rows = rows_of(found[::-1])
    print_list({"memories": found}, rows, head=HEAD, nothing=NOTHING, as_json=as_json)


def rows_of(memories: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            str(Id("memory", memory["id"])),
            memory["valid_from"][:10],
            f"{memory['strength']:.2f}" if memory["is_valid"] else "no longer",
            memory["namespace"],
            "(forgotten)" if memory["forgotten_at"] else memory["content"],
        )
        for memory in memories
    ]
