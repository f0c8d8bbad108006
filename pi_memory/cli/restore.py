"""`pi-memory restore`: replaces the database by a backup."""

from pathlib import Path

import click

from pi_memory.cli.client import database
from pi_memory.cli.options import Load, pass_load
from pi_memory.service import alone
from pi_memory.store.backup import restore


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@pass_load
def command(load: Load, file: Path) -> None:
    """Replace the database by FILE, a copy made by `backup`, and keep the old one. Stop the daemon first.

    \b
    Example:
      pi-memory restore /media/stick/memory.db
    """
    settings = load({})
    target = database(settings)
    with alone(settings):
        kept = restore(file, target)
    click.echo(f"{target} is restored. " + (f"The old one is {kept}." if kept else "There was none before."))
