"""Read RECENT_FOCUS.md back, as editors and people leave it. Pure.

Tolerated: CRLF, a byte order mark, tabs, other bullet marks, missing bold, any order, topics written twice, merge
conflict markers (both sides are kept), headings and notes of the user's own. Not tolerated, because applying it would
throw topics away: an empty, binary or truncated file and one without its heading.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from pi_memory.decay import DAY
from pi_memory.focus.document import EMPTY, GENERATED, NOT_SHOWN, Document, Entry, Notes, UnreadableDocument
from pi_memory.focus.shown import HOUR, listed
from pi_memory.focus.topics import merge, normalise

HINT = "The text is kept beside the file as `.rejected`, and the file is written again."
ALL = 1_000

TITLE = re.compile(r"#{1,6}\s*recent\s+focus\s*[:#]*\s*", re.IGNORECASE)
HEADING = re.compile(r"#{1,6}\s+(\S.*)")
OURS = re.compile(r"(active|fading)\s*[:#]*\s*", re.IGNORECASE)
UPDATED = re.compile(r">\s*Last updated:\s*(\S*)")
NOT_SHOWN_LINE = re.compile(rf"… [0-9]+ {NOT_SHOWN}\.")
BULLET = re.compile(r"(?:[-*+•–]|[0-9]{1,3}[.)])\s+(?:\[[ xX]?\]\s+)?(.*)")
BOLD = re.compile(r"(\*\*|__)(.+?)\1(.*)")
STATS = re.compile(r"[0-9]\s*sessions?\b|\blast:|\bstrength:", re.IGNORECASE)
ATTRIBUTE = re.compile(r"\s*(?:[-*+]\s+)?(files?|dirs?|directory|directories)\s*:(.*)", re.IGNORECASE)
SENTENCE = re.compile(r"[.!?:;,](?:\s|$)")
SESSIONS = re.compile(r"([0-9]{1,6})\s*sessions?\b", re.IGNORECASE)
LAST = re.compile(r"\blast:\s*(?:(just now)|([0-9]{1,6})\s*(h|d|w)[a-z]*\s+ago)", re.IGNORECASE)
STRENGTH = re.compile(r"\bstrength:\s*([01](?:\.[0-9]{1,6})?)", re.IGNORECASE)
UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY}


def parse(data: bytes | str, *, base: str | None = None) -> Document:
    """The document in a file's content. `base`, the text last written, makes a cut-off copy of it recognisable.

    Raises UnreadableDocument.
    """
    text = _decoded(data)
    if _is_cut(text, base):
        raise UnreadableDocument("the focus file is truncated", hint=HINT)
    lines = [line.rstrip() for line in _both_sides(text.split("\n"))]
    if not any(TITLE.fullmatch(line) for line in lines):
        raise UnreadableDocument("the focus file has lost its heading `# Recent Focus`", hint=HINT)
    reader = _Reader()
    for line in lines:
        reader.read(line)
    return reader.document()


def _decoded(data: bytes | str) -> str:
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableDocument("the focus file is not UTF-8 text", hint=HINT) from error
    if "\x00" in text:
        raise UnreadableDocument("the focus file is binary", hint=HINT)
    if not text.strip("\ufeff \t\r\n"):
        raise UnreadableDocument("the focus file is empty", hint=HINT)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _is_cut(text: str, base: str | None) -> bool:
    """Whether the text ends in the middle of a line that we wrote."""
    if text.endswith("\n"):
        return False
    if base is not None and base.startswith(text):
        return base[len(text) :][:1] not in ("", "\n")
    last = text.rpartition("\n")[2]
    unfinished = last.count("**") == 1 or bool(SESSIONS.search(last) and not STRENGTH.search(last))
    return (last.startswith("- **") and unfinished) or (last != GENERATED and GENERATED.startswith(last) and last != "")


def _both_sides(lines: Iterable[str]) -> list[str]:
    """Without the markers of a merge conflict and without the common ancestor between them."""
    kept, in_conflict, in_ancestor = [], False, False
    for line in lines:
        if line.startswith("<<<<<<<"):
            in_conflict = True
        elif in_conflict and line.startswith("|||||||"):
            in_ancestor = True
        elif in_conflict and line.startswith("======="):
            in_ancestor = False
        elif in_conflict and line.startswith(">>>>>>>"):
            in_conflict = in_ancestor = False
        elif not in_ancestor:
            kept.append(line)
    return kept


@dataclass(slots=True)
class _Reader:
    """Where we are in the file: in our sections or in one of the user's own, and under which topic."""

    entries: dict[str, Entry] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    under: dict[str, list[str]] = field(default_factory=dict)
    sections: list[str] = field(default_factory=list)
    updated_at: float | None = None
    own: bool = False
    topic: str | None = None

    def read(self, line: str) -> None:
        if not line:
            self._blank()
            return
        kinds = (self._ours, self._heading, self._bullet, self._under_topic)
        if not any(belongs(line) for belongs in kinds):
            (self.sections if self.own else self.before).append(line)

    def document(self) -> Document:
        notes = {name: tuple(dict.fromkeys(lines)) for name, lines in self.under.items() if lines}
        return Document(
            tuple(self.entries.values()),
            Notes(_stripped(self.before), notes, _stripped(self.sections)),
            self.updated_at,
        )

    def _blank(self) -> None:
        if self.own and self.topic is None:
            self.sections.append("")
        elif self.own:
            self.topic = None
        elif self.topic is None:
            self.before.append("")

    def _ours(self, line: str) -> bool:
        """Lines that are written anew each time."""
        if updated := UPDATED.match(line):
            self.updated_at = _time(updated[1]) or self.updated_at
        written = updated or TITLE.fullmatch(line) or NOT_SHOWN_LINE.fullmatch(line)
        return bool(written) or line in (GENERATED, EMPTY)

    def _heading(self, line: str) -> bool:
        heading = HEADING.fullmatch(line)
        if heading is None:
            return False
        self.own, self.topic = not OURS.fullmatch(heading[1]), None
        if self.own:
            self.sections.append(line)
        return True

    def _bullet(self, line: str) -> bool:
        bullet = BULLET.fullmatch(line.strip())
        # Ours stand at the margin; anywhere else only the figures tell a topic from a note of the user's.
        found = bullet and _topic(bullet[1], needs_figures=self.own or line[0] in " \t")
        if not found:
            return False
        entry, remark = found
        known = self.entries.get(entry.name)
        self.entries[entry.name] = _joined(known, entry) if known else entry
        self.under.setdefault(entry.name, []).extend([remark] if remark else [])
        self.topic = entry.name
        return True

    def _under_topic(self, line: str) -> bool:
        """A line that belongs to the current topic: its files, its directories or a note."""
        if self.topic is None:
            return False
        if attribute := ATTRIBUTE.fullmatch(line):
            self._attribute(self.entries[self.topic], attribute[1].lower(), listed(attribute[2]))
            return True
        if self.own and line[0] not in " \t":
            self.topic = None
            return False
        self.under[self.topic].append(_unindented(line))
        return True

    def _attribute(self, entry: Entry, key: str, names: tuple[str, ...]) -> None:
        if key.startswith("f"):
            changed = replace(entry, files=merge(entry.files, names, most=ALL))
        else:
            changed = replace(entry, directories=merge(entry.directories, names, most=ALL))
        self.entries[entry.name] = changed


