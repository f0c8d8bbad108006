"""RECENT_FOCUS.md on disk: its agreed text, and whether the user has changed it since."""

import asyncio
import logging
import os
import stat
import time
from collections import deque
from pathlib import Path

from msgspec import Struct, field

from pi_memory.atomic_file import commit, prepare
from pi_memory.focus_file.document import Clean, Document, lines
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.rejected import Rejected
from pi_memory.focus_file.stability import PATIENCE, SETTLE, Quiet, Unsettled, content_of, judge, opened
from pi_memory.focus_file.validate import LARGEST, UnreadableDocument

REMEMBERED = 16
"""Most written texts that are kept as possible bases of an edit: an editor may have one of them open."""

logger = logging.getLogger(__name__)


class HandEdit(Struct, frozen=True):
    """The user's text and the text that they changed. `base` is None when that is not known, as of a text opened long
    ago: then nothing missing was removed.

    `agreed` is the text that both sides have once the edit is applied: the content of the file.
    """

    agreed: str
    theirs: Document
    base: Document | None


class InTheWay(Exception):
    """Something in the file's place that is left alone; says why, and what to do."""


class Replaced(Struct):
    """The inode that our last write replaced. An editor that has it open may still write to it."""

    descriptor: int
    data: bytes | None
    base: str | None
    quiet: Quiet = field(default_factory=Quiet)


