"""Opening the file: whatever its state, the daemon ends up with a database that works, and says what is wrong."""

import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import sqlite_utils

from pi_memory.errors import StartError
from pi_memory.store import passage_words
from pi_memory.store.migrations import LATEST, migrate, version

PAGE_BYTES = 512
"""A changed page is written whole, twice. The larger a page, the more of it is what has not changed."""

CHECKED_BYTES = 64 * 2**20
"""Files up to this size are checked whole at start; a larger one would hold up a Pi for seconds."""


NOT_WRITABLE = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
}


@dataclass(frozen=True, slots=True)
class Opened:
    db: sqlite_utils.Database
    problem: str | None = None
    in_ram: bool = False


def open_file(path: Path | None, now: float) -> Opened:
    """Open `path`, or a database in RAM where that is not possible. Runs on the thread that will own the connection."""
    opened = _opened(path, now)
    passage_words.prepare(opened.db)
    return opened


def _opened(path: Path | None, now: float) -> Opened:
    if path is None:
        return Opened(_in_ram(), in_ram=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Opened(_open(path), left_aside(path))
    except OSError as error:
        problem = f"nothing is saved: cannot create {path.parent} ({error.strerror}). Make it writable."
        return Opened(_in_ram(), problem, in_ram=True)
    except sqlite3.OperationalError as error:
        return _without_writing(path, error)
    except sqlite3.DatabaseError:
        return _begin_anew(path, now)


def _open(path: Path) -> sqlite_utils.Database:
    if path.exists() and path.stat().st_size < PAGE_BYTES:
        # SQLite would take it for a new one and write over it; but a power cut leaves such files of old ones too.
        raise sqlite3.DatabaseError("there is less than a page")
    db = sqlite_utils.Database(sqlite3.connect(path, isolation_level=None))
    try:
        db.execute(f"pragma page_size = {PAGE_BYTES}")  # of a new file
        _check(db, path)
        _write_test(db)
        if 0 < version(db) < LATEST:
            _back_up(db, path)
        db.execute("pragma journal_mode = wal").fetchall()
        db.execute("pragma synchronous = normal")
        db.execute("pragma secure_delete = on").fetchall()  # what is erased is overwritten
        migrate(db)
        # A crash may have come after something was forgotten, and before the log was emptied of it. A full disk is no
        # reason not to open.
        with suppress(sqlite3.OperationalError):
            db.execute("pragma wal_checkpoint(truncate)").fetchall()
    except BaseException:
        db.close()
        raise
    return db


def _check(db: sqlite_utils.Database, path: Path) -> None:
    if version(db) > LATEST:
        raise StartError(
            f"{path} was written by a newer release (schema {version(db)}; this one knows {LATEST})",
            hint="Upgrade pi-memory, or give it another --data-dir.",
        )
    if path.stat().st_size <= CHECKED_BYTES:
        verdict = db.execute("pragma quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)


def _write_test(db: sqlite_utils.Database) -> None:
    db.execute("begin immediate")
    db.execute("rollback")


def _back_up(db: sqlite_utils.Database, path: Path) -> None:
    target = path.with_name(f"{path.name}.v{version(db)}.backup")
    with closing(sqlite3.connect(target)) as copy:
        db.conn.backup(copy)


def _without_writing(path: Path, error: sqlite3.OperationalError) -> Opened:
    """A file that cannot be written: what it knows, in RAM. Raises `StartError` for a file that is not ours to use."""
    code = error.sqlite_errorcode & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        raise StartError(f"Another program is using {path}", hint="Stop it, or choose another --data-dir.") from error
    if code not in NOT_WRITABLE:
        raise StartError(
            f"{path} is no database of pi-memory: {error}", hint="Move it away, or choose another --data-dir."
        ) from error
    problem = f"nothing is saved: cannot write {path} ({error}). Free some space, or make it writable."
    return Opened(_copy_in_ram(path), problem, in_ram=True)


def _in_ram() -> sqlite_utils.Database:
    db = sqlite_utils.Database(sqlite3.connect(":memory:", isolation_level=None))
    migrate(db)
    return db


def _copy_in_ram(path: Path) -> sqlite_utils.Database:
    """What a read-only file knows, as far as it can be read."""
    db = sqlite_utils.Database(sqlite3.connect(":memory:", isolation_level=None))
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as source:
            source.backup(db.conn)
        migrate(db)
    except sqlite3.Error:
        return _in_ram()
    return db


def _begin_anew(path: Path, now: float) -> Opened:
    """Put a file that is not a sound database aside, whole, and start an empty one."""
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            shutil.move(part, path.with_name(f"{path.name}.corrupt-{stamp}{suffix}"))
    return Opened(_open(path), left_aside(path))


def left_aside(path: Path) -> str | None:
    """Names the newest database that was put aside, and says what to do with it; None when there is none."""
    aside = sorted(p for p in path.parent.glob(f"{path.name}.corrupt-*") if not p.name.endswith(("-wal", "-shm")))
    if not aside:
        return None
    return (
        f"the database was damaged and has been put aside as {aside[-1]}; a new one was started. "
        "Recover it (sqlite3 FILE .recover) or restore a backup; then delete the file that was put aside."
    )