def _topic(text: str, *, needs_figures: bool) -> tuple[Entry, str] | None:
    """The topic of a bullet's text and what else was written behind its name, None when it is a note."""
    head, bar, stats = text.partition("|")
    figures = bool(STATS.search(stats))
    bold = BOLD.match(head.strip())
    if (needs_figures and not figures) or not (bold or bar or _is_short(head)):
        return None
    name = normalise(bold[2] if bold else head)
    if name is None:
        return None
    remark = bold[3].strip(" \t:-–—") if bold else ""
    return _with_figures(Entry(name, stats=stats.strip())), remark


def _is_short(text: str) -> bool:
    """A name rather than a sentence."""
    return len(text) <= 48 and len(text.split()) <= 4 and not SENTENCE.search(text.strip())


def _with_figures(entry: Entry) -> Entry:
    count, last, value = SESSIONS.search(entry.stats), LAST.search(entry.stats), STRENGTH.search(entry.stats)
    age = None if last is None else 0.0 if last[1] else float(last[2]) * UNITS[last[3].lower()]
    return replace(
        entry,
        sessions=int(count[1]) if count else None,
        age=age,
        strength=float(value[1]) if value else None,
    )


def _joined(one: Entry, other: Entry) -> Entry:
    """One topic written twice, as after a merge: all of its files, and the figures of the stronger one."""
    stronger = max(one, other, key=lambda entry: (entry.strength is not None, entry.strength or 0.0))
    return replace(
        stronger,
        files=merge(one.files, other.files, most=ALL),
        directories=merge(one.directories, other.directories, most=ALL),
    )


def _unindented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line[1:] if line[0] in " \t" else line


def _stripped(lines: list[str]) -> tuple[str, ...]:
    """Without blank lines around."""
    return tuple("\n".join(lines).strip("\n").split("\n")) if any(lines) else ()


def _time(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None
