"""`pi-memory memories`: lists memories."""

from typing import Any

import click

from pi_memory.cli import recall
from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import NAMESPACE
from pi_memory.cli.options import Id, Load, json_option, pass_load
from pi_memory.cli.table import print_list

HEAD = ("id", "since", "strength", "namespace", "content")
NOTHING = "Nothing has been learned yet."
PAGE = 500


@click.command("memories")
@click.argument("words", nargs=-1)
@click.option("--namespace", metavar="NAME", shell_complete=NAMESPACE, help="Only this one and what is below it.")
@click.option("--all", "everything", is_flag=True, help="Also what no longer holds.")
@json_option
@pass_load
def command(load: Load, words: tuple[str, ...], *, namespace: str | None, everything: bool, as_json: bool) -> None:
    """List memories, newest last; with WORDS those that hold and are about them, best first.

    \b
    Example:
      pi-memory memories --namespace project/garden
      pi-memory memories pump seal
    """
    if words:
        if everything:
            raise click.UsageError("WORDS find what holds: leave out --all.")
        _about(load, " ".join(words), namespace, as_json=as_json)
        return
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


def _about(load: Load, words: str, namespace: str | None, *, as_json: bool) -> None:
    """List what is known about these words, as `/memories WORDS` does in a talk."""
    asked = {"q": words, "kind": "memory"} | ({"namespace": namespace} if namespace else {})
    with daemon(load({})) as client:
        found = recall.found(client, asked)
    print_list(found, recall.rows_of(found["results"]), head=recall.HEAD, nothing=recall.NOTHING, as_json=as_json)


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
