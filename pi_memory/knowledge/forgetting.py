"""What makes two texts the same to the one who wants them forgotten, and texts without them. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

BETWEEN = r"[\W_]+"
SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|\n")
CLAUSE_END = re.compile(r"[,;:–—](?=\s)")
DISTINCT_WORDS = 3
"""A text of fewer words may stand in many a sentence that has nothing to do with it."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What was forgotten: the memories' ids, their texts as they were, and the exchanges that were rewritten.

    A text that is not `is_distinct` is looked for in `evidence`, and elsewhere where it is a whole sentence.
    """

    memory_ids: tuple[int, ...]
    texts: tuple[str, ...]
    evidence: frozenset[int] = frozenset()
    exchange_ids: tuple[int, ...] = ()

    @property
    def everywhere(self) -> tuple[str, ...]:
        """The texts whose every occurrence means what was forgotten."""
        return tuple(text for text in self.texts if is_distinct(text))

    def clean(self, text: str) -> str:
        """`text` without the sentences that say what was forgotten."""
        return without(without(text, self.everywhere), self.texts, whole=True)

    def purge(self, text: str) -> str:
        """`text` without the sentences in which any of the texts stands: for what can be done without."""
        return without(text, self.texts)


def normal(text: str) -> str:
    """The form in which texts are compared: casefolded, with one blank for whitespace and punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(BETWEEN, " ", folded).strip() or folded.strip()


def is_distinct(text: str) -> bool:
    return len(normal(text).split()) >= DISTINCT_WORDS


def parts(text: str) -> Iterator[str]:
    """A text, each of its sentences and their clauses, normalised: none of them may be one that was forgotten."""
    sentences = SENTENCE_END.split(text)
    clauses = (clause for sentence in sentences for clause in CLAUSE_END.split(sentence) if is_distinct(clause))
    return filter(None, map(normal, chain((text,), sentences, clauses)))


def without(text: str, forgotten: Iterable[str], *, whole: bool = False) -> str:
    """`text` without the sentences in which one of the forgotten texts stands, whatever its case and punctuation.

    `whole`: only the sentences that say nothing else.
    """
    for gone in sorted(forgotten, key=len, reverse=True):
        pattern, after = _pattern(gone), 0
        while pattern is not None and (found := pattern.search(text, after)):
            start, end = _sentence(text, *found.span())
            if whole and normal(text[start:end]) != normal(gone):
                after = found.end()
                continue
            text = (text[:start].rstrip(" ") + " " + text[end:].lstrip(" ")).strip(" ")
            after = 0
    return text


def says(text: str, forgotten: str) -> bool:
    """Whether the forgotten text stands in `text`."""
    pattern = _pattern(forgotten)
    return pattern is not None and pattern.search(text) is not None


def _pattern(text: str) -> re.Pattern[str] | None:
    words = [re.escape(word) for word in re.split(BETWEEN, text) if word]
    if not words:
        return None
    return re.compile(rf"(?<![^\W_]){BETWEEN.join(words)}(?![^\W_])", re.IGNORECASE)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentences from `start` to `end`."""
    first = max((found.end() for found in SENTENCE_END.finditer(text, 0, start)), default=0)
    last = SENTENCE_END.search(text, max(start, end - 1))
    return first, last.end() if last else len(text)
