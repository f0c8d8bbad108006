"""RECENT_FOCUS.md on disk: what the file and we last agreed on, and whether the user has changed it since."""

import asyncio
import logging
import os
import shutil
import stat
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from pi_memory.files import commit, prepare
from pi_memory.focus.document import Clean, Document, lines
from pi_memory.focus.intact import LARGEST, UnreadableDocument
from pi_memory.focus.parse import parse
from pi_memory.focus.settling import PATIENCE, SETTLE, Content, Quiet, Unsettled, content_of, judge, opened

REMEMBERED = 16
"""Texts that the user may still have in an editor."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandEdit:
    """The file as the user left it, beside the text that they changed; no `base` when that is not known.

    `agreed` is what both sides have once the edit is taken in: what the file holds.
    """

    agreed: str
    theirs: Document
    base: Document | None


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
        self.problem: str | None = None
        self.must_write = False
        self._settle = settle
        self._quiet = Quiet()
        self._judged: bytes | None = None
        self._rejected: bytes | None = None
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
        rejected = self.path.with_name(f"{self.path.name}.rejected")
        try:
            text = rejected.read_text(encoding="utf-8", errors="replace") if rejected.is_file() else ""
            if (left := lines(text, clean)) != text:
                rejected.write_text(left, encoding="utf-8")
        except OSError as error:
            logger.warning("Cannot rewrite %s: %s", rejected, error)

    async def read(self) -> HandEdit | None:
        """What the user changed, if anything, once they have saved it.

        A file that is missing or is no focus file changes nothing: what is left of it is kept beside it as `.rejected`,
        and `must_write` asks for it to be written again. Raises `Unsettled` when it is still being written after a
        while.
        """
        ends = time.monotonic() + PATIENCE * self._settle
        while True:
            now = time.monotonic()
            try:
                return await asyncio.to_thread(self._look, now)
            except Unsettled:
                if now >= ends:
                    raise
            await asyncio.sleep(self._settle / 6)

    async def write(self, text: str) -> bool:
        """Write the file atomically and synced; where that is not possible, `problem` says so.

        Raises `Unsettled`, and leaves the file alone, when it is not what was read last.
        """
        try:
            await asyncio.to_thread(self._replace, text)
        except OSError as error:
            if self.problem is None:
                logger.error("Cannot write %s: %s", self.path, error)
            self.problem = f"cannot write {self.path} ({error.strerror}): make its folder writable"
            return False
        self.agreed, self.problem, self.must_write = text, None, False
        self._judged, self._rejected = text.encode()[: LARGEST + 1], None
        return True

    def close(self) -> None:
        """Look no more for late changes of the file that was replaced. Idempotent."""
        replaced, self._replaced = self._replaced, None
        if replaced is not None:
            os.close(replaced.descriptor)

    # In a thread; the caller sees to it that there is one at a time.

    def _look(self, now: float) -> HandEdit | None:
        if self._replaced is not None and (late := self._late(self._replaced, now)) is not None:
            return late
        content = self._content()
        if content.data == (None if self.agreed is None else self.agreed.encode()[: LARGEST + 1]):
            self._judged = content.data
            return None
        found = judge(content, self.agreed)
        if self._quiet.seconds(content, now) < found.wait * self._settle:
            raise Unsettled
        self._judged = content.data
        if content.data is None or found.document is None:
            self._reject(content.data, found.error)
            return None
        return HandEdit(content.data.decode(), found.document, self._base(found.document))

    def _base(self, theirs: Document) -> Document | None:
        """What the user had before them: an editor may save over ours what it had opened a while ago, and what has been
        tagged since is missing there though nobody took it out."""
        if self.agreed is None:
            return None
        texts = [parse(text) for text in self._texts]
        return next((text for text in reversed(texts) if text.updated_at == theirs.updated_at), texts[-1])

    def _late(self, old: Replaced, now: float) -> HandEdit | None:
        """What was written to the file that is no longer there: by somebody who had opened it before we replaced it."""
        content = content_of(old.descriptor)
        if content.data == old.data:
            return None
        found = judge(content, old.base)
        if old.quiet.seconds(content, now) < found.wait * self._settle:
            raise Unsettled
        base, old.data = old.base, content.data
        if found.document is None or content.data is None:
            return None
        old.base, self.must_write = content.data.decode(), True
        return HandEdit(self.agreed or "", found.document, parse(base) if base else None)

    def _content(self) -> Content:
        try:
            descriptor = opened(self.path)
            try:
                return content_of(descriptor)
            finally:
                if descriptor is not None:
                    os.close(descriptor)
        except OSError as error:
            logger.warning("Cannot read %s: %s", self.path, error)
            return Content()

    def _replace(self, text: str) -> None:
        """The last look is just before the rename; what is written to the old file after it is found by `_late`."""
        path = Path(os.path.realpath(self.path))  # a link stays one
        prepared = prepare(path, text)
        descriptor = opened(self.path)
        try:
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

    def _reject(self, data: bytes | None, error: UnreadableDocument | None) -> None:
        self.must_write = True
        if data is None or error is None or data == self._rejected:
            return
        self._rejected = data
        rejected = self.path.with_name(f"{self.path.name}.rejected")
        logger.warning("%s. %s It is %s.", error.message, error.hint, rejected)
        if not data.strip() and rejected.exists():
            return  # there may be something in that one
        try:
            shutil.copyfile(self.path, rejected)
        except OSError as failed:
            logger.warning("Cannot write %s: %s", rejected, failed)
