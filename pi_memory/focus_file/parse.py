"""Parses RECENT_FOCUS.md as editors and people leave it. Pure.

Tolerated: CRLF, a byte order mark, tabs, other bullet marks, missing bold, any order, topics written twice, lists over
several lines, misspelt headings, front matter, headings and notes of the user's own, code and comments. Of a merge
conflict both sides are kept. Rejected, because applying it would remove topics: an empty, binary or truncated file, and
one without its title.
"""

import re
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from pi_memory.focus_file import headings
from pi_memory.focus_file.document import EMPTY, GENERATED, NOT_SHOWN, Document, Entry, Notes
from pi_memory.focus_file.document import TITLE as WRITTEN
from pi_memory.focus_file.headings import HEADING, TITLE, UPDATED
from pi_memory.focus_file.lines import ALL, BULLET, both_sides, joined, topic_in
from pi_memory.focus_file.lines import blocks as code_blocks
from pi_memory.focus_file.lines import headings as underlined_headings
from pi_memory.focus_file.validate import UnreadableDocument, intact
from pi_memory.topics.display import listed
from pi_memory.topics.names import merge

TAB = 4

NOT_SHOWN_LINE = re.compile(rf"… [0-9]+ {NOT_SHOWN}\.")
NAME = re.compile(r"\S+|[^.!?]*[/.]\w[^!?]*|`[^`]*`")
"""An item of a list of files, rather than a note."""
ATTRIBUTE = re.compile(r"\s*(?:[-*+]\s+)?(files?|dirs?|directory|directories)\s*:(.*)", re.IGNORECASE)


def parse(data: bytes | str, *, base: str | None = None) -> Document:
    """The document in a file's content. With `base`, the text last written, a truncated copy of it is recognised.

    Raises UnreadableDocument.
    """
    kept, conflicted = both_sides(intact(data, base=base).split("\n"))
    lines = [line.rstrip() for line in kept]
    title = headings.title(lines)
    if title is None:
        raise UnreadableDocument("has lost its heading `# Recent Focus`")
    reader = _Reader(respelt=not TITLE.fullmatch(lines[title]))
    lines[title] = lines[title] if not reader.respelt else WRITTEN
    blocks, underlined = code_blocks(lines, _is_whole), underlined_headings(lines)
    for number, line in enumerate(lines):
        if number in blocks:
            reader.keep(line, shift=_indentation(lines[blocks[number]]) > 0)
        else:
            reader.read(line, is_heading=number in underlined)
    return replace(reader.document(), conflicted=conflicted)


def _is_topic(line: str) -> bool:
    return topic_in(line, needs_figures=True) is not None


def _is_whole(line: str) -> bool:
    """Whether a line is a topic in our own format, or the line of an empty section."""
    if line == EMPTY:
        return True
    found = topic_in(line, needs_figures=True)
    return found is not None and None not in (found[0].sessions, found[0].age, found[0].strength)


class _List(Struct, frozen=True):
    """A list of files or directories (`key`) that the next line may continue: with a bullet at `indentation`, if that
    is known; or, when it is None or the last bullet's text `goes_on`, after the comma at the end of a line.
    """

    key: str
    indentation: int | None = None
    goes_on: bool = False


UNKNOWN = -1


