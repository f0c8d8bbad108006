"""One SQLite file, owned by one thread, with one open transaction that the writes of some seconds share.

A write survives a crash of this process once its group is committed: at most `commit_seconds` later, or with the 25th
exchange. `durable=True` commits at once and syncs the card before the future resolves. A write that the disk or a lock
refuses is kept and retried (`store/writer.py`).
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pi_memory.errors import NotSaved, RequestError, StoreError
from pi_memory.store.opening import open_file
from pi_memory.store.writer import GROUP_EXCHANGES, HINT, KeptWrite, Work, Writer

__all__ = ["GROUP_EXCHANGES", "Database", "Work"]

T = TypeVar("T")

RETRY_SECONDS = 10.0
"""Longest time between two retries of refused writes."""

logger = logging.getLogger(__name__)


class Database:
    """Runs functions of a `sqlite_utils.Database` on the writer thread, in the order of submission.

    Reads use the same connection, so they see earlier writes, committed or not.
    """

    def __init__(self, writer: Writer, thread: ThreadPoolExecutor, *, commit_seconds: float) -> None:
        self._writer = writer
        self._thread = thread
        self._commit_seconds = commit_seconds
        self._timer: asyncio.TimerHandle | None = None
        self._writable, self._refused = asyncio.Event(), asyncio.Event()
        self._closed = False
        self._follow()

    @classmethod
    async def open(cls, path: Path | None, *, commit_seconds: float = 10.0, now: float = 0.0) -> "Database":
        """Open, check and migrate the file. With None, or while the place cannot be written, the database is in RAM.

        `now` names the files that are put aside. `problem` then says what is wrong and what to do. Raises `StartError`
        for a file that a newer release or another program wrote.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        try:
            opened = await asyncio.get_running_loop().run_in_executor(thread, open_file, path, now)
        except BaseException:
            thread.shutdown(wait=False)
            raise
        writer = Writer(opened, path, at_once=not commit_seconds, now=now)
        return cls(writer, thread, commit_seconds=commit_seconds)

    @property
    def problem(self) -> str | None:
        """What is wrong and what to do, None when all is well."""
        return self._writer.problem

    @property
    def in_ram(self) -> bool:
        """Whether the database is in RAM, without a file or until the file can be opened."""
        return self._writer.in_ram

    @property
    def lost(self) -> int:
        """Number of exchanges that could not be saved."""
        return self._writer.lost

    def read(self, work: Work[T]) -> asyncio.Future[T]:
        """Run `work`, which must not write."""
        return self._submit(lambda: self._writer.read(work))

    def write(self, work: Work[T], *, durable: bool = False) -> asyncio.Future[T]:
        """Run `work` in the open group, all of it or nothing.

        The work runs whether or not the future is awaited. Raises `StoreError`; or `NotSaved` when the disk or a lock
        refuses it: then it is kept and run later, unless it is `durable`.
        """
        if durable:
            return self._submit(lambda: self._writer.write_durably(work))
        return self._grouped(KeptWrite(work))

    def put(self, work: Work[T]) -> asyncio.Future[T]:
        """Run `work`, which stores an exchange, in the open group. A refused one waits: the future resolves once it is
        stored.
        """
        done: Future[T] = Future()
        self._grouped(KeptWrite(work, done, is_exchange=True))
        future = asyncio.wrap_future(done)
        future.add_done_callback(_retrieve)
        return future

    def flush(self) -> asyncio.Future[None]:
        """Commit the open group."""
        return self._submit(self._writer.commit)

    async def writable(self) -> None:
        """Wait until no write is refused."""
        await self._writable.wait()

    async def refused(self) -> None:
        """Wait until a write is refused."""
        await self._refused.wait()

    def check_writable(self) -> None:
        """Raises `NotSaved` while writes are refused."""
        if (why := self._writer.refused) is not None:
            raise NotSaved(f"Not saved: {why}", hint=HINT)

    async def checkpoint(self) -> None:
        """Commit, and move the write-ahead log into the file."""
        await self._submit(self._writer.checkpoint)

    async def scrub(self) -> None:
        """Commit and empty the write-ahead log, so that erased text is in neither file.

        Raises `StoreError` when another program reads the log.
        """
        await self._submit(self._writer.scrub)

    async def close(self) -> None:
        """Commit and close. Idempotent."""
        if self._closed:
            return
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        await self._submit(self._writer.close)
        self._thread.shutdown()

    def _grouped(self, kept: KeptWrite) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._submit(lambda: self._writer.write(kept))
        self._arm()
        return future

    def _submit(self, call: Callable[[], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        try:
            running = self._thread.submit(call)
        except RuntimeError as error:  # the thread has been shut down
            raise StoreError(
                "The database is closed", hint="The daemon is stopping; try again when it is up."
            ) from error
        future = asyncio.wrap_future(running, loop=loop)
        future.add_done_callback(lambda done: self._follow())
        future.add_done_callback(_retrieve)
        # Who waits may be cancelled; what is queued is done all the same.
        awaited = asyncio.shield(future)
        awaited.add_done_callback(lambda done: done.cancelled() or done.exception())
        return awaited

    def _follow(self) -> None:
        """Update whether writes are refused, and schedule a retry if so."""
        if self._writer.refused is None:
            self._writable.set()
            self._refused.clear()
            return
        if self._writable.is_set() and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._writable.clear()
        self._refused.set()
        self._arm()

    def _arm(self) -> None:
        """Schedule the commit of the group, repeatedly while it is refused."""
        if self._timer is None and not self._closed:
            seconds = self._commit_seconds if self._writer.refused is None else self._retry_seconds
            self._timer = asyncio.get_running_loop().call_later(seconds, self._timed_commit)

    @property
    def _retry_seconds(self) -> float:
        return min(self._commit_seconds, RETRY_SECONDS) or RETRY_SECONDS

    def _timed_commit(self) -> None:
        self._timer = None
        self.flush().add_done_callback(lambda done: self._arm() if done.exception() else None)


def _retrieve(future: "asyncio.Future[T]") -> None:
    """Log a failure that nobody awaits, in place of the garbage collector's warning; except errors of a client, and
    refusals, which are logged once when they begin.
    """
    if not future.cancelled() and (error := future.exception()) and not isinstance(error, RequestError | NotSaved):
        logger.warning("%s", error)
