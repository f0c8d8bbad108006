"""`pi-memory restore`: replaces the database, and the files beside it, by a backup."""

from pathlib import Path

import click

from pi_memory.background.backups import put_back
from pi_memory.cli.client import of_daemon
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.service import alone
from pi_memory.store.backup import restore


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@json_option
@pass_load
def command(load: Load, file: Path, as_json: bool) -> None:
    """Replace the database and the files of the workspace by FILE, a copy made by `backup` or by the daemon itself, and
    keep the old ones. Stop the daemon first.

    \b
    Example:
      pi-memory restore /media/stick/memory.db
    """
    settings = of_daemon(load({}))
    target = settings.database
    with alone(settings):
        restored = restore(file, target)
        written = put_back(dict(restored.texts), settings)
    kept = restored.kept
    text = [f"{target} is restored. " + (f"The old one is {kept}." if kept else "There was none before.")]
    text += [f"{path} is restored." for path in written]
    found = {"database": str(target), "old": str(kept) if kept else None, "files": [*map(str, written)]}
    report(found, "\n".join(text), as_json=as_json)
