"""Known files for a query that is not part of a path ("invoice rounding"): by the words of names and topics. Pure."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from pi_memory.topics.names import CAMEL
from pi_memory.types import Topic

MOST_TOPICS = 200
"""Most topics whose files are searched, the strongest first."""

READ = 500
"""Characters of a query that are read."""

STEM, AROUND = 1.0, 0.4
"""Scores of a word in a file's name, and of one in its directories or its topic's name."""

ALIKE = 0.8
"""Files at least this share as good as the best one are found as well."""

EMPTY = frozenset(
    re.findall(
        r"\S+",
        """
        a an and any are as at be by can code could did do does done edit find for from get give go had
        handle handles has have i in into is it its last let like locate look me my now of on open or our
        out please put read same see show so that the their them then there these they this those to up us
        use used uses was we were what where which will with would you your define defined defines implement
        implemented implements compute computes computed calculate calculates calculated contain contains
        containing store stores stored handled live lives keep keeps kept configured declared written wrote
        worked working work called named file files module modules script scripts source sources component
        components class classes function functions method methods path page document documents location
        name
        """,
    )
)
"""Words that do not distinguish files."""


def files_about(query: str, topics: Sequence[Topic], *, most: int) -> tuple[str, ...]:
    """The known files whose names or topics have some of these words, the best first.

    `topics` are the active ones, the strongest first.
    """
    wanted = _words(query[:READ])
    scores: dict[str, float] = {}
    for path, around in _known(topics[:MOST_TOPICS]):
        if (score := _score(wanted, path, around)) and path not in scores:
            scores[path] = score
    best = max(scores.values(), default=0.0)
    return tuple(sorted((p for p in scores if scores[p] >= ALIKE * best), key=lambda p: -scores[p]))[:most]


def _score(wanted: frozenset[str], path: str, around: frozenset[str]) -> float:
    """How well a file fits; 0 when neither its name nor its topic has any of the words."""
    stem = _words(PurePosixPath(path).name)
    if not wanted & (stem | around):
        return 0.0
    known = stem | _words(path) | around
    return sum(STEM if word in stem else AROUND if word in known else 0.0 for word in wanted)


def _known(topics: Sequence[Topic]) -> Iterator[tuple[str, frozenset[str]]]:
    """Every known file with the words of its topic, newest first."""
    for topic in topics:
        around = _words(topic.name)
        for path in reversed(topic.file_paths):
            yield path, around


def _words(text: str) -> frozenset[str]:
    """The content words, in lower case and without endings."""
    found = re.findall(r"[^\W_]+", CAMEL.sub(" ", text).lower())
    return frozenset(_root(word) for word in found if word not in EMPTY)


def _root(word: str) -> str:
    """The common root of `parser`, `parsing` and `parse`."""
    for ending in ("ations", "ation", "ings", "ing", "ers", "er", "ors", "or", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
