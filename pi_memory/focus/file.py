"""RECENT_FOCUS.md on disk: what the file and we last agreed on, and whether the user has changed it since."""

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path

from pi_memory.files import write_atomically
from pi_memory.focus.document import Document, UnreadableDocument
from pi_memory.focus.parse import parse

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandEdit:
    """The file as the user left it, beside the text that they changed; no `base` when that is not known."""

    text: str
    theirs: Document
    base: Document | None


class FocusFile:
    """`agreed` is the text that both sides last had; the caller keeps it across restarts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.agreed: str | None = None
        self.problem: str | None = None
        self.must_write = False

    async def read(self) -> HandEdit | None:
        """What the user changed, if anything.

        A file that is missing or is no focus file changes nothing: what is left of it is kept beside it as `.rejected`,
        and `must_write` asks for it to be written again.
        """
        data = await asyncio.to_thread(self._bytes)
        if data is None:
            self.must_write = self.agreed is not None
            return None
        if self.agreed is not None and data == self.agreed.encode():
            return None
        try:
            theirs = parse(data, base=self.agreed)
        except UnreadableDocument as error:
            await asyncio.to_thread(self._reject, data, error)
            return None
        return HandEdit(data.decode(errors="replace"), theirs, parse(self.agreed) if self.agreed else None)

    async def write(self, text: str) -> None:
        """Write the file atomically and synced; where that is not possible, `problem` says so."""
        try:
            await asyncio.to_thread(write_atomically, self.path, text)
        except OSError as error:
            if self.problem is None:
                logger.error("Cannot write %s: %s", self.path, error)
            self.problem = f"cannot write {self.path} ({error.strerror}): make its folder writable"
            return
        self.agreed, self.problem, self.must_write = text, None, False

    def _bytes(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            logger.warning("Cannot read %s: %s", self.path, error)
            return None

    def _reject(self, data: bytes, error: UnreadableDocument) -> None:
        self.must_write = True
        rejected = self.path.with_name(f"{self.path.name}.rejected")
        logger.warning("%s %s What it held is kept as %s.", error.message, error.hint, rejected)
        try:
            rejected.write_bytes(data)
        except OSError as failed:
            logger.warning("Cannot write %s: %s", rejected, failed)
