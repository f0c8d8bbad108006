"""One topic's line of RECENT_FOCUS.md, as people leave it. Pure."""

import re
from dataclasses import replace

from pi_memory.decay import DAY
from pi_memory.focus_file.document import Entry
from pi_memory.topics.display import HOUR
from pi_memory.topics.names import merge, normalise

ALL = 1_000

BULLET = re.compile(r"(?:[-*+•–]|[0-9]{1,3}[.)])\s+(?:\[[ xX]?\]\s+)?(.*)")
BOLD = re.compile(r"(?P<ahead>[^\w|*]*)(\*\*|__)(?P<name>.+?)\2(?P<behind>.*)")
STRUCK = "~~"
SENTENCE = re.compile(r"[.!?:;,](?:\s|$)")
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
    """The topic of a bullet and what else the user wrote on its line; None when it is a note, or struck out.

    A name alone is enough for a topic unless it `needs_figures`, such as the sessions.
    """
    bullet = BULLET.fullmatch(line.strip())
    if bullet is None or bullet[1].startswith(STRUCK):
        return None
    head, bar, rest = bullet[1].partition("|")
    entry, told = _with_figures(rest)
    bold = BOLD.fullmatch(head.strip())
    if (needs_figures and not entry.stats) or not (bold or bar or _is_short(head)):
        return None
    name = normalise(bold["name"] if bold else head)
    if name is None:
        return None
    remarks = (bold["ahead"], bold["behind"], told) if bold else (told,)
    return replace(entry, name=name), " ".join(filter(None, (remark.strip(BETWEEN) for remark in remarks)))


def _is_short(text: str) -> bool:
    """A name rather than a sentence."""
    return len(text) <= 48 and len(text.split()) <= 4 and not SENTENCE.search(text.strip())


def _with_figures(text: str) -> tuple[Entry, str]:
    """A nameless entry with the figures that stand between bars, and the rest of the text."""
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
    """One topic written twice, as after a merge: all of its files, and the figures of the stronger one."""
    stronger = max(one, other, key=lambda entry: (entry.strength is not None, entry.strength or 0.0))
    return replace(
        stronger,
        files=merge(one.files, other.files, most=ALL),
        directories=merge(one.directories, other.directories, most=ALL),
    )
