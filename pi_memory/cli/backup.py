"""`pi-memory backup`: a copy of everything, taken while the daemon runs."""

from pathlib import Path

import click

from pi_memory.background.backups import FOCUS, texts
from pi_memory.cli.client import database
from pi_memory.cli.options import Load, pass_load
from pi_memory.store.backup import back_up


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@pass_load
def command(load: Load, file: Path) -> None:
    """Copy the database, the focus file, ASSISTANT.md, MEMORY.md and the settings to FILE, which must not exist.

    The daemon may run; its last seconds may be missing. It makes such a file daily by itself, in `backups` of its data
    directory.

    \b
    Example:
      pi-memory backup /media/stick/memory.db
    """
    settings = load({})
    source, found = database(settings), texts(settings)
    back_up(source, file, found)
    click.echo(f"{source} is copied to {file}, with {', '.join(found)}: {file.stat().st_size} bytes.")
    if str(FOCUS) not in found:
        click.echo(
            f"There is no {FOCUS} in {settings.workspace}. If it is elsewhere, set PI_MEMORY_WORKSPACE.", err=True
        )
