"""When a file that somebody else writes is judged: not before it has been left alone for a while.

Editors save in place: they cut the file to nothing, then write it, in one go or in several. A file in between looks
like one from which topics were removed.
"""

import errno
import fcntl
import os
import signal
import stat
from dataclasses import dataclass, field
from pathlib import Path

from pi_memory.atomic_file import read_at_most
from pi_memory.focus_file.document import Document
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.validate import LARGEST, UnreadableDocument

SETTLE = 0.3
"""Seconds without a change after which a file is taken for saved."""

PERHAPS_CUT, RUINED, STILL_OPEN = 2.0, 3.5, 7.0
"""In units of SETTLE: how long a file is left alone that lacks the end of what was there; that is no focus file; and
that is one of these and still open to somebody who may write to it."""

PATIENCE = STILL_OPEN + 1
"""In units of SETTLE: how long a file that keeps changing is waited for."""


class Unsettled(Exception):
    """The file is being written by somebody else: look again later, and leave it alone until then."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds, None when it is missing, and what tells this state of it from others. Of one that is too large
    `data` is the beginning.

    `is_closed`: nobody has it open to write to it.
    """

    data: bytes | None = None
    stamp: tuple[int, ...] = ()
    is_closed: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """What a file's content means, and how many times SETTLE it must have been there for that to count."""

    wait: float
    document: Document | None = None
    error: UnreadableDocument | None = None


@dataclass(slots=True)
class Quiet:
    """How long a file has been as it is, as far as we have seen it."""

    content: Content | None = None
    since: float = field(default=0.0)

    def seconds(self, content: Content, now: float) -> float:
        if content != self.content:
            self.content, self.since = content, now
        return now - self.since


def judge(content: Content, base: str | None) -> FileVerdict:
    """What a file means that held `base` before."""
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
    """A descriptor to read a file with, None when it is missing. Raises `OSError`, also for what is no file: a device
    or a pipe may have no end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # of a pipe nobody may ever open the other end
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is no file but a folder, a pipe or a device")


def content_of(descriptor: int | None) -> Content:
    """What an open file holds now. Raises OSError."""
    if descriptor is None:
        return Content()
    data, now = read_at_most(descriptor, LARGEST + 1), os.fstat(descriptor)
    return Content(data, (now.st_ino, now.st_mtime_ns, now.st_size), _is_closed(descriptor))


def _is_closed(descriptor: int) -> bool:
    """Whether nobody has the file open to write to it, as far as the system tells.

    A lease to read is given only then (fcntl(2)), and handed back at once; a writer that comes just now waits so long.
    """
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # what it would tell us is ignored
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except (OSError, AttributeError):  # not ours, or not on Linux
        return False
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True
