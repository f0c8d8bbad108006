"""`pi-memory backup`: a copy of everything, taken while the daemon runs."""

from pathlib import Path

import click

from pi_memory.background.backups import FOCUS, texts
from pi_memory.cli.client import of_daemon
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.store.backup import back_up


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
@pass_load
def command(load: Load, file: Path, as_json: bool) -> None:
    """Copy the database, the focus file, ASSISTANT.md, MEMORY.md and the settings to FILE, which must not exist.

    The daemon may run; its last seconds may be missing. It makes such a file daily by itself, in `backups` of its data
    directory.

    \b
    Example:
      pi-memory backup /media/stick/memory.db
    """
    settings = of_daemon(load({}))
    source, found = settings.database, texts(settings)
    back_up(source, file, found)
    size = file.stat().st_size
    text = f"{source} is copied to {file}, with {', '.join(found)}: {size} bytes."
    report({"database": str(source), "file": str(file), "bytes": size, "texts": [*found]}, text, as_json=as_json)
    if str(FOCUS) not in found:
        click.echo(
            f"There is no {FOCUS} in {settings.workspace}. If it is elsewhere, set PI_MEMORY_WORKSPACE.", err=True
        )
