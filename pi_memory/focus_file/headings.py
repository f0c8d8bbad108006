"""The headings of RECENT_FOCUS.md, recognised also when misspelt. Pure."""

import re
from collections.abc import Sequence

from pi_memory.focus_file.document import GENERATED
from pi_memory.text.spelling import typos

TITLE = re.compile(r"#{1,6}\W*recent\s+focus\W*", re.IGNORECASE)
HEADING = re.compile(r"#{1,6}\s+(\S.*)")
SECTIONS = ("active", "fading")
UPDATED = re.compile(r">\s*Last updated:\s*(\S*)(.*)")
MARKS = re.compile(r"[\u0300-\u036f]")
"""Marks that stand above or below a letter: `İ` in small letters is two characters."""

TITLE_TYPOS, SECTION_TYPOS = 2, 1
"""Most typos (a letter wrong, missing, added or swapped) in the title and in a section's heading."""


def title(lines: Sequence[str]) -> int | None:
    """Number of the title's line: found by its text, else by the lines below it."""
    exact = (number for number, line in enumerate(lines) if TITLE.fullmatch(line))
    close = (number for number, line in enumerate(lines) if _is_close(line, "recent focus", TITLE_TYPOS))
    return next(exact, next(close, _above_ours(lines)))


def section(heading: str) -> str | None:
    """`active` or `fading` for the text of such a heading, else None."""
    return next((name for name in SECTIONS if _is_close(heading, name, SECTION_TYPOS)), None)


def is_exact(heading: str) -> bool:
    """Whether a section's heading is spelt correctly."""
    return heading.strip(" \t:#").lower() in SECTIONS


def _above_ours(lines: Sequence[str]) -> int | None:
    above: int | None = None
    for number, line in enumerate(lines):
        if line == GENERATED or UPDATED.fullmatch(line):
            return above
        if line:
            above = number if HEADING.fullmatch(line) else None
    return None


def _is_close(line: str, wanted: str, most: int) -> bool:
    if len(line) > 4 * len(wanted):
        return False
    words = " ".join(re.findall(r"\w+", MARKS.sub("", line.lower())))
    return typos(words, wanted) <= most
