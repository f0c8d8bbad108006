"""Names of topics: normalised, matched, placed; and what a touch does to a topic. Pure.

A name has one or two levels, `area` or `area/detail`. A tag is normalised, matched with the known topics (`match`),
placed in the right level (`place`) and recorded (`touch`).
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from pi_memory.text.language import remembered
from pi_memory.text.spelling import typos
from pi_memory.types import Tag, Topic

LEVEL_LENGTH = 32
"""Most characters of a level: a name has to fit on one line of the focus file with its figures."""

SPLIT_SESSIONS = 3
"""A topic may have children after this many sessions."""

MAX_FILES = 50
MAX_DIRECTORIES = 20
MAX_PATH = 1_024
"""Most characters of a path; a longer one is left out."""

LONGER = 4
"""Most characters that a name may have more than the same one in another spelling."""

NEVER = 2.0
"""A threshold that no cosine reaches."""


def area_of(name: str) -> str:
    """The first level of a topic's name."""
    return name.partition("/")[0]


def normalise(name: str) -> str | None:
    """`Memory / Fact Extraction` -> `memory/fact-extraction`; None when nothing is left to call a topic.

    At most two levels of at most LEVEL_LENGTH characters, NFC, lower case, of letters, digits and `. + # -`.
    Idempotent.
    """
    if name.isascii() and name.isalnum():  # as most words are, and fifty times faster
        return name[:LEVEL_LENGTH].lower()
    return _normalised(name)


@remembered(512)
def _normalised(name: str) -> str | None:
    visible = "".join(c for c in name if c.isspace() or unicodedata.category(c)[0] != "C")
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", visible).lower())
    levels = [level for part in text.split("/") if (level := _level(part))]
    if len(levels) > 1 and levels[0] == levels[1]:
        del levels[1]
    return "/".join(levels[:2]) or None


def _level(part: str) -> str:
    """One level of a name, empty when it has neither a letter nor a digit."""
    spaced = "".join(c if _kept(c) else " " for c in part)
    words = "-".join(word for word in spaced.split() if any(c.isalnum() for c in word))
    if len(words) > LEVEL_LENGTH:
        whole = words[: LEVEL_LENGTH + 1].rpartition("-")[0]
        words = whole or words[:LEVEL_LENGTH]
    return words.strip("-.").lstrip("+#.-")


def _kept(c: str) -> bool:
    # Marks belong to the letter before them in many scripts; `.`, `+` and `#` to names such as node.js, c++ and c#.
    return c.isalnum() or c in ".+#" or unicodedata.category(c)[0] == "M"


def match(
    name: str, known: Collection[str], *, similarity: Mapping[str, float] | None = None, threshold: float = NEVER
) -> str | None:
    """The known topic for `name`: equal, spelled alike, or at least `threshold` similar; else None.

    `similarity` returns cosines in [-1, 1] to known names; `threshold` is the embedder's calibrated `same`. A parent
    and its child never match. Two children of one parent match only by spelling: their shared parent makes every such
    pair look similar to an embedder.
    """
    if name in known:
        return name
    return _spelled_like(name, known) or _means_the_same(name, known, similarity or {}, threshold)


def _spelled_like(name: str, known: Collection[str]) -> str | None:
    near = (other for other in known if other[0] == name[0] and abs(len(other) - len(name)) <= LONGER)
    return min((other for other in near if same_spelling(name, other)), key=lambda o: typos(name, o), default=None)


def _means_the_same(name: str, known: Iterable[str], similarity: Mapping[str, float], threshold: float) -> str | None:
    able = [(similarity[k], k) for k in known if k in similarity and k.partition("/")[0] != name.partition("/")[0]]
    best, candidate = max(able, default=(-1.0, ""))
    return candidate if best >= threshold else None


def same_spelling(one: str, other: str) -> bool:
    """Whether two normalised names differ only by plurals, hyphens and typos, level by level."""
    ones, others = one.split("/"), other.split("/")
    return len(ones) == len(others) and all(_same_level(a, b) for a, b in zip(ones, others, strict=True))


