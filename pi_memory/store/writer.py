"""The connection, on the thread that owns it: one open transaction shared by the writes of some seconds.

While a transaction is open, all writes of the group have run in it. When the disk or another program refuses one, the
transaction is rolled back and the group is kept: the next call begins a transaction by running it again. A database in
RAM, which replaces a file that could not be opened, is a transaction that cannot be committed yet.
"""

import contextlib
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import sqlite_utils

from pi_memory.errors import NotSaved, PiMemoryError, StartError, StoreError
from pi_memory.store import commits, damage, opening
from pi_memory.store.opening import BUSY_SECONDS, NOT_WRITABLE, Opened

T = TypeVar("T")
Work = Callable[[sqlite_utils.Database], T]

GROUP_EXCHANGES = 25
"""Most exchanges of a group (3.8 bytes written per byte of payload; single commits write 57)."""

MOST_WAITING = 10_000
"""Most writes of a group, which wait while the database cannot be written."""

REFUSED = NOT_WRITABLE | {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM}
"""SQLite's codes of failures that pass by themselves, or when there is room."""
HINT = "Free some space on its disk, make it writable, end the program that locks it, and check the card (dmesg)."
REPORT = "Please report this."
DAMAGED = "it is damaged. Stop the daemon, then recover it (sqlite3 FILE .recover) or restore a backup."

logger = logging.getLogger(__name__)


class KeptWrite(msgspec.Struct, frozen=True):
    """A write of the group. `done`, if somebody waits for it, gets the result once it has run.

    `is_exchange`: it was acknowledged, and counts towards the group's 25.
    """

    work: Work[Any]
    done: Future[Any] | None = None
    is_exchange: bool = False

    def succeed(self, result: Any) -> None:
        if self.done is not None:
            with contextlib.suppress(InvalidStateError):  # cancelled, or run before
                self.done.set_result(result)

    def fail(self, error: BaseException) -> None:
        if self.done is not None:
            with contextlib.suppress(InvalidStateError):
                self.done.set_exception(error)


