"""`pi-memory conflicts`: shows pairs of memories that may not both hold, and settles them."""

from typing import Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import IDS
from pi_memory.cli.options import MEMORY, Id, Load, json_option, pass_load, report
from pi_memory.cli.table import print_list

HEAD = ("conflict", "since", "id", "content")
NOTHING = "No two memories contradict each other."


@click.command("conflicts")
@click.argument("number", metavar="[CONFLICT]", type=click.IntRange(min=1), required=False)
@click.option("--holds", metavar="ID", type=MEMORY, shell_complete=IDS, help="Memory ID holds, and the other one ends.")
@click.option("--both", is_flag=True, help="Both hold.")
@json_option
@pass_load
def command(load: Load, number: int | None, holds: Id | None, *, both: bool, as_json: bool) -> None:
    """List pairs of memories that may not both hold; or say of CONFLICT which one does.

    \b
    Examples:
      pi-memory conflicts
      pi-memory conflicts 3 --holds m12
      pi-memory conflicts 3 --both
    """
    if (number is None) != (holds is None and not both) or (holds is not None and both):
        raise click.UsageError("Give a CONFLICT with --holds ID or with --both, or nothing for a list.")
    with daemon(load({})) as client:
        if number is not None:
            settled = {"holds": holds.number if holds else "both"}
            checked(client.post(f"/memories/conflicts/{number}", json=settled))
            report({"settled": number, **settled}, "Settled.", as_json=as_json)
            return
        found: list[dict[str, Any]] = checked(client.get("/memories/conflicts"))["conflicts"]
    rows = [
        (str(each["id"]), each["at"][:10], str(Id("memory", each[side]["id"])), each[side]["content"])
        for each in found
        for side in ("newer", "older")
    ]
    print_list({"conflicts": found}, rows, head=HEAD, nothing=NOTHING, as_json=as_json)