class FocusFile:
    """Reads and writes the file. `agreed` is the text that both sides last had; the caller keeps it across restarts.
    `settle` is in seconds.
    """

    def __init__(self, path: Path, *, settle: float = SETTLE) -> None:
        self.path = path
        self._texts: deque[str] = deque(maxlen=REMEMBERED)
        self.must_write = False
        self._in_the_way: str | None = None
        self._failed: str | None = None
        self._rejected = Rejected(path)
        self._settle = settle
        self._quiet = Quiet()
        self._judged: bytes | None = None
        self._replaced: Replaced | None = None

    @property
    def agreed(self) -> str | None:
        return self._texts[-1] if self._texts else None

    @agreed.setter
    def agreed(self, text: str | None) -> None:
        self._texts.extend([] if text is None else [text])

    def forget(self, clean: Clean) -> None:
        """Clean the kept bases and the rejected copies; the file has to be written again."""
        self._texts = deque((lines(text, clean) for text in self._texts), maxlen=REMEMBERED)
        self.must_write = True
        self._rejected.rewrite(lambda text: lines(text, clean))

    @property
    def problem(self) -> str | None:
        """What is wrong with the file and what to do; also names rejected copies."""
        copies = ", ".join(map(str, self._rejected.paths()))
        left = (
            f"{copies}: saved as the focus file, but not one; put what you want of it into {self.path}, then remove it"
        )
        return "; ".join(filter(None, (self._in_the_way, self._failed, left if copies else None))) or None

    async def read(self) -> HandEdit | None:
        """The user's edit, if there is one, once it is saved.

        A file that is missing or is no focus file changes nothing: its content is kept beside it as `.rejected`, and
        `must_write` asks for a new one. A content that cannot be kept is left alone, and `problem` says so. Raises
        `Unsettled` when the file is still being written after a while.
        """
        ends = time.monotonic() + PATIENCE * self._settle
        while True:
            now = time.monotonic()
            try:
                edit = await asyncio.to_thread(self._look, now)
                self._in_the_way = None
                return edit
            except InTheWay as error:
                self._leave_alone(str(error))
                return None
            except Unsettled:
                if now >= ends:
                    raise
            await asyncio.sleep(self._settle / 6)

    def edit(self, text: str, base: str | None) -> HandEdit:
        """The edit of a text that a user sends instead of saving it. Raises `UnreadableDocument`."""
        before = None if base is None else parse(base)
        document = parse(text, base=base)
        self.must_write = True
        return HandEdit(self.agreed or "", document, before or self._base(document))

    @property
    def rejected(self) -> list[Path]:
        """Copies of what was saved as the focus file and is none."""
        return self._rejected.paths()

    async def write(self, text: str) -> bool:
        """Write the file atomically and synced. Where that is not possible, `problem` says so.

        Raises `Unsettled`, and leaves the file alone, when it has changed since it was read.
        """
        if self._in_the_way:
            return False
        try:
            await asyncio.to_thread(self._replace, text)
        except OSError as error:
            if self._failed is None:
                logger.error("Cannot write %s: %s", self.path, error)
            self._failed = f"cannot write {self.path} ({error.strerror}): make its folder writable"
            return False
        self.agreed, self._failed, self.must_write = text, None, False
        self._judged = text.encode()[: LARGEST + 1]
        return True

    def _leave_alone(self, why: str) -> None:
        if why != self._in_the_way:
            logger.error("Not written: %s", why)
        self._in_the_way = why

    def close(self) -> None:
        """Stop watching the replaced inode. Idempotent."""
        replaced, self._replaced = self._replaced, None
        if replaced is not None:
            os.close(replaced.descriptor)

    # In a thread; the caller sees to it that there is one at a time.

    def _look(self, now: float) -> HandEdit | None:
        try:
            if self._replaced is not None and (late := self._late(self._replaced, now)) is not None:
                return late
            descriptor = opened(self.path)
            try:
                return self._found(descriptor, now)
            finally:
                if descriptor is not None:
                    os.close(descriptor)
        except OSError as error:
            self.close()  # it may be the replaced one that cannot be read
            raise InTheWay(f"cannot read {self.path} ({error.strerror}): move it away, or make it readable") from error

    def _found(self, descriptor: int | None, now: float) -> HandEdit | None:
        content = content_of(descriptor)
        if content.data == (None if self.agreed is None else self.agreed.encode()[: LARGEST + 1]):
            self._judged = content.data
            return None
        found = judge(content, self.agreed)
        if self._quiet.seconds(content, now) < found.wait * self._settle:
            raise Unsettled
        self._judged = content.data
        if content.data is not None and found.document is not None:
            return HandEdit(content.data.decode(), found.document, self._base(found.document))
        if descriptor is not None and found.error is not None:
            self._reject(descriptor, found.error)
        self.must_write = True
        return None

    def _base(self, theirs: Document) -> Document | None:
        """The text that the user edited. An editor may save a text that it opened a while ago, which lacks topics
        tagged since. The line `Last updated` identifies it, unless the user removed that.
        """
        texts = (parse(text) for text in reversed(self._texts))
        return next((text for text in texts if theirs.updated_at in (None, text.updated_at)), None)

    def _late(self, old: Replaced, now: float) -> HandEdit | None:
        """An edit that was written to the replaced inode by an editor that had it open."""
        content = content_of(old.descriptor)
        if content.data == old.data:
            return None
        found = judge(content, old.base)
        if old.quiet.seconds(content, now) < found.wait * self._settle:
            raise Unsettled
        if found.error is not None and content.data and content.data.strip():
            self._set_aside(old.descriptor, found.error)
        base, old.data = old.base, content.data
        if found.document is None or content.data is None:
            return None
        old.base, self.must_write = content.data.decode(), True
        return HandEdit(self.agreed or "", found.document, parse(base) if base else None)

    def _replace(self, text: str) -> None:
        """Replace the file if it has not changed. A write after this check goes to the old inode, where `_late` finds
        it.
        """
        path = Path(os.path.realpath(self.path))  # a link stays one
        prepared = prepare(path, text)
        descriptor: int | None = None
        try:
            descriptor = opened(path)
            if content_of(descriptor).data != self._judged:
                raise Unsettled
            if descriptor is not None:
                prepared.chmod(stat.S_IMODE(os.fstat(descriptor).st_mode))  # who may read it is the user's to say
            commit(prepared, path)
        except BaseException:
            prepared.unlink(missing_ok=True)
            if descriptor is not None:
                os.close(descriptor)
            raise
        self.close()
        if descriptor is not None:
            self._replaced = Replaced(descriptor, self._judged, self.agreed)

    def _reject(self, descriptor: int, error: UnreadableDocument) -> None:
        """Put a content aside. Raises `InTheWay` when it cannot be kept, and for a linked file of the user's that is no
        focus file.
        """
        if self.path.is_symlink() and os.fstat(descriptor).st_size:
            raise InTheWay(
                f"{self.path} is a link to a file that is no focus file: remove the link, or empty that file"
            )
        self._set_aside(descriptor, error)

    def _set_aside(self, descriptor: int, error: UnreadableDocument) -> None:
        try:
            copy = self._rejected.keep(descriptor)
        except OSError as failed:
            why = f"no focus file is at {self.path}, and its text cannot be set aside ({failed.strerror})"
            raise InTheWay(f"{why}: move it away, or remove rejected texts that you have looked at") from failed
        if copy is not None:
            logger.warning("%s. %s It is %s.", error.message, error.hint, copy)
