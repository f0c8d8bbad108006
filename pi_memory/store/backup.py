"""Copies of the database: taken while the daemon runs, put back when it does not."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlite_utils

from pi_memory.errors import Conflict, PiMemoryError
from pi_memory.store.migrations import LATEST, version

BESIDE = ("-wal", "-shm")


def back_up(database: Path, target: Path) -> None:
    """Copy what is committed to a new file, by SQLite's online backup. Raises `PiMemoryError`."""
    if not database.exists():
        raise PiMemoryError(f"There is no database {database}", hint="Give its --data-dir.")
    if target.exists():
        raise Conflict(f"{target} is there already", hint="Choose another name, or remove it.")
    _copy(database, target)


def restore(source: Path, database: Path) -> Path | None:
    """Put a backup in the database's place; where the old one is kept. Nobody may be using it.

    Raises `PiMemoryError` for a file that is no sound database of ours, or of a newer release.
    """
    _check(source)
    database.parent.mkdir(parents=True, exist_ok=True)
    new, old = (database.with_name(f"{database.name}.{name}") for name in ("restoring", "before-restore"))
    new.unlink(missing_ok=True)
    _copy(source, new)
    if kept := database.exists():
        old.unlink(missing_ok=True)
        _copy(database, old)  # with what is still in its log
    for suffix in BESIDE:
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    os.replace(new, database)  # noqa: PTH105 - the name says that it overwrites
    return old if kept else None


def _copy(source: Path, target: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as theirs,
            closing(sqlite3.connect(target)) as ours,
        ):
            theirs.backup(ours)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise PiMemoryError(f"Cannot copy {source} to {target}: {error}", hint="Is there room, and may you?") from error


def _check(path: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            db = sqlite_utils.Database(connection)
            sound = db.execute("pragma quick_check(1)").fetchone()[0] == "ok"
            number = version(db)
    except sqlite3.Error as error:
        raise PiMemoryError(f"{path} is no database: {error}", hint="Give a file that `backup` made.") from error
    if not sound or not 0 < number <= LATEST:
        raise PiMemoryError(
            f"{path} is damaged, no database of pi-memory, or of a newer release", hint="Give another backup."
        )
