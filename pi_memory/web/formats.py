"""How pages show times, numbers and texts. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from pi_memory import decay

INVISIBLE = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)))
"""Control characters but line feed and tab: browsers show none of them."""
SOURCES = {
    "user_stated": "you said so",
    "plain_fact": "from what you said",
    "error_resolution": "from an error and its fix",
    "pattern": "from a habit",
    "discovery": "found on the way",
    "api": "added by hand",
    "import": "imported",
}
ORIGINS = {
    "notice": "as you said it",
    "extraction": "from what was said",
    "api": "by hand or program",
    "import": "by an import",
    "file": "in the file",
    "tagger": "from what was worked on",
    "time": "with time",
}
SORTS = {"semantic": "a fact", "episodic": "an event", "procedural": "how to do it"}
FIELDS = {
    "content": "what holds",
    "quote": "the words",
    "type": "sort",
    "namespace": "filed under",
    "valid_to": "until",
    "superseded_by": "replaced by memory",
}
KINDS = {
    "memory.added": "added",
    "memory.changed": "changed",
    "memory.closed": "ended",
    "memory.superseded": "replaced",
    "memory.faded": "faded",
    "memory.undone": "undone",
    "memory.settled": "holds beside the other",
    "memory.forgotten": "forgotten",
    "topic.added": "added",
    "topic.changed": "touched or changed",
    "topic.removed": "dropped",
    "topic.returned": "came back",
    "topic.faded": "faded",
    "topic.renamed": "renamed",
}


def visible(value: Any) -> Any:
    """A text without control characters, which could move what stands beside it in a terminal that it is copied to."""
    return value.translate(INVISIBLE) if type(value) is str else value


def local(iso: str) -> datetime:
    """The time in the daemon's own zone."""
    return datetime.fromisoformat(iso).astimezone()


def day(iso: str) -> str:
    """`Sunday, 22 November 2026`."""
    at = local(iso)
    return f"{at:%A}, {at.day} {at:%B %Y}"


def short_day(iso: str) -> str:
    """`22 Nov 2026`, in this year `22 Nov`."""
    at = local(iso)
    return f"{at.day} {at:%b}" if at.year == date.today().year else f"{at.day} {at:%b %Y}"


def clock(iso: str) -> str:
    """`14:30`."""
    return f"{local(iso):%H:%M}"


def cut(text: str, most: int = 280) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[:most].rstrip()} …"


def source(name: str) -> str:
    return SOURCES.get(name, name.replace("_", " "))


def origin(name: str) -> str:
    return ORIGINS.get(name, f"by {name}")


def sort(name: str) -> str:
    return SORTS.get(name, name)


def field(name: str) -> str:
    return FIELDS.get(name, name)


def grouped(gone: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Each text once, with where it stands and how often: `memory, quote 3×`."""
    places: dict[str, Counter[str]] = {}
    for one in gone:
        places.setdefault(" ".join(one["text"].split()), Counter())[one["place"]] += 1
    return [
        (text, ", ".join(place if n == 1 else f"{place} {n}×" for place, n in counted.items()))
        for text, counted in places.items()
    ]


def kind(name: str) -> str:
    return KINDS.get(name, name.partition(".")[2].replace("_", " "))


def segment(text: str) -> str:
    """A text as a part of a path."""
    return quote(text, safe="")


def rounded(value: float | None, digits: int = 2) -> str:
    """A number in few characters; a dash for None."""
    return "–" if value is None else f"{value:,.{digits}f}"


WIDTH, HEIGHT, DAYS = 280, 28, 28
"""Units of a fade's drawing: ten a day, a point every other day."""


def fade(strength: float, days: int = DAYS) -> str:
    """The points of a polygon: a topic's strength in the coming four weeks, if it is not touched again."""
    points = [(0.0, float(HEIGHT))]
    for n in range(0, days + 1, 2):
        left = strength * decay.TOPIC_RATE**n
        points.append((n * WIDTH / days, HEIGHT * (1 - left)))
        if left < decay.GONE:
            break
    points.append((points[-1][0], float(HEIGHT)))
    return " ".join(f"{x:.0f},{y:.1f}" for x, y in points)


FILTERS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (clock, cut, day, fade, field, grouped, kind, origin, rounded, segment, short_day, sort, source)
}
