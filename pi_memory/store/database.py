"""One SQLite file, one thread that owns it, one open transaction that the writes of some seconds share.

A write survives a crash of this process from its group's commit on: at the latest `commit_seconds` later, or with the
25th exchange. `durable=True` commits at once and syncs the card before the future resolves.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import sqlite_utils

from pi_memory.errors import RequestError, StoreError
from pi_memory.store.opening import Opened, open_file

T = TypeVar("T")
Work = Callable[[sqlite_utils.Database], T]

GROUP_EXCHANGES = 25
"""Exchanges that a group holds at most (3.8 bytes written per byte of payload; single commits write 57)."""

RETRY_WORK = 1_000
"""Writes that are kept to be run again when a full disk rolled their group back."""

logger = logging.getLogger(__name__)


class Database:
    """Runs functions that take a `sqlite_utils.Database` on the writer thread, in the order of their submission.

    Reads run on the same connection, so they see what was written before them, committed or not.
    """

    def __init__(self, opened: Opened, thread: ThreadPoolExecutor, *, commit_seconds: float) -> None:
        self._found = opened.problem
        self._refused: str | None = None
        self.in_ram = opened.in_ram
        self._db = opened.db
        self._thread = thread
        self._commit_seconds = commit_seconds
        self._timer: asyncio.TimerHandle | None = None
        self._group: list[Work[object]] = []
        self._exchanges = 0
        self._closed = False

    @classmethod
    async def open(cls, path: Path | None, *, commit_seconds: float = 10.0, now: float = 0.0) -> "Database":
        """Open, check and migrate the file; None, or a place that cannot be written, gives a database in RAM.

        `now` names the files that are put aside. `problem` then says what is wrong and what to do.
        Raises `StartError` for a file that a newer release wrote.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        try:
            opened = await asyncio.get_running_loop().run_in_executor(thread, open_file, path, now)
        except BaseException:
            thread.shutdown(wait=False)
            raise
        return cls(opened, thread, commit_seconds=commit_seconds)

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do, None when all is well."""
        return self._refused or self._found

    def read(self, work: Work[T]) -> asyncio.Future[T]:
        """Run `work`, which must not write."""
        return self._submit(lambda: self._guard(lambda: work(self._db)))

    def write(self, work: Work[T], *, durable: bool = False, exchange: bool = False) -> asyncio.Future[T]:
        """Run `work` in the open group, all of it or nothing. `exchange` counts towards the group's 25.

        The work starts whether or not the future is awaited. Raises `StoreError`.
        """
        future = self._submit(lambda: self._guard(lambda: self._write(work, durable=durable, exchange=exchange)))
        if not durable:
            self._arm()
        return future

    def flush(self) -> asyncio.Future[None]:
        """Commit the open group."""
        return self._submit(lambda: self._guard(self._commit))

    async def checkpoint(self) -> None:
        """Commit, and move the write-ahead log into the file."""
        await self._submit(lambda: self._guard(self._checkpoint))

    async def scrub(self) -> None:
        """Commit, and empty the write-ahead log: what was erased is in neither file any more.

        Raises `StoreError` when another program reads the log.
        """
        await self._submit(lambda: self._guard(self._scrub))

    async def close(self) -> None:
        """Commit and close. Idempotent."""
        if self._closed:
            return
        try:
            await self.flush()
        except StoreError as error:
            logger.error("The last writes could not be committed: %s", error)
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        await self._submit(self._db.close)
        self._thread.shutdown()

    def _submit(self, call: Callable[[], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        try:
            future = loop.run_in_executor(self._thread, call)
        except RuntimeError as error:  # the thread has been shut down
            raise StoreError(
                "The database is closed", hint="The daemon is stopping; try again when it is up."
            ) from error
        future.add_done_callback(_retrieve)
        return future

    def _arm(self) -> None:
        """Have the group committed when its time is up; again and again, while the disk is full."""
        if self._timer is None and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(self._commit_seconds, self._timed_commit)

    def _timed_commit(self) -> None:
        self._timer = None
        self.flush().add_done_callback(lambda done: self._arm() if done.exception() else None)

    # What follows runs on the writer thread.

    def _write(self, work: Work[T], *, durable: bool, exchange: bool) -> T:
        if durable:
            return self._write_durably(work)
        try:
            self._begin()
            with self._db.atomic():
                result = work(self._db)
        except sqlite3.OperationalError:
            # A full disk: the work waits for room, with what its group had before.
            self._group.append(work)
            raise
        self._group.append(work)
        self._exchanges += exchange
        if self._exchanges >= GROUP_EXCHANGES or not self._commit_seconds:
            self._commit()
        return result

    def _write_durably(self, work: Work[T]) -> T:
        self._commit()
        self._db.execute("pragma synchronous = full")
        try:
            with self._db.atomic():
                return work(self._db)
        finally:
            self._db.execute("pragma synchronous = normal")

    def _begin(self) -> None:
        if self._db.conn.in_transaction:
            return
        self._db.begin()
        # A group that was rolled back under us is run again before anything new.
        try:
            for work in self._group:
                with self._db.atomic():
                    work(self._db)
        except sqlite3.Error:
            self._db.rollback()
            raise

    def _checkpoint(self) -> None:
        self._commit()
        self._db.execute("pragma wal_checkpoint(passive)").fetchall()

    def _scrub(self) -> None:
        self._commit()
        busy, *_ = self._db.execute("pragma wal_checkpoint(truncate)").fetchone()
        if busy:
            raise StoreError(
                "What was erased is still in the log of the database, as another program reads it",
                hint="End that program, then do this once more.",
            )

    def _commit(self) -> None:
        if self._group:
            self._begin()
        # Also when there is nothing in it: work that failed leaves an open transaction.
        if self._db.conn.in_transaction:
            self._db.commit()
        self._group.clear()
        self._exchanges = 0
        self._refused = None

    def _guard(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError) as error:
            raise StoreError(f"The database refused: {error}", hint="Please report this.") from error
        except sqlite3.Error as error:
            del self._group[:-RETRY_WORK]
            hint = "Free some space on its disk, make it writable, and check the card (dmesg)."
            self._refused = f"the database cannot be written ({error}). {hint}"
            raise StoreError(f"The database refused: {error}", hint=hint) from error


def _retrieve(future: "asyncio.Future[T]") -> None:
    """Log a failure that nobody awaits, instead of a warning by the garbage collector; not what a client did wrong."""
    if not future.cancelled() and (error := future.exception()) and not isinstance(error, RequestError):
        logger.warning("%s", error)