class _Reader(Struct):
    """The parser's state: above the title, in a section of ours or of the user's; and the current topic.

    `aside` is the indentation of a bullet that is no topic.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    top: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    under: dict[str, list[str]] = field(default_factory=dict)
    sections: list[str] = field(default_factory=list)
    repeated: set[str] = field(default_factory=set)
    updated_at: float | None = None
    respelt: bool = False
    titled: bool = False
    own: bool = False
    topic: str | None = None
    begun: _List | None = None
    aside: int | None = None

    def read(self, line: str, *, is_heading: bool = False) -> None:
        if not line:
            self._blank()
            return
        if is_heading and not self._ours(line):
            self._begin_section(line)
            return
        kinds = (self._ours, self._heading, self._deeper, self._listed, self._attribute, self._bullet)
        if not any(belongs(line) for belongs in kinds):
            self.keep(line)

    def keep(self, line: str, *, shift: bool = True) -> None:
        """Keep a line of the user's where it is; below a topic without the indentation that we add."""
        if self.own and self.topic is not None and line and line[0] not in " \t":
            self.topic = None
        if self.topic is None:
            self._outside().append(line)
        else:
            self.under[self.topic].append(_unindented(line) if shift else line)

    def document(self) -> Document:
        notes = {name: self._notes(name) for name in self.under}
        return Document(
            tuple(self.entries.values()),
            Notes(
                _stripped(self.before),
                {name: lines for name, lines in notes.items() if lines},
                _stripped(self.sections),
                _stripped(self.top),
            ),
            self.updated_at,
            respelt=self.respelt,
        )

    def _notes(self, name: str) -> tuple[str, ...]:
        """The notes; text in both copies of a duplicate topic is kept once."""
        lines = self.under[name]
        return _stripped(list(dict.fromkeys(lines)) if name in self.repeated else lines)

    def _outside(self) -> list[str]:
        return self.sections if self.own else self.before if self.titled else self.top

    def _blank(self) -> None:
        self.begun = None
        if self.own and self.topic is not None:
            self.topic = None
        elif self.topic is not None:
            self.under[self.topic].append("")
        else:
            self._outside().append("")

    def _ours(self, line: str) -> bool:
        """Whether the line is one that we write anew each time; notes before and after it are separate."""
        if updated := UPDATED.fullmatch(line):
            self.updated_at = _time(updated[1])
            self.before += [updated[2].strip()] if updated[2].strip() else []
        elif TITLE.fullmatch(line):
            self.titled, self.own, self.topic = True, False, None
        elif not (NOT_SHOWN_LINE.fullmatch(line) or line in (GENERATED, EMPTY)):
            return False
        self._blank()
        return True

    def _heading(self, line: str) -> bool:
        heading = HEADING.fullmatch(line)
        if heading is None:
            return False
        ours = self.titled and headings.section(heading[1]) is not None
        self.respelt |= ours and not headings.is_exact(heading[1])
        self._begin_section(line, ours=ours)
        return True

    def _begin_section(self, line: str, *, ours: bool = False) -> None:
        self.topic, self.aside, self.begun = None, None, None
        self.own = self.titled and not ours
        self._outside().append("" if ours else line)

    def _deeper(self, line: str) -> bool:
        """Whether the line belongs to a bullet that is no topic."""
        if self.aside is None or _indentation(line) <= self.aside or _is_topic(line):
            self.aside = None
            return False
        self.keep(line, shift=self.aside > 0)
        return True

    def _listed(self, line: str) -> bool:
        """Whether the line continues a list."""
        last, self.begun = self.begun, None
        if last is None or line[0] not in " \t" or ATTRIBUTE.fullmatch(line) or _is_topic(line):
            return False
        bullet, at = BULLET.fullmatch(line.strip()), _indentation(line)
        if last.indentation is None:
            return bullet is None and self._add(last.key, line.strip())
        if bullet is None and last.goes_on:
            return self._add_to(last, line.strip())
        if bullet is None or not NAME.fullmatch(bullet[1]) or last.indentation not in (at, UNKNOWN):
            return False
        return self._add_to(_List(last.key, at), bullet[1])

    def _add_to(self, bullets: _List, names: str) -> bool:
        self._add(bullets.key, names)
        self.begun = replace(bullets, goes_on=names.endswith(","))
        return True

    def _attribute(self, line: str) -> bool:
        """Parse the files or directories of the current topic."""
        attribute = ATTRIBUTE.fullmatch(line)
        if attribute is None or self.topic is None:
            return False
        return self._add(attribute[1].lower(), attribute[2].strip())

    def _add(self, key: str, names: str) -> bool:
        assert self.topic is not None, "there are lists only below topics"
        entry = self.entries[self.topic]
        if key.startswith("f"):
            self.entries[self.topic] = replace(entry, files=merge(entry.files, listed(names), most=ALL))
        else:
            self.entries[self.topic] = replace(entry, directories=merge(entry.directories, listed(names), most=ALL))
        self.begun = _List(key, UNKNOWN) if not names else _List(key) if names.endswith(",") else None
        return True

    def _bullet(self, line: str) -> bool:
        if not BULLET.fullmatch(line.strip()):
            return False
        # Ours stand at the margin; anywhere else only the figures separate a topic from a note of the user's.
        found = topic_in(line, needs_figures=self.own or not self.titled or line[0] in " \t")
        if found is None:
            self.keep(line)
            self.aside = _indentation(line)
        else:
            self._begin_topic(*found)
        return True

    def _begin_topic(self, entry: Entry, remark: str) -> None:
        known = self.entries.get(entry.name)
        self.entries[entry.name] = joined(known, entry) if known else entry
        self.repeated |= {entry.name} if known else set()
        self.under.setdefault(entry.name, []).extend([remark] if remark else [])
        self.topic, self.begun = entry.name, None


def _indentation(line: str) -> int:
    wide = line.expandtabs(TAB)
    return len(wide) - len(wide.lstrip())


def _unindented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line[1:] if line[:1] in (" ", "\t") else line


def _stripped(lines: list[str]) -> tuple[str, ...]:
    """Lines without blank ones at either end."""
    return tuple("\n".join(lines).strip("\n").split("\n")) if any(lines) else ()


def _time(text: str) -> float:
    """Unix time, 0 when it cannot be parsed: no text of ours is so old."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return 0.0