def _same_level(one: str, other: str) -> bool:
    a, b = _squash(one), _squash(other)
    if a == b:
        return True
    # `encoding` and `decoding`, `phase-1` and `phase-2` are a letter apart and are not slips of the pen.
    if a[0] != b[0] or _digits(a) != _digits(b):
        return False
    length = min(len(a), len(b))
    allowed = 0 if length < 6 else 1 if length < 12 else 2
    return typos(a, b) <= allowed


def _squash(level: str) -> str:
    """A level without hyphens, dots and plural ending; `++` and `#` stay, as they distinguish languages."""
    word = level.replace("-", "").replace(".", "")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "sis", "dis", "xis")):
        return word[:-1]
    return word or level


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def place(name: str, topics: Mapping[str, Topic]) -> str:
    """The level of a tag: a child only under a well-known parent, otherwise the parent itself.

    `topics` are all topics by name, also inactive ones: a parent that was worked on for long stays well known.
    """
    area, slash, _ = name.partition("/")
    if not slash:
        return name
    child, parent = topics.get(name), topics.get(area)
    if child is not None and child.is_active:
        return name
    return name if parent is not None and parent.session_count >= SPLIT_SESSIONS else area


def touch(topic: Topic | None, tag: Tag, at: float, *, new_session: bool) -> Topic:
    """The topic after work on it at Unix time `at`; a new one with the tag's name when `topic` is None.

    Raises ValueError for a new topic without a name. A touch before the last one (an import) adds files and counts, but
    neither moves the last touch back nor reactivates a topic.
    """
    if topic is None:
        return _first(tag, at)
    return replace(
        topic,
        first_seen_at=min(topic.first_seen_at, at),
        last_touched_at=max(topic.last_touched_at, at),
        file_paths=merge(topic.file_paths, tag.file_paths, most=MAX_FILES),
        directories=merge(topic.directories, tag.directories, most=MAX_DIRECTORIES),
        touch_count=topic.touch_count + 1,
        session_count=topic.session_count + new_session,
        is_active=topic.is_active or at > topic.last_touched_at,
    )


def _first(tag: Tag, at: float) -> Topic:
    if tag.topic is None:
        raise ValueError("chatter has no topic to create")
    files = merge((), tag.file_paths, most=MAX_FILES)
    return Topic(tag.topic, at, at, files, merge((), tag.directories, most=MAX_DIRECTORIES))


def merge(old: Iterable[str], new: Iterable[str], *, most: int) -> tuple[str, ...]:
    """Both without repeats, newest last, the oldest dropped beyond `most`, without what names no file."""
    fresh = dict.fromkeys(_named(new))
    return (*(item for item in dict.fromkeys(_named(old)) if item not in fresh), *fresh)[-most:]


def _named(paths: Iterable[str]) -> Iterator[str]:
    """Paths without control characters, which would break a line of the focus file."""
    for path in paths:
        name = path if path.isprintable() else "".join(c for c in path if unicodedata.category(c)[0] != "C")
        if name.strip() and len(name) <= MAX_PATH:
            yield name


def within_limits(topic: Topic) -> Topic:
    """The topic with its files and directories cut to the limits."""
    return replace(
        topic,
        file_paths=merge((), topic.file_paths, most=MAX_FILES),
        directories=merge((), topic.directories, most=MAX_DIRECTORIES),
    )


MOST_WORDS = 100
"""Words at a text's beginning that are searched."""
LONGEST = 3
"""Most words of a name; the separator of `area/detail` may be any."""
WORD = re.compile(r"[\w.+#-]+")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Matches between the words of `camelCase`."""


def mentioned(text: str, *, knows: Callable[[str], bool], canonical: Callable[[str], str]) -> tuple[str, ...]:
    """The known topics in the order of their mention, each under its canonical name."""
    words = [level for word in WORD.findall(text)[:MOST_WORDS] if (level := normalise(word))]
    names = dict.fromkeys(name for start in range(len(words)) for name in _names(words[start : start + LONGEST]))
    return tuple(dict.fromkeys(name for name in map(canonical, names) if knows(name)))


def _names(words: Sequence[str]) -> Iterator[str]:
    """Names that the first of these normalised words may form, and names of two levels."""
    yield words[0]
    for count in range(2, len(words) + 1):
        yield "-".join(words[:count])
    yield "/".join(words[:2])
