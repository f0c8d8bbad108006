"""The document of RECENT_FOCUS.md, as text and as data. Pure.

`render` writes it; `parse` reads what people and editors make of it. Everything a person writes
that is not a topic is kept as notes and rendered back.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from pi_memory.clock import iso
from pi_memory.decay import strength
from pi_memory.topics.display import ago, clean, joined, sessions, short_names
from pi_memory.types import Topic

Clean = Callable[[str], str]

ACTIVE = 0.5
"""Strength from which a topic is under `## Active`; below it under `## Fading`."""

MAX_ACTIVE = 40
MAX_FADING = 20
"""Most topics under `## Fading`: the file stays readable with thousands of topics."""

FILES_SHOWN = 8
DIRECTORIES_SHOWN = 4

TITLE = "# Recent Focus"
GENERATED = "> Auto-generated. Manual edits are respected — removals and additions sync back."
EMPTY = "No recent topics tracked yet."
NOT_SHOWN = "more topics are not shown"
KEPT = "## Notes"


class Entry(Struct, frozen=True):
    """A topic as the file shows it: file names may be short, figures are None where the file has none.

    `stats` is the text of the figures behind the name; `age` is in seconds before the file's `updated_at`.
    """

    name: str
    files: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    stats: str = ""
    sessions: int | None = None
    age: float | None = None
    strength: float | None = None


class Notes(Struct, frozen=True):
    """The user's own text: before the first topic, under topics (by name), in own sections, and above the title."""

    before: tuple[str, ...] = ()
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sections: tuple[str, ...] = ()
    top: tuple[str, ...] = ()

    def cleaned(self, clean: Clean) -> "Notes":
        """These notes with each line cleaned; lines that become empty are removed."""
        topics = {name: _lines(kept, clean) for name, kept in self.topics.items()}
        return Notes(
            _lines(self.before, clean),
            {name: kept for name, kept in topics.items() if kept},
            _lines(self.sections, clean),
            _lines(self.top, clean),
        )

    def moved(self, old: str, new: str) -> "Notes":
        """These notes with those of one topic under another name."""
        topics = {name: lines for name, lines in self.topics.items() if name != old}
        lines = dict.fromkeys((*topics.get(new, ()), *self.topics.get(old, ())))
        return replace(self, topics=topics | {new: tuple(lines)} if lines else topics)


class Document(Struct, frozen=True):
    """The file's topics in their order, no name twice.

    A `conflicted` document holds both sides of a merge conflict, so a missing topic was not removed. In a `respelt` one
    a heading of ours was misspelt. `updated_at` is Unix time, None without that line.
    """

    entries: tuple[Entry, ...] = ()
    notes: Notes = field(default_factory=Notes)
    updated_at: float | None = None
    conflicted: bool = False
    respelt: bool = False


def render(topics: Sequence[Topic], *, now: float, notes: Notes | None = None) -> str:
    """The file's text for the active ones of `topics` at Unix time `now`, strongest first.

    Notes of a topic that is not shown move to a section of their own, so that nothing the user wrote is lost. The notes
    for the next rendering are those parsed from this text.
    """
    notes = notes or Notes()
    by_strength = sorted((t for t in topics if t.is_active), key=lambda t: (-t.last_touched_at, t.name))
    active = by_strength[: bisect_left(by_strength, True, key=lambda t: strength(t.last_touched_at, now) < ACTIVE)]
    fading = by_strength[len(active) :][:MAX_FADING]
    shown = [*active[:MAX_ACTIVE], *fading]
    blocks = [*_paragraph(notes.top), _head(now), *_paragraph(notes.before)]
    blocks += _section("## Active", active[:MAX_ACTIVE], now=now, notes=notes)
    blocks += _section("## Fading", fading, now=now, notes=notes)
    blocks += _rest(len(by_strength), len(shown))
    blocks += _paragraph((*notes.sections, *_homeless(notes, {t.name for t in shown})))
    return "\n\n".join(blocks) + "\n"


def _head(now: float) -> str:
    return f"{TITLE}\n{GENERATED}\n> Last updated: {iso(now)}"


def _paragraph(lines: Sequence[str]) -> list[str]:
    return ["\n".join(lines)] if lines else []


def _section(heading: str, topics: Sequence[Topic], *, now: float, notes: Notes) -> list[str]:
    """A section's lines: the heading before the first topic, blank lines between topics."""
    if not topics:
        return []
    first, *others = (_entry(topic, now, notes.topics.get(topic.name, ())) for topic in topics)
    return [f"{heading}\n{first}", *others]


def _entry(topic: Topic, now: float, notes: Sequence[str]) -> str:
    figures = (
        sessions(topic.session_count),
        f"last: {ago(now - topic.last_touched_at)}",
        f"strength: {strength(topic.last_touched_at, now):.2f}",
    )
    lines = [f"- **{topic.name}** | {' | '.join(figures)}"]
    if files := list(short_names(topic.file_paths)):
        lines.append(f"  files: {joined(files, most=FILES_SHOWN)}")
    if directories := [d for path in topic.directories if (d := clean(path))]:
        lines.append(f"  dirs: {joined(directories, most=DIRECTORIES_SHOWN)}")
    return "\n".join([*lines, *(f"  {note}" if note else "" for note in notes)])


def _rest(known: int, shown: int) -> list[str]:
    if not known:
        return [EMPTY]
    return [f"… {known - shown} {NOT_SHOWN}."] if known > shown else []


def _homeless(notes: Notes, shown: set[str]) -> list[str]:
    """Notes of topics that are not in the file, as a section of the user's."""
    lines = [line for name, kept in notes.topics.items() if name not in shown for line in _moved(name, kept)]
    heading = [] if KEPT in notes.sections or not lines else [*([""] if notes.sections else []), KEPT]
    return [*heading, *lines]


def _moved(name: str, notes: Sequence[str]) -> list[str]:
    if len(notes) == 1 and "|" not in notes[0]:
        return [f"- {name}: {notes[0]}"]
    return [f"- {name}:", *(f"  {line}" if line else "" for line in notes)]


def lines(text: str, clean: Clean) -> str:
    """A text with each line cleaned; lines that become empty are removed."""
    return "\n".join(_lines(text.split("\n"), clean))


def _lines(kept: Sequence[str], clean: Clean) -> tuple[str, ...]:
    cleaned = [(line, clean(line) if line.strip() else line) for line in kept]
    return tuple(left for line, left in cleaned if left.strip(" >*#-") or left == line)


def same_but_for_time(one: str, other: str) -> bool:
    """Whether two rendered texts differ in nothing but `Last updated`."""
    return _timeless(one) == _timeless(other)


def _timeless(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.startswith("> Last updated:")]
