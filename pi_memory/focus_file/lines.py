"""Parsing of single lines of RECENT_FOCUS.md, as people leave them. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from pi_memory.decay import DAY
from pi_memory.focus_file.document import Entry
from pi_memory.topics.display import HOUR
from pi_memory.topics.names import merge, normalise

ALL = 1_000

BULLET = re.compile(r"(?:[-*+•–]|[0-9]{1,3}[.)])\s+(?:\[[ xX]?\]\s+)?(.*)")
BOLD = re.compile(r"(?P<ahead>[^\w|*]*)(\*\*|__)(?P<name>.+?)\2(?P<behind>.*)")
STRUCK = "~~"
ENDS = (".", "!", "?", ":", ";", ",")
BETWEEN = " \t,;:–—-"
FIGURE = re.compile(
    r"(?:(?P<sessions>[0-9]{1,6})\s{0,3}sessions?\b"
    r"|last:\s{0,3}(?:(?P<now>just now)|(?P<ago>[0-9]{1,6})\s{0,3}(?P<unit>[hdw])[a-z]{0,9}\s{1,3}ago)"
    r"|strength:\s{0,3}(?P<strength>[01](?:\.[0-9]{1,6})?)(?![0-9.]))"
    rf"[{BETWEEN}]*",
    re.IGNORECASE,
)
UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY}


def topic_in(line: str, *, needs_figures: bool) -> tuple[Entry, str] | None:
    """The topic of a bullet and the user's other text on its line; None for a note and for struck-out text.

    A name alone makes a topic unless it `needs_figures`, such as the count of sessions.
    """
    bullet = BULLET.fullmatch(line.strip())
    if bullet is None or bullet[1].startswith(STRUCK):
        return None
    head, bar, rest = bullet[1].partition("|")
    entry, rest = _with_figures(rest)
    bold = BOLD.fullmatch(head.strip())
    if (needs_figures and not entry.stats) or not (bold or bar or _is_short(head)):
        return None
    name = normalise(bold["name"] if bold else head)
    if name is None:
        return None
    remarks = (bold["ahead"], bold["behind"], rest) if bold else (rest,)
    return replace(entry, name=name), " ".join(filter(None, (remark.strip(BETWEEN) for remark in remarks)))


def _is_short(text: str) -> bool:
    """Whether it is a name rather than a sentence."""
    return len(text) <= 48 and len(text.split()) <= 4 and not any(word.endswith(ENDS) for word in text.split())


def _with_figures(text: str) -> tuple[Entry, str]:
    """An entry without name that has the figures between bars, and the rest of the text."""
    entry, stats, rest = Entry(""), [], []
    for part in text.split("|"):
        part = part.strip()
        at = 0
        while figure := FIGURE.match(part, at):
            entry, at = _with_figure(entry, figure), figure.end()
            stats.append(figure[0].rstrip(BETWEEN))
        rest += [part[at:]] if at < len(part) else []
    return replace(entry, stats=" | ".join(stats)), " | ".join(rest)


def _with_figure(entry: Entry, found: re.Match[str]) -> Entry:
    if found["sessions"]:
        return replace(entry, sessions=int(found["sessions"]))
    if found["strength"]:
        return replace(entry, strength=float(found["strength"]))
    return replace(entry, age=0.0 if found["now"] else float(found["ago"]) * UNITS[found["unit"].lower()])


def joined(one: Entry, other: Entry) -> Entry:
    """One entry from two of one topic, as after a merge: all files, and the figures of the stronger one."""
    stronger = max(one, other, key=lambda entry: (entry.strength is not None, entry.strength or 0.0))
    return replace(
        stronger,
        files=merge(one.files, other.files, most=ALL),
        directories=merge(one.directories, other.directories, most=ALL),
    )


BEGIN, ANCESTOR, MIDDLE, END = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


def both_sides(lines: Iterable[str]) -> tuple[list[str], bool]:
    """The lines of both sides of merge conflicts, one after the other, and whether there was a conflict.

    Markers are left out, and so is the common ancestor if its end is marked: somebody may have begun to tidy up.
    """
    kept: list[str] = []
    ancestor: list[str] | None = None
    found = in_conflict = False
    for line in lines:
        if line.startswith(BEGIN):
            found = in_conflict = True
        elif in_conflict and line.startswith(ANCESTOR):
            ancestor = []
        elif in_conflict and line.startswith(MIDDLE):
            ancestor = None
        elif found and line.startswith(END):
            kept += ancestor or []
            in_conflict, ancestor = False, None
        else:
            (kept if ancestor is None else ancestor).append(line)
    return [*kept, *(ancestor or [])], found


FENCE = re.compile(r"\s*(`{3,}|~{3,})")
COMMENT, COMMENT_END = "<!--", "-->"
NO_TEXT = re.compile(r"[ \t>#]|(?:[-*+•–]|[0-9]{1,3}[.)])\s|\w+:")
"""Beginnings of lines that have a Markdown meaning and are no plain text."""


def blocks(lines: Sequence[str], is_topic: Callable[[str], bool]) -> dict[int, int]:
    """For each line in a code block or comment, by number, the number of the line that begins the block.

    A block without an end is none, nor is code that contains a topic: somebody has begun to write.
    """
    found: dict[int, int] = {}
    for number in range(len(lines)):
        if number not in found and (end := _end(lines, number, is_topic)) is not None:
            found |= dict.fromkeys(range(number, end + 1), number)
    return found


def _end(lines: Sequence[str], number: int, is_topic: Callable[[str], bool]) -> int | None:
    line, rest = lines[number], range(number + 1, len(lines))
    if line.lstrip().startswith(COMMENT) and COMMENT_END not in line:
        return next((at for at in rest if COMMENT_END in lines[at]), None)
    if fence := FENCE.match(line):
        end = next((at for at in rest if lines[at].strip() == fence[1]), None)
        return None if end is None or any(is_topic(lines[at]) for at in range(number, end)) else end
    return None


def headings(lines: Sequence[str]) -> set[int]:
    """Numbers of the lines that are headings because the next line underlines them."""
    pairs = enumerate(pairwise(lines))
    return {number for number, (line, below) in pairs if _is_underline(below) and _is_text(line)}


def _is_text(line: str) -> bool:
    return line != "" and not NO_TEXT.match(line) and not _is_underline(line)


def _is_underline(line: str) -> bool:
    return len(line) >= 3 and (not line.strip("=") or not line.strip("-"))
