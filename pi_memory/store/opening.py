"""Opens the database file. Whatever its state, the daemon gets a database that works and a report of what is wrong."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import sqlite_utils
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.errors import StartError
from pi_memory.store import commits, message_fts
from pi_memory.store.migrations import LATEST, migrate, version

PAGE_BYTES = 512
"""Page size. A changed page is written whole, twice: the larger a page, the more unchanged bytes are written."""

CHECKED_BYTES = 64 * 2**20
"""Files up to this size are fully checked at start; a larger one would delay a Pi for seconds."""

FIRST_TABLES = {"sessions", "exchanges", "topics"}
"""Tables that every release has had."""

NOT_WRITABLE = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
}

BUSY_SECONDS = 2.0
"""Seconds to wait for another program's write."""

Identity = tuple[tuple[int, int, int] | None, ...]


class Opened(Struct, frozen=True):
    """An open database. `copied` is None when it is the file; else the identity of the file that the database in RAM
    copies.
    """

    db: sqlite_utils.Database
    problem: str | None = None
    in_ram: bool = False
    copied: Identity | None = None
    commits: int = 0


def open_file(path: Path | None, now: float) -> Opened:
    """Open `path`, or a database in RAM where that is not possible. Runs on the thread that will own the connection."""
    opened = _opened(path, now)
    message_fts.prepare(opened.db)
    return replace(opened, commits=commits.in_file(opened.db))


def database_on(connection: sqlite3.Connection) -> sqlite_utils.Database:
    """A connection as the store's functions take it, without the plugins of other packages: they are not to change how
    our file is read, and looking for them takes half a megabyte.
    """
    return sqlite_utils.Database(connection, execute_plugins=False)


def reopen(path: Path) -> sqlite_utils.Database:
    """Open a file that was open before or could not be opened. Raises `OSError` and `sqlite3.Error`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = _open(path)
    message_fts.prepare(db)
    return db


def identity(path: Path) -> Identity:
    """Inode, size and modification time of the file and of its log; None for a missing or empty one."""
    return tuple(_stat(path.with_name(path.name + suffix)) for suffix in ("", "-wal"))


def inodes(path: Path) -> tuple[int | None, ...]:
    """Inodes of the file and of its log, None for a missing one."""
    found: list[int | None] = []
    for suffix in ("", "-wal"):
        try:
            found.append(path.with_name(path.name + suffix).stat().st_ino)
        except OSError:
            found.append(None)
    return tuple(found)


def copy_beside(db: sqlite_utils.Database, path: Path) -> Path:
    """Copy all committed data of `db` to a file beside `path`. Raises `OSError` and `sqlite3.Error`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    copy = path.with_name(f"{path.name}.copy")
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(copy)) as target:
        db.conn.backup(target)
    return copy


