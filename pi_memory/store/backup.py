"""Backup of the database while the daemon runs, and restore while it does not."""

import os
import sqlite3
from contextlib import closing
from itertools import chain, count
from pathlib import Path

import sqlite_utils

from pi_memory.errors import Conflict, PiMemoryError
from pi_memory.store.migrations import LATEST, version
from pi_memory.store.opening import FIRST_TABLES

BESIDE = ("-wal", "-shm", "-commits")


def back_up(database: Path, target: Path) -> None:
    """Copy the committed data to a new file with SQLite's online backup. Raises `PiMemoryError`."""
    if not database.exists():
        raise PiMemoryError(f"There is no database {database}", hint="Give its --data-dir.")
    if target.exists():
        raise Conflict(f"{target} is there already", hint="Choose another name, or remove it.")
    _copy(database, target)


def restore(source: Path, database: Path) -> Path | None:
    """Put a backup in the database's place. Returns where the old database is kept. Nobody may be using it.

    Raises `PiMemoryError` for a file that is no sound database of ours, or that a newer release wrote.
    """
    _check(source)
    database.parent.mkdir(parents=True, exist_ok=True)
    new = database.with_name(f"{database.name}.restoring")
    new.unlink(missing_ok=True)
    _copy(source, new)
    old = _free(database.with_name(f"{database.name}.before-restore")) if database.exists() else None
    if old is not None:
        _copy(database, old)  # with what is still in its log
    for suffix in BESIDE:
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    os.replace(new, database)  # noqa: PTH105 - the name says that it overwrites
    return old


def _free(path: Path) -> Path:
    """`path`, or `path` with a number behind it: an existing file is never overwritten."""
    others = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(name for name in chain((path,), others) if not name.exists())


def _copy(source: Path, target: Path) -> None:
    try:
        target.touch(mode=0o600)  # what is in it is nobody else's business
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as theirs,
            closing(sqlite3.connect(target)) as ours,
        ):
            theirs.backup(ours)
            # A file of its own, that can be read where nothing can be written.
            ours.execute("pragma journal_mode = delete").fetchall()
    except (sqlite3.Error, OSError) as error:
        target.unlink(missing_ok=True)
        raise PiMemoryError(f"Cannot copy {source} to {target}: {error}", hint="Is there room, and may you?") from error


def _check(path: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            db = sqlite_utils.Database(connection)
            sound = db.execute("pragma quick_check(1)").fetchone()[0] == "ok"
            number, is_ours = version(db), set(db.table_names()) >= FIRST_TABLES
    except sqlite3.Error as error:
        raise PiMemoryError(f"{path} is no database: {error}", hint="Give a file that `backup` made.") from error
    if number > LATEST:
        raise PiMemoryError(f"{path} was written by a newer release", hint="Upgrade pi-memory first.")
    if not sound or not is_ours:
        raise PiMemoryError(f"{path} is damaged, or no database of pi-memory", hint="Give another backup.")
