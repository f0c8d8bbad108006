"""When a file that somebody else writes is judged: not before it has been left alone for a while.

Editors save in place: they cut the file to nothing, then write it, in one go or in several. A file in between looks
like one from which topics were removed.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

from pi_memory.focus.document import Document, UnreadableDocument
from pi_memory.focus.parse import parse

SETTLE = 0.3
"""Seconds without a change after which a file is taken for saved."""

PERHAPS_CUT, RUINED, PATIENCE = 2.0, 3.5, 4.5
"""In units of SETTLE: how long a file is left alone that lacks the end of what was there; that is no focus file; and
how long one that keeps changing is waited for."""


class Unsettled(Exception):
    """The file is being written by somebody else: look again later, and leave it alone until then."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds, None when it is missing, and what tells this state of it from others."""

    data: bytes | None = None
    stamp: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
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


def judge(data: bytes | None, base: str | None) -> Judgement:
    """What a file means that held `base` before."""
    if data is None:
        return Judgement(RUINED)
    try:
        document = parse(data, base=base)
    except UnreadableDocument as error:
        return Judgement(RUINED, error=error)
    # A file that was cut at the end of a line is a good one; but the end of the old one is missing.
    whole = base is None or base.rpartition("\n\n")[2].encode() in data
    return Judgement(1.0 if whole else PERHAPS_CUT, document)


def opened(path: Path) -> int | None:
    """A descriptor to read a file with, None when it is missing. Raises OSError."""
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None


def content_of(descriptor: int | None) -> Content:
    """What an open file holds now. Raises OSError."""
    if descriptor is None:
        return Content()
    stat = os.fstat(descriptor)
    data = b""
    while piece := os.pread(descriptor, 1 << 20, len(data)):
        data += piece
    return Content(data, (stat.st_ino, stat.st_mtime_ns, stat.st_size))
