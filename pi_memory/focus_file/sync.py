"""Synchronises RECENT_FOCUS.md with the topics: when it is read, when it is written, and which side wins."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path

from pi_memory.errors import PiMemoryError, StoreError
from pi_memory.focus_file.document import same_but_for_time
from pi_memory.focus_file.file import FocusFile, HandEdit
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.stability import SETTLE, Unsettled
from pi_memory.store import state
from pi_memory.store.database import Database

AGREED = "focus file"

WRITE_EVERY = 5.0
"""Seconds between two writes because the topic changed: each costs the card two syncs."""

RETRY = 12 * WRITE_EVERY
"""Seconds until a failed write is retried: there may be room on the disk again."""

WRITINGS = 3
"""Most writes in a row when each finds a late edit of the inode that it replaced."""

logger = logging.getLogger(__name__)


class FileSync:
    """`text` renders the topics as they are now; `take` applies an edit of the user and raises `StoreError`.

    Nothing is read or written before `start`.
    """

    def __init__(
        self,
        db: Database,
        path: Path,
        *,
        text: Callable[[], str],
        take: Callable[[HandEdit], Awaitable[None]],
        settle: float = SETTLE,
    ) -> None:
        self._db = db
        self._file = FocusFile(path, settle=settle)
        self._text = text
        self._take = take
        self._started = False
        self._lock = asyncio.Lock()
        self._busy: set[asyncio.Task[None]] = set()
        self._written_at = float("-inf")
        self._later: asyncio.Task[None] | None = None

    @property
    def agreed(self) -> str | None:
        """The text that the file and the topics last agreed on."""
        return self._file.agreed

    @property
    def problem(self) -> str | None:
        return self._file.problem

    async def load(self) -> str | None:
        """Load the agreed text of the last run."""
        self._file.agreed = await self._db.read(lambda db: state.get(db, AGREED))
        return self._file.agreed

    async def start(self) -> None:
        """Apply edits made while the daemon was off, and write the file if it is outdated."""
        self._started = True
        await self.write()

    async def close(self) -> None:
        """Write the file a last time. While the user saves it, the next start does that."""
        await self.write()
        if self._later is not None:
            self._later.cancel()
        if self._busy:
            await asyncio.wait(self._busy)
        self._file.close()

    async def read(self) -> None:
        """Apply the user's edit, if there is one."""
        if self._started:
            await self._whole(self._read())

    async def edit(self, text: str, *, base: str | None) -> None:
        """Apply a text, edited from `base`, as if it had been saved as the file. Raises `UnreadableDocument` and
        `StoreError`.
        """
        await self._whole(self._edit(text, base))

    @property
    def rejected(self) -> list[Path]:
        """Copies of what was saved as the focus file and is none."""
        return self._file.rejected

    async def write(self) -> None:
        """Bring the file up to date unless it is; later, while the user saves it."""
        if self._started:
            await self._whole(self._write())

    async def forget(self, clean: Callable[[str], str]) -> None:
        """Clean the file and all kept texts of it."""
        async with self._lock:
            self._file.forget(clean)
        await self.write()

    def write_anew(self) -> None:
        """Rewrite the file even if it is up to date."""
        self._file.must_write = True

    async def write_in_time(self) -> None:
        """Write the file now, or soon if it was written just now."""
        wait = self._written_at + WRITE_EVERY - asyncio.get_running_loop().time()
        if wait <= 0:
            self._written_at = asyncio.get_running_loop().time()
            await self.write()
        else:
            self._write_soon(wait)

    async def _whole(self, work: Coroutine[None, None, None]) -> None:
        """Run to the end even when the caller is cancelled: file, `agreed` and topics change together."""
        task = asyncio.create_task(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
        await asyncio.shield(task)

    async def _read(self) -> None:
        async with self._lock:
            try:
                await self._take_in()
            except Unsettled:
                return  # its next change is reported
        if self._file.must_write:
            await self._write()

    async def _edit(self, text: str, base: str | None) -> None:
        await self._read()
        async with self._lock:
            await self._take(self._file.edit(text, base))
        await self._write()

    async def _write(self) -> None:
        async with self._lock:
            try:
                await self._bring_up_to_date()
            except Unsettled:
                self._write_soon(WRITE_EVERY)

    async def _bring_up_to_date(self) -> None:
        """Write the file unless it is up to date. Raises `Unsettled`."""
        for _ in range(WRITINGS):
            # What the user wrote meanwhile must not be written over, neither before nor just after our writing.
            await self._take_in()
            text, agreed = self._text(), self._file.agreed
            must = self._file.must_write or self.problem is not None
            if agreed is not None and same_but_for_time(agreed, text) and not must:
                return
            if not await self._file.write(text):
                self._write_soon(RETRY)
                return
            # Not awaited: what the disk refuses is written later.
            self._db.write(partial(state.put, key=AGREED, value=text))

    async def _take_in(self) -> None:
        """Read the file and apply the edit. Raises `Unsettled`."""
        edit = await self._file.read()
        if edit is None:
            return
        try:
            await self._take(edit)
        except StoreError as error:
            logger.error("RECENT_FOCUS.md was edited, but that could not be stored: %s", error)
            return
        self._file.agreed = edit.agreed
        # A text that was opened long ago lacks what came since: it must not stay out of the file until the next change.
        shown = {entry.name for entry in parse(self._text()).entries}
        if edit.theirs.respelt or shown - {entry.name for entry in edit.theirs.entries}:
            self._file.must_write = True

    def _write_soon(self, seconds: float) -> None:
        if self._later is None or self._later.done():
            self._later = asyncio.create_task(self._write_later(seconds))

    async def _write_later(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._later = None  # this one may itself have to be done again later
        try:
            await self.write()
        except PiMemoryError as error:
            logger.error("RECENT_FOCUS.md could not be written: %s", error)
