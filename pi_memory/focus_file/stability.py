"""Decides when a file that an editor writes is stable: it must have been left alone for a while.

Editors save in place: they truncate the file, then write it, in one go or in several. In between it looks like a file
from which topics were removed.
"""

import errno
import fcntl
import os
import signal
import stat
from pathlib import Path

from msgspec import Struct, field

from pi_memory.atomic_file import read_at_most
from pi_memory.focus_file.document import Document
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.validate import LARGEST, UnreadableDocument

SETTLE = 0.3
"""Seconds without a change after which a file counts as saved."""

PERHAPS_CUT, RUINED, STILL_OPEN = 2.0, 3.5, 7.0
"""In units of SETTLE, for a file that lacks the end of the former text; for one that is no focus file; and for either
while a process still has it open for writing.
"""

PATIENCE = STILL_OPEN + 1
"""In units of SETTLE: longest wait for a file that keeps changing."""


class Unsettled(Exception):
    """The file is being written: read it again later and leave it alone until then."""


class Content(Struct, frozen=True):
    """A file's content, None when it is missing, and the identity of this state. Of a file that is too large `data` is
    the beginning.

    `is_closed`: no process has it open for writing.
    """

    data: bytes | None = None
    stamp: tuple[int, ...] = ()
    is_closed: bool = False

    def is_still(self, before: "Content | None") -> bool:
        """Whether nobody has written in between."""
        return before is not None and (self.data, self.stamp) == (before.data, before.stamp)


class FileVerdict(Struct, frozen=True):
    """The meaning of a file's content, and for how many times SETTLE it must be unchanged before that counts."""

    wait: float
    document: Document | None = None
    error: UnreadableDocument | None = None


class Quiet(Struct):
    """Measures how long a file has been unchanged, as far as we have seen it."""

    content: Content | None = None
    since: float = field(default=0.0)

    def seconds(self, content: Content, now: float) -> float:
        if not content.is_still(self.content):
            self.content, self.since = content, now
        return now - self.since


def judge(content: Content, base: str | None) -> FileVerdict:
    """The verdict on the content of a file that held `base` before."""
    if content.data is None:
        return FileVerdict(RUINED)
    try:
        document = parse(content.data, base=base)
    except UnreadableDocument as error:
        return FileVerdict(RUINED if content.is_closed else STILL_OPEN, error=error)
    # A file that was cut at the end of a line is a good one; but the end of the old one is missing.
    end = base.rpartition("\n\n")[2].strip() if base else ""
    if end in content.data.decode().replace("\r\n", "\n"):
        return FileVerdict(1.0, document)
    return FileVerdict(PERHAPS_CUT if content.is_closed else STILL_OPEN, document)


def opened(path: Path) -> int | None:
    """A descriptor for reading a file, None when it is missing. Raises `OSError`, also for a device or a pipe, which
    may have no end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # of a pipe nobody may ever open the other end
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is no file but a folder, a pipe or a device")


def content_of(descriptor: int | None) -> Content:
    """The current content of an open file. Raises OSError."""
    if descriptor is None:
        return Content()
    data, now = read_at_most(descriptor, LARGEST + 1), os.fstat(descriptor)
    return Content(data, (now.st_ino, now.st_mtime_ns, now.st_size), _is_closed(descriptor))


def _is_closed(descriptor: int) -> bool:
    """Whether no process has the file open for writing, as far as the system says.

    A read lease is granted only then (fcntl(2)). It is returned at once; a writer that opens the file just then waits
    so long.
    """
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # the signal is ignored
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except (OSError, AttributeError):  # not ours, or not on Linux
        return False
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True
