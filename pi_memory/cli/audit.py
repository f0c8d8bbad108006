"""`pi-memory audit`: what clients with a named token have changed, and what was refused."""

from typing import Any

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, json_option, pass_load
from pi_memory.cli.table import print_list

HEAD = ("when", "outcome", "times", "who", "what")
NOTHING = "Nothing was changed by a named token, and nothing was refused."


@click.command("audit")
@click.option("--limit", type=click.IntRange(1, 500), default=50, help="Most entries: 50.")
@json_option
@pass_load
def command(load: Load, limit: int, *, as_json: bool) -> None:
    """Show what clients with a named token have changed, and what was refused, the newest first.

    \b
    Example:
      pi-memory audit --limit 200
    """
    with daemon(load({})) as client:
        found: list[dict[str, Any]] = checked(client.get("/audit", params={"limit": limit}))["entries"]
    rows = [(one["at"], one["outcome"], str(one["times"]), one["who"], one["what"]) for one in found]
    print_list({"entries": found}, rows, head=HEAD, nothing=NOTHING, as_json=as_json)
