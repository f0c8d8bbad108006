"""`pi-memory undo`: takes a change of a memory back."""

import click

from pi_memory.cli.client import checked, daemon
from pi_memory.cli.completion import EVENT
from pi_memory.cli.history import shown
from pi_memory.cli.options import Id, Load, json_option, pass_load, report


@click.command("undo")
@click.argument("event_id", metavar="EVENT", type=click.IntRange(min=1), shell_complete=EVENT)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_load
def command(load: Load, event_id: int, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Take back EVENT, a number that `history` shows. An undo is an event too, and can be undone. --json does not ask.

    \b
    Example:
      pi-memory undo 31 --dry-run
    """
    path = f"/events/{event_id}/undo"
    with daemon(load({})) as client:
        if as_json:
            done = checked(client.post(path, params={"dry_run": str(int(dry_run))}))
            report(done, "", as_json=True)
            return
        would = checked(client.post(path, params={"dry_run": "1"}))
        for change in would["changes"]:
            click.echo(f"memory {Id('memory', change['memory_id'])}, {change['field']}:")
            click.echo(f"  - {shown(change['before'])}")
            click.echo(f"  + {shown(change['after'])}")
        if dry_run:
            return
        if not yes:
            click.confirm("Change this?", abort=True)
        checked(client.post(path))
    click.echo("Undone.")