def put_in_place(copy: Path, path: Path) -> sqlite_utils.Database:
    """Move a copy to `path`, whose file is gone, and open it."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    copy.replace(path)
    return reopen(path)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else None


def _opened(path: Path | None, now: float) -> Opened:
    if path is None:
        return Opened(_in_ram(), in_ram=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lost = _lost(path, now)
        return Opened(_open(path), " ".join(filter(None, (lost, left_aside(path)))) or None)
    except OSError as error:
        problem = f"cannot create {path.parent} ({error.strerror})"
        return Opened(_in_ram(), problem, in_ram=True, copied=identity(path))
    except sqlite3.OperationalError as error:
        return _without_writing(path, error)
    except sqlite3.DatabaseError:
        return _begin_anew(path, now)


def _lost(path: Path, now: float) -> str | None:
    """A report of acknowledged commits that are missing. A log that is only partly readable is copied first."""
    known = commits.noted(path)
    if known is None or not known.last:
        return None
    if not path.exists():
        return f"{path} is gone, and a new database was started. Restore a backup (pi-memory restore) if you have one."
    log, kept = path.with_name(f"{path.name}-wal"), ""
    left = log.read_bytes() if log.exists() else b""  # before SQLite: it removes a log of which it can read nothing
    missing = commits.missing(path, _last_commit(path))
    if not missing:
        return None
    if left:
        aside = path.with_name(f"{path.name}.damaged-{_stamp(now)}-wal")
        aside.touch(mode=0o600)
        aside.write_bytes(left)
        kept = f" What is left of its log is in {aside}."
    return (
        f"{path} lacks {missing} of the writes that were acknowledged: it, or its log, is damaged or older than they"
        f" are.{kept} Check the card (dmesg); restore a backup if something is missing."
    )


def _last_commit(path: Path) -> int:
    """Number of the last commit. Raises `sqlite3.DatabaseError` for an unreadable file."""
    with _read_only(path) as connection:
        db = database_on(connection)
        is_ours = db.execute("select 1 from sqlite_master where name = 'state'").fetchone()
        return commits.in_file(db) if is_ours else 0


def _open(path: Path) -> sqlite_utils.Database:
    is_new = not path.exists()
    if not is_new and path.stat().st_size < PAGE_BYTES:
        # SQLite would take it for a new one and write over it; but a power cut leaves such files of old ones too.
        raise sqlite3.DatabaseError("there is less than a page")
    try:
        return _connected(path)
    except sqlite3.Error:
        if is_new:  # what a full disk has left of it would be taken for a damaged one
            for suffix in ("", "-wal", "-shm", "-journal"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        raise


def _connected(path: Path) -> sqlite_utils.Database:
    db = database_on(sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS))
    try:
        db.execute(f"pragma page_size = {PAGE_BYTES}")  # of a new file
        _write_test(db)
        _check(db, path)
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
    tables = {name for (name,) in db.execute("select name from sqlite_master where type = 'table'")}
    if tables and not (version(db) and tables >= FIRST_TABLES):
        raise StartError(f"{path} is no database of pi-memory", hint="Move it away, or choose another --data-dir.")
    if path.stat().st_size <= CHECKED_BYTES:
        verdict = db.execute("pragma quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)


def _write_test(db: sqlite_utils.Database) -> None:
    db.execute("begin immediate")
    try:
        # On a read-only file `begin` succeeds, as a read. This changes nothing, and only where writing is possible.
        db.execute(f"pragma user_version = {version(db)}")
    finally:
        if db.conn.in_transaction:
            db.execute("rollback")


def _back_up(db: sqlite_utils.Database, path: Path) -> None:
    target = path.with_name(f"{path.name}.v{version(db)}.backup")
    with closing(sqlite3.connect(target)) as copy:
        db.conn.backup(copy)


def _without_writing(path: Path, error: sqlite3.OperationalError) -> Opened:
    """A database in RAM with the data of a file that cannot be written. Raises `StartError` for a file that is not ours
    to use.
    """
    code = error.sqlite_errorcode & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        raise StartError(f"Another program is using {path}", hint="Stop it, or choose another --data-dir.") from error
    if code not in NOT_WRITABLE:
        raise StartError(
            f"{path} is no database of pi-memory: {error}", hint="Move it away, or choose another --data-dir."
        ) from error
    return Opened(_copy_in_ram(path), f"cannot write {path} ({error})", in_ram=True, copied=identity(path))


def _in_ram() -> sqlite_utils.Database:
    db = database_on(sqlite3.connect(":memory:", isolation_level=None))
    migrate(db)
    return db


def _copy_in_ram(path: Path) -> sqlite_utils.Database:
    """A copy in RAM of a read-only file and its log, as far as they are readable."""
    db = database_on(sqlite3.connect(":memory:", isolation_level=None))
    try:
        with _read_only(path) as source:
            source.backup(db.conn)
        migrate(db)
    except sqlite3.Error:
        return _in_ram()
    return db


@contextlib.contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection without locks and with the log's index in RAM: it writes nothing, not even beside the file."""
    uri = f"{path.absolute().as_uri()}?mode=ro&vfs=unix-none"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.execute("pragma locking_mode = exclusive").fetchall()
        yield connection


def _begin_anew(path: Path, now: float) -> Opened:
    """Put a file that is not a sound database aside, whole, and start an empty one."""
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            shutil.move(part, path.with_name(f"{path.name}.corrupt-{_stamp(now)}{suffix}"))
    return Opened(_open(path), left_aside(path))


def left_aside(path: Path) -> str | None:
    """A report of the newest database that was put aside, and what to do with it; None when there is none."""
    aside = sorted(p for p in path.parent.glob(f"{path.name}.corrupt-*") if not p.name.endswith(("-wal", "-shm")))
    if not aside:
        return None
    return (
        f"the database was damaged and has been put aside as {aside[-1]}; a new one was started. "
        "Recover it (sqlite3 FILE .recover) or restore a backup; then delete the file that was put aside."
    )


def _stamp(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
