"""`pi-memory exchanges`: lists what was said, word for word."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import PROJECT
from pi_memory.cli.options import Id, Load, json_option, pass_load
from pi_memory.cli.table import print_list

HEAD = ("id", "when", "who", "conversation", "said")


@click.command("exchanges")
@click.argument("words", nargs=-1)
@click.option("--conversation", metavar="NAME", help="Only those of this conversation or session.")
@click.option("--project", metavar="NAME", shell_complete=PROJECT, help="Only those said in this project.")
@click.option("--from", "since", metavar="TIME", help="Only those said at this time or later, such as 2026-02-22.")
@click.option("--to", "until", metavar="TIME", help="Only those said before this time.")
@click.option("-n", "--count", "count", type=click.IntRange(1, 200), default=20, show_default=True, help="Most.")
@json_option
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
    rows = [
        (str(Id("exchange", one["id"])), one["at"][:16].replace("T", " "), who, one["conversation_id"], one[said])
        for one in found["exchanges"][::-1]
        for who, said in (("you", "user"), ("it", "reply"))
        if one[said]
    ]
    print_list(found, rows, head=HEAD, nothing="Nothing of that was said.", as_json=as_json)
