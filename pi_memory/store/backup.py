"""Backup while the daemon runs, and restore while it does not.

A backup is one SQLite file: the database, and a table with the texts that belong to it, such as the focus file.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import chain, count
from pathlib import Path

from msgspec import Struct, field

from pi_memory.errors import Conflict, PiMemoryError
from pi_memory.store.migrations import LATEST, version
from pi_memory.store.opening import FIRST_TABLES, database_on

BESIDE = ("-wal", "-shm", "-commits")
TEXTS = "backup_texts"
"""The table of a backup that holds texts by name."""
COUNTED = ("exchanges", "memories", "topics", "events")


class RestoredBackup(Struct, frozen=True):
    """`kept` is where the database is that was there before, `texts` are those of the backup by name."""

    kept: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


def back_up(database: Path, target: Path, texts: Mapping[str, str] | None = None) -> None:
    """Copy the committed data with SQLite's online backup to a new file, and `texts` by name.

    Raises `PiMemoryError`.
    """
    if not database.exists():
        raise PiMemoryError(f"There is no database {database}", hint="Give its --data-dir.")
    if not target.parent.is_dir():
        raise PiMemoryError(f"There is no folder {target.parent}", hint="Make it, or give another FILE.")
    if target.exists():
        raise Conflict(f"{target} is there already", hint="Choose another name, or remove it.")
    with _copied(database, target) as copy:
        copy.execute(f"create table if not exists {TEXTS} (name text primary key, text text not null)")
        copy.executemany(f"insert or replace into {TEXTS} values (?, ?)", (texts or {}).items())


def counts(path: Path, *, check: bool = True) -> dict[str, int]:
    """Rows of the tables that matter, and the newest event. Raises `PiMemoryError` for a file that cannot be read or,
    with `check`, that SQLite does not find sound: then all of it is read.
    """
    try:
        with closing(_reading(path)) as connection:
            verdict = connection.execute("pragma integrity_check(1)").fetchone()[0] if check else "ok"
            if verdict != "ok":
                raise PiMemoryError(f"{path} is damaged: {verdict}", hint="Delete it; another one is made.")
            found = {table: connection.execute(f"select count(*) from {table}").fetchone()[0] for table in COUNTED}
            newest = connection.execute("select coalesce(max(id), 0) from events").fetchone()[0]
            return {**found, "newest event": newest}
    except sqlite3.Error as error:
        raise PiMemoryError(f"{path} cannot be read: {error}", hint="Delete it; another one is made.") from error


def texts(path: Path) -> dict[str, str]:
    """The texts in a backup, by name; none in a plain copy of the database."""
    with closing(_reading(path)) as connection:
        if TEXTS not in database_on(connection).table_names():
            return {}
        return dict(connection.execute(f"select name, text from {TEXTS}").fetchall())


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def restore(source: Path, database: Path) -> RestoredBackup:
    """Put a backup in the database's place. Nobody may be using it.

    Raises `PiMemoryError` for a file that is no sound database of ours, or that a newer release wrote.
    """
    _check(source)
    said = texts(source)
    database.parent.mkdir(parents=True, exist_ok=True)
    new = database.with_name(f"{database.name}.restoring")
    new.unlink(missing_ok=True)
    with _copied(source, new) as copy:
        copy.execute(f"drop table if exists {TEXTS}")
    old = _free(database.with_name(f"{database.name}.before-restore")) if database.exists() else None
    if old is not None:
        with _copied(database, old):  # with what is still in its log
            pass
    for suffix in BESIDE:
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    os.replace(new, database)  # noqa: PTH105 - the name says that it overwrites
    return RestoredBackup(old, said)


def _free(path: Path) -> Path:
    """`path`, or `path` with a number behind it: an existing file is never overwritten."""
    others = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(name for name in chain((path,), others) if not name.exists())


@contextmanager
def _copied(source: Path, target: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy in a new file. Once the block has changed it, all of it is synced to the card: until then
    it may be lost, so that neither a log nor a sync is needed. Raises `PiMemoryError`.
    """
    try:
        target.touch(mode=0o600)  # what is in it is nobody else's business
        with (
            closing(_reading(source)) as theirs,
            closing(sqlite3.connect(target, isolation_level=None)) as ours,
        ):
            ours.execute("pragma synchronous = off")
            theirs.backup(ours)
            # A file of its own, that can be read where nothing can be written.
            ours.execute("pragma journal_mode = off").fetchall()
            yield ours
        with target.open("rb") as file:
            os.fsync(file.fileno())
    except (sqlite3.Error, OSError) as error:
        target.unlink(missing_ok=True)
        raise PiMemoryError(f"Cannot copy {source} to {target}: {error}", hint="Is there room, and may you?") from error


def _check(path: Path) -> None:
    try:
        with closing(_reading(path)) as connection:
            db = database_on(connection)
            sound = db.execute("pragma quick_check(1)").fetchone()[0] == "ok"
            number, is_ours = version(db), set(db.table_names()) >= FIRST_TABLES
    except sqlite3.Error as error:
        raise PiMemoryError(f"{path} is no database: {error}", hint="Give a file that `backup` made.") from error
    if number > LATEST:
        raise PiMemoryError(f"{path} was written by a newer release", hint="Upgrade pi-memory first.")
    if not sound or not is_ours:
        raise PiMemoryError(f"{path} is damaged, or no database of pi-memory", hint="Give another backup.")
