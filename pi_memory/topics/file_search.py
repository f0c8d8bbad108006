"""Known files for a message that asks for a file ("which file has the invoice rounding?", "open the parser"). Pure.

The prompt then names them, and nobody has to search for what was worked on yesterday. English, as the messages are.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePosixPath

from pi_memory.topics.display import clean
from pi_memory.topics.names import CAMEL
from pi_memory.types import Topic

MOST = 5
"""Most files that are named."""

TOLD = 400
"""Most characters of their paths in the prompt."""

MOST_TOPICS = 200
"""Most topics whose files are looked at, the strongest first."""

READ = 500
"""Characters of a message that are read: who asks for a file says so at once."""

STEM, AROUND = 1.0, 0.4
"""What a word counts that is in a file's name, and one that is in its directories or in its topic's name."""

ALIKE = 0.8
"""Files at least this share as good as the best one are named as well."""

FILE = (
    r"(?:files?|modules?|scripts?|sources?|code|components?|class(?:es)?|functions?|methods?|headers?|configs?|path"
    r"|notebooks?|spreadsheets?|documents?|page|template|stylesheet|definition|implementation)"
)
OPEN = (
    r"(?:open|show|edit|read|view|display|find|locate|load|cat|get|give|bring\s+up|pull\s+up|go\s+to|jump\s+to|look\s+at"
    r"|look\s+into|take\s+me\s+to|take\s+a\s+look\s+at)"
)
POLITE = r"(?:(?:please|now|ok(?:ay)?|hey|so|then|and|let'?s|let\s+us|(?:can|could|would|will)\s+(?:you|we|i))[\s,]+)*"
END = r"(?P<what>[^.!?;:\n]*(?:\.\w[^.!?;:\n]*)*)"

WHICH = re.compile(
    rf"\b(?:(?:which|what)\s+(?:[\w-]+\s+)?{FILE}|(?:the\s+)?(?:name|path|location)\s+of\s+the\s+(?:[\w-]+\s+)?{FILE}"
    rf"|{OPEN}\s+(?:me\s+|up\s+)?(?:the|my|our|that)\s+{FILE})\b{END}",
    re.IGNORECASE,
)
"""A file is asked for by that name: one of the words that describe it has to be known."""

WHERE = re.compile(
    rf"\bwhere(?:'s|\s+(?:is|are|was|were|do|does|did|can|could|would|should|to|in))\s+{END}", re.IGNORECASE
)
THE = re.compile(
    rf"(?:^|[.!?;\n]\s*){POLITE}{OPEN}\s+(?:me\s+|up\s+)?(?:(?:the|my|our|that|this)\s+{END}|(?P<name>[\w./~-]+)\s*[.!]?\s*$)",
    re.IGNORECASE,
)
"""Something is asked for that may be a file: every word of it has to be known, one of them as the name of a file."""

CODED = re.compile(
    rf"\b(?:{FILE}|defined?|implement(?:ed)?|handled?|computed?|calculated?|stored?|configured?|declared?|written)\b",
    re.IGNORECASE,
)
"""What makes of `where is the rounding` a question about code."""

TAIL = re.compile(
    r"\b(?:in|for|with|of|from|at|on|to|that|which|where|and|then|so|because|but|again)\b.*", re.IGNORECASE
)
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
"""Words that do not tell one file from another."""


def files_asked_for(message: str, topics: Sequence[Topic], *, most: int = MOST) -> tuple[str, ...]:
    """The known files that a user's message asks for, the best first; none unless it asks for a file.

    `topics` are the active ones, the strongest first.
    """
    request = _request(message[:READ])
    return _best(request, topics, most) if request is not None and request.words else ()


def files_about(words: str, topics: Sequence[Topic], *, most: int = MOST) -> tuple[str, ...]:
    """The known files whose names or topics have some of these words, the best first."""
    return _best(_asking(words[:READ], strict=False), topics, most)


def _best(request: "_Request", topics: Sequence[Topic], most: int) -> tuple[str, ...]:
    scores: dict[str, float] = {}
    for path, around in _known(topics[:MOST_TOPICS]):
        if (score := request.score(path, around)) and path not in scores:
            scores[path] = score
    best = max(scores.values(), default=0.0)
    return tuple(sorted((p for p in scores if scores[p] >= ALIKE * best), key=lambda p: -scores[p]))[:most]


def told(paths: Sequence[str]) -> str:
    """The files in a line for the model, as many as it has room for; empty without any."""
    ends = accumulate(len(path) + 2 for path in paths)
    shown = [clean(path) for path, end in zip(paths, ends, strict=True) if end <= TOLD]
    return f"(Files they have worked on: {', '.join(shown)})" if shown else ""


@dataclass(frozen=True, slots=True)
class _Request:
    """The words of what is asked for; with `strict` all of `head` must be known, and one be in a file's name."""

    words: frozenset[str]
    head: frozenset[str]
    strict: bool

    def score(self, path: str, around: frozenset[str]) -> float:
        """How well a file fits, 0: not at all."""
        stem = _words(PurePosixPath(path).name)
        known = stem | _words(path) | around
        if not ((self.head <= known and self.head & stem) if self.strict else self.words & (stem | around)):
            return 0.0
        return sum(STEM if word in stem else AROUND if word in known else 0.0 for word in self.words)


def _request(message: str) -> _Request | None:
    if which := WHICH.search(message):
        return _asking(which[0], strict=False)
    if where := WHERE.search(message):
        return _asking(where["what"], strict=not CODED.search(where["what"]))
    if the := THE.search(message):
        return _asking(the["name"] or the["what"], strict=True)
    return None


def _asking(text: str, *, strict: bool) -> _Request:
    head = _words(TAIL.sub("", text))
    return _Request(_words(text), head, strict)


def _known(topics: Sequence[Topic]) -> Iterator[tuple[str, frozenset[str]]]:
    """Every known file with the words of its topic, the newest first."""
    for topic in topics:
        around = _words(topic.name)
        for path in reversed(topic.file_paths):
            yield path, around


def _words(text: str) -> frozenset[str]:
    """The words that tell something, in lower case and without their endings."""
    found = re.findall(r"[^\W_]+", CAMEL.sub(" ", text).lower())
    return frozenset(_root(word) for word in found if word not in EMPTY)


def _root(word: str) -> str:
    """`parser`, `parsing` and `parse` are about the same."""
    for ending in ("ations", "ation", "ings", "ing", "ers", "er", "ors", "or", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
