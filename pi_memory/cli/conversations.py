"""`pi-memory conversations`: lists stored conversations."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.options import Load, json_option, pass_load
from pi_memory.cli.table import print_list

HEAD = ("last", "exchanges", "source", "project", "first", "conversation")


@click.command("conversations")
@click.option("-n", "--count", "count", type=click.IntRange(1, 200), default=20, show_default=True, help="Most.")
@json_option
@pass_load
def command(load: Load, count: int, as_json: bool) -> None:
    """List conversations and sessions of agents, most recently active last.

    \b
    Example:
      pi-memory conversations
    """
    with daemon(load({})) as client:
        found = checked(client.get("/conversations", params={"limit": str(count)}))
    rows = [
        (
            one["last_at"][:10],
            str(one["exchanges"]),
            one["source"],
            one["project"] or "",
            one["started_at"][:10],
            one["conversation_id"],
        )
        for one in found["conversations"][::-1]
    ]
    print_list(found, rows, head=HEAD, nothing="Nothing was said yet.", as_json=as_json)
