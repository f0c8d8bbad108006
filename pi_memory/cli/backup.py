"""`pi-memory backup`: a copy of the whole database, taken while the daemon runs."""

from pathlib import Path

import click

from pi_memory.cli.client import database
from pi_memory.cli.options import Load, pass_load
from pi_memory.store.backup import back_up


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@pass_load
def command(load: Load, file: Path) -> None:
    """Copy the database to FILE, which must not exist. The daemon may run; its last seconds may be missing.

    \b
    Example:
      pi-memory backup /media/stick/memory.db
    """
    source = database(load({}))
    back_up(source, file)
    click.echo(f"{source} is copied to {file}: {file.stat().st_size} bytes.")