class Writer:
    """Runs reads and writes on its thread. Raises `NotSaved` for refused writes, `StoreError` for other failures.

    `path` is None for a database meant to be in RAM; with `at_once` each write is committed.
    """

    def __init__(self, opened: Opened, path: Path | None, *, at_once: bool, now: float) -> None:
        self._db = opened.db
        self._path = path
        self._at_once = at_once
        self._now = now
        self._copied = opened.copied
        self._found = [opened.problem] if opened.problem and opened.copied is None else []
        self._refused: str | None = None
        self._group: list[KeptWrite] = []
        self._lost = 0
        self._unchanged = 0
        """Rows that the connection had changed when the transaction began."""
        self._count = self._synced = opened.commits
        self._inodes = opening.inodes(path) if path else ()
        if opened.copied is not None:
            self._refuse(opened.problem or "")
        for problem in self._found:
            logger.error("The database: %s", problem)

    @property
    def refused(self) -> str | None:
        """The reason why nothing can be written now, or None."""
        return self._refused

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do, None when all is well."""
        refused = f"nothing is saved: {self._refused}. {HINT}" if self._refused else None
        lost = f"{self._lost} exchanges are lost; the log says why." if self._lost else None
        return " ".join(filter(None, (refused, lost, *self._found))) or None

    @property
    def in_ram(self) -> bool:
        """Whether the database is in RAM, without a file or until the file can be opened."""
        return self._path is None or self._copied is not None

    @property
    def lost(self) -> int:
        """Number of exchanges that could not be saved."""
        return self._lost

    def read(self, work: Work[T]) -> T:
        """Run `work`, which does not write."""
        return self._guarded(lambda: work(self._db))

    def write(self, kept: KeptWrite) -> Any:
        """Run `work` in the group. A refused write runs again with the group, before anything else."""
        try:
            result = self._guarded(lambda: self._write(kept))
        except BaseException as error:
            if not self._keeps(kept):
                kept.fail(error)
            raise
        kept.succeed(result)
        return result

    def write_durably(self, work: Work[T]) -> T:
        """Commit the group, then `work` alone, synced to the card. A refused one is not kept."""
        return self._guarded(lambda: self._write_durably(work))

    def commit(self) -> None:
        """Commit the group. While writes are refused, even an empty group is committed to test whether they
        still are.
        """
        self._guarded(self._commit)

    def checkpoint(self) -> None:
        """Commit, and move the write-ahead log into the file."""
        self.commit()
        self.read(lambda db: db.execute("pragma wal_checkpoint(passive)").fetchall())

    def scrub(self) -> None:
        """Commit, and empty the write-ahead log. Raises `StoreError` when another program reads it."""
        self.commit()
        if self.read(lambda db: db.execute("pragma wal_checkpoint(truncate)").fetchone())[0]:
            raise StoreError(
                "What was erased is still in the log of the database, as another program reads it",
                hint="End that program, then do this once more.",
            )

    def close(self) -> None:
        """Commit and close. Writes that cannot be saved count as lost."""
        try:
            self.commit()
        except StoreError as error:
            held = self._exchanges()
            self._lost += held
            logger.error("%d exchanges, and what else was to be written, could not be saved: %s", held, error)
        for kept in self._group:
            kept.fail(StoreError("The database is closed", hint="The daemon is stopping."))
        self._db.close()

    # The group.

    def _write(self, kept: KeptWrite) -> Any:
        if len(self._group) >= MOST_WAITING:
            self._lost += kept.is_exchange
            raise NotSaved(f"Not saved: {self._refused or 'the disk is too slow'}, and too much waits", hint=HINT)
        try:
            self._begin()
            with self._db.atomic():
                result = kept.work(self._db)
        except sqlite3.Error as error:
            if _is_refusal(error):
                self._roll_back()
                self._group.append(kept)
            raise
        self._group.append(kept)
        is_full = len(self._group) >= MOST_WAITING or (kept.is_exchange and self._exchanges() >= GROUP_EXCHANGES)
        if (self._at_once or is_full) and not self._refused:
            self._commit()
        return result

    def _keeps(self, kept: KeptWrite) -> bool:
        return bool(self._group) and self._group[-1] is kept

    def _exchanges(self) -> int:
        return sum(kept.is_exchange for kept in self._group)

    def _write_durably(self, work: Work[T]) -> T:
        self._commit()
        self._db.execute("pragma synchronous = full")
        try:
            self._begin()
            try:
                result = work(self._db)
                self._commit_transaction()
            except BaseException:
                self._roll_back()
                raise
        finally:
            self._db.execute("pragma synchronous = normal")
        self._count_commit(synced=True)
        return result

    def _begin(self) -> None:
        if self._db.conn.in_transaction:
            return
        # Once it was refused, nobody waits again until it has been given.
        self._db.execute(f"pragma busy_timeout = {0 if self._refused else int(BUSY_SECONDS * 1000)}").fetchall()
        self._db.execute("begin immediate")
        self._unchanged = self._db.conn.total_changes
        try:
            for kept in tuple(self._group):
                self._run_again(kept)
        except BaseException:
            self._roll_back()
            raise

    def _run_again(self, kept: KeptWrite) -> None:
        """Run the kept group in a new transaction. A write that fails for its own reason is dropped, so that it does
        not block the others.
        """
        try:
            with self._db.atomic():
                result = kept.work(self._db)
        except Exception as error:
            if isinstance(error, sqlite3.Error) and _is_refusal(error):
                raise
            self._drop(kept, error)
        else:
            kept.succeed(result)

    def _drop(self, kept: KeptWrite, error: Exception) -> None:
        self._group.remove(kept)
        self._lost += kept.is_exchange
        logger.error("A write that had waited failed and is dropped: %s", _name(error))
        kept.fail(_own(error))

    def _commit(self) -> None:
        if self._copied is not None:
            self._return_to_file()
        self._stay_in_place()
        if not self._group and not self._refused:
            self._roll_back()  # work that failed leaves an open transaction, with nothing in it
            return
        self._begin()
        if self._db.conn.total_changes == self._unchanged and not self._refused:
            self._roll_back()  # a commit has a number, which would be written
        else:
            self._commit_group()
        waited = len(self._group)
        self._group.clear()
        self._heal(waited)

    def _commit_group(self) -> None:
        try:
            self._commit_transaction()
        except sqlite3.Error:
            self._roll_back()
            raise
        self._count_commit(synced=False)

    def _commit_transaction(self) -> None:
        if self._path is not None:
            commits.put(self._db, self._count + 1)
        self._db.execute("commit")

    def _count_commit(self, *, synced: bool) -> None:
        self._count += 1
        if self._path is None:
            return
        self._synced = self._count if synced else self._synced
        # The commit itself is there; a note that lags behind reports nothing that is lost.
        with contextlib.suppress(OSError):
            commits.note(self._path, self._synced, self._count)

    def _roll_back(self) -> None:
        if self._db.conn.in_transaction:
            self._db.execute("rollback")

    # The file.

    def _return_to_file(self) -> None:
        """Open the file that could not be opened, and leave the database in RAM."""
        assert self._path is not None
        if opening.identity(self._path) != self._copied:
            raise self._refusal(
                f"{self._path} is another one than when this daemon started", "Start the daemon again to use it."
            )
        try:
            db = opening.reopen(self._path)
        except (OSError, StartError) as error:
            raise self._refusal(str(error)) from error
        finally:
            self._copied = opening.identity(self._path)  # what trying to open it has made of it
        self._db.close()
        self._use(db)

    def _stay_in_place(self) -> None:
        """Detect a file or log that was deleted or replaced while open: writes to it would be lost."""
        if self._path is None:
            return
        found = opening.inodes(self._path)
        both = list(zip(self._inodes, found, strict=True))
        if any(before and now and before != now for before, now in both):
            raise self._refusal(
                f"{self._path} was replaced while it was in use", "Stop the daemon, then put back the right one."
            )
        if any(before and not now for before, now in both):
            self._write_anew()
        self._inodes = opening.inodes(self._path)

    def _write_anew(self) -> None:
        """Copy all committed data to a new file after the open one was deleted."""
        assert self._path is not None
        self._roll_back()
        try:
            copy = opening.copy_beside(self._db, self._path)
            self._db.close()
            self._use(opening.put_in_place(copy, self._path))
        except OSError as error:
            raise self._refusal(str(error)) from error
        found = f"{self._path} was deleted while it was in use, and was written again; nothing is lost."
        self._found.append(found)
        logger.error("The database: %s", found)

    def _use(self, db: sqlite_utils.Database) -> None:
        assert self._path is not None
        self._db, self._copied, self._inodes = db, None, opening.inodes(self._path)
        self._count = self._synced = commits.in_file(db)

    # What goes wrong.

    def _guarded(self, call: Callable[[], T]) -> T:
        try:
            return self._decoded(call)
        except sqlite3.Error as error:
            if not _is_refusal(error):
                self._note_damage(error)
                raise _own(error) from error
            raise self._refusal(str(error)) from error

    def _decoded(self, call: Callable[[], T]) -> T:
        """Run it; if it fails at values that cannot be decoded, quarantine those and run it once more."""
        try:
            return call()
        except (msgspec.DecodeError, sqlite3.OperationalError) as error:
            if not _is_undecodable(error) or not self._set_aside():
                raise
        return call()

    def _set_aside(self) -> list[str]:
        found: list[str] = self._write(KeptWrite(lambda db: damage.set_aside(db, self._now)))
        if found:
            report = f"Damaged values were set aside (table set_aside): {', '.join(found[:5])}"
            report += f" and {len(found) - 5} more." if len(found) > 5 else "."
            self._found.append(f"{report} Check the card (dmesg).")
            logger.error("The database: %s", report)
        return found

    def _note_damage(self, error: sqlite3.Error) -> None:
        if (getattr(error, "sqlite_errorcode", 0) & 0xFF) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return
        if DAMAGED not in self._found:
            self._found.append(DAMAGED)
            logger.error("The database: %s", DAMAGED)

    def _refusal(self, why: str, hint: str = HINT) -> NotSaved:
        self._refuse(why)
        return NotSaved(f"Not saved: {why}", hint=hint)

    def _refuse(self, why: str) -> None:
        if self._refused is None:
            logger.error("Nothing is saved: %s. %s What is said meanwhile is kept and saved later.", why, HINT)
        self._refused = why

    def _heal(self, waited: int) -> None:
        if self._refused is not None:
            self._refused = None
            logger.warning("The database can be written again: %d writes that waited are saved", waited)


def _is_refusal(error: sqlite3.Error) -> bool:
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in REFUSED


def _is_undecodable(error: Exception) -> bool:
    # Python's own error, without a code of SQLite's.
    return isinstance(error, msgspec.DecodeError) or "Could not decode to UTF-8" in str(error)


def _own(error: Exception) -> PiMemoryError:
    if isinstance(error, PiMemoryError):
        return error
    return StoreError(f"The database refused: {_name(error)}", hint=REPORT)


def _name(error: Exception) -> str:
    """SQLite's message, or the type of another error: never text of a user."""
    says_no_text = isinstance(error, sqlite3.Error | PiMemoryError) and not _is_undecodable(error)
    return str(error) if says_no_text else type(error).__name__
