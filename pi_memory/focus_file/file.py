"""RECENT_FOCUS.md on disk: what the file and we last agreed on, and whether the user has changed it since."""

import asyncio
import logging
import os
import stat
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from pi_memory.atomic_file import commit, prepare
from pi_memory.focus_file.document import Clean, Document, lines
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.rejected import Rejected
from pi_memory.focus_file.stability import PATIENCE, SETTLE, Quiet, Unsettled, content_of, judge, opened
from pi_memory.focus_file.validate import LARGEST, UnreadableDocument

REMEMBERED = 16
"""Texts that the user may still have in an editor."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandEdit:
    """The file as the user left it, beside the text that they changed; no `base` when that is not known, as of a text
    that was opened long ago: what it lacks was not taken out of it.

    `agreed` is what both sides have once the edit is taken in: what the file holds.
    """

    agreed: str
    theirs: Document
    base: Document | None


class InTheWay(Exception):
    """What stands in the file's place is left alone; says why, and what to do."""


@dataclass(slots=True)
class Replaced:
    """The file that ours took the place of. An editor that had it open may still write to it."""

    descriptor: int
    data: bytes | None
    base: str | None
    quiet: Quiet = field(default_factory=Quiet)


class FocusFile:
    """`agreed` is the text that both sides last had; the caller keeps it across restarts. `settle` is in seconds."""

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
        """Clean the texts that the user may still have in an editor, and what was put aside; the file is to be written
        again.
        """
        self._texts = deque((lines(text, clean) for text in self._texts), maxlen=REMEMBERED)
        self.must_write = True
        self._rejected.rewrite(lambda text: lines(text, clean))

    @property
    def problem(self) -> str | None:
        """What is wrong with the file and what to do about it, also what was rejected and not yet looked at."""
        copies = ", ".join(map(str, self._rejected.paths()))
        left = (
            f"{copies}: saved as the focus file, but not one; put what you want of it into {self.path}, then remove it"
        )
        return "; ".join(filter(None, (self._in_the_way, self._failed, left if copies else None))) or None

    async def read(self) -> HandEdit | None:
        """What the user changed, if anything, once they have saved it.

        A file that is missing or is no focus file changes nothing: what is left of it is kept beside it as `.rejected`,
        and `must_write` asks for it to be written again. What cannot be kept is left alone, and `problem` says so.
        Raises `Unsettled` when it is still being written after a while.
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

    async def write(self, text: str) -> bool:
        """Write the file atomically and synced; where that is not possible, `problem` says so.

        Raises `Unsettled`, and leaves the file alone, when it is not what was read last.
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
        """Look no more for late changes of the file that was replaced. Idempotent."""
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
        """What the user had before them: an editor may save over ours what it had opened a while ago, and what has been
        tagged since is missing there though nobody took it out. The date tells, unless the user took that out."""
        texts = (parse(text) for text in reversed(self._texts))
        return next((text for text in texts if theirs.updated_at in (None, text.updated_at)), None)

    def _late(self, old: Replaced, now: float) -> HandEdit | None:
        """What was written to the file that is no longer there: by somebody who had opened it before we replaced it."""
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
        """The last look is just before the rename; what is written to the old file after it is found by `_late`."""
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
        """Raises `InTheWay` for what cannot be kept, and for another file of the user's that a link leads to."""
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
