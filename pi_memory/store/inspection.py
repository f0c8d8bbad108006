"""A dry run of opening the database: its state is checked and nothing is changed."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from pi_memory.atomic_file import not_writable
from pi_memory.errors import StartError
from pi_memory.store.migrations import LATEST, version
from pi_memory.store.opening import database_on, left_aside

DAMAGED = (
    "the database is damaged ({reason}). A start puts it aside and begins a new one; before that, restore a backup "
    "(`pi-memory restore`), or recover it (sqlite3 FILE .recover)."
)


def look(path: Path) -> str | None:
    """What is wrong with a database that no daemon uses, and what to do; None for a sound or a missing one.

    Raises `StartError` for a file that a newer release wrote.
    """
    if not path.exists():
        problem = not_writable(path.parent)
        return f"nothing is saved: {problem}" if problem else None
    if not os.access(path, os.R_OK | os.W_OK):
        return f"nothing is saved: cannot write {path}. Make it writable."
    try:
        verdict, number = _read(path)
    except sqlite3.Error as error:
        return DAMAGED.format(reason=error)
    if number > LATEST:
        raise StartError(
            f"{path} was written by a newer release (schema {number}; this one knows {LATEST})",
            hint="Upgrade pi-memory, or give it another --data-dir.",
        )
    return left_aside(path) if verdict == "ok" else DAMAGED.format(reason=verdict)


def _read(path: Path) -> tuple[str, int]:
    """SQLite's integrity report and the schema's version."""
    # Without a log nothing but the file is needed, and SQLite makes no other beside it.
    unlogged = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{unlogged}", uri=True)) as connection:
        verdict = str(connection.execute("pragma quick_check(1)").fetchone()[0])
        return verdict, version(database_on(connection))
