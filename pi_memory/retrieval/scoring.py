"""How well each text answers a query: its words and its meaning, and the words of what was said around it. Pure.

An answer often stands beside the message that shares words with the question: "Did you go?" - "Yes, on Friday". So a
term counts for the message that has it, and by `NEAR` less for each message away from it, in the same conversation;
and half of what a message means is what is meant around it.
Every constant is from docs/authors/recall.md, where each was left out or changed in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pi_memory.types import Vectors

Rows = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.int32]

NEAR = 0.7
"""What is left of a term's weight one message on."""
REACH = 5
"""Messages that a term reaches."""
SATURATION, LENGTH = 0.4, 0.3
"""BM25's k1 and b. Small: a message is short, and each term counts once."""
MEANING = 0.3
"""The share of meaning in similarity; the rest is that of words."""
CELLS = 200_000
"""Texts times terms that are weighed at once: 0.8 MB for each step."""


@dataclass(frozen=True, slots=True)
class Field:
    """The texts among which is searched, by thread and in the order of each thread; arrays of shape (n,).

    A thread is a conversation; a text that stands alone is one of its own. `lengths` are in characters.
    """

    threads: Numbers
    lengths: Numbers

    def __len__(self) -> int:
        return len(self.threads)


@dataclass(frozen=True, slots=True)
class Evidence:
    """For each text of a field: `words` and `meaning` from 0 to 1, and `similarity`, which is made from both."""

    similarity: Vectors
    words: Vectors
    meaning: Vectors


def weigh(field: Field, hits: Sequence[Rows], meaning: Vectors | None) -> Evidence:
    """Score each text of `field`. `hits` are the rows that have a term, for each term of the query.

    `meaning` is nearness in meaning from 0 to 1, shape (n,); None when there is no embedder.
    """
    words = _words(field, hits)
    if meaning is None:
        return Evidence(words.copy(), words, np.zeros_like(words))
    meant = (meaning + _around(meaning[None], field.threads)[0]) / 2
    return Evidence((1 - MEANING) * words + MEANING * meant if hits else meant, words, meaning)


def rarity(matching: int, size: int) -> float:
    """The weight of a term that `matching` of `size` texts have: the inverse document frequency of BM25."""
    return float(np.log1p((size - matching + 0.5) / (matching + 0.5)))


def _words(field: Field, hits: Sequence[Rows]) -> Vectors:
    """The share of the query's terms, by their rarity, that a text and its neighbours have."""
    found = np.zeros(len(field), np.float32)
    if not hits or not len(field):
        return found
    weights = np.array([rarity(len(rows), len(field)) for rows in hits], np.float32)
    weights /= weights.sum()
    presence = _presence(field)
    at_once = max(1, CELLS // len(field))
    for start in range(0, len(hits), at_once):
        few = hits[start : start + at_once]
        alone = np.zeros((len(few), len(field)), np.float32)
        for row, places in zip(alone, few, strict=True):
            row[places] = presence[places]
        found += weights[start : start + at_once] @ _around(alone, field.threads)
    return found


def _presence(field: Field) -> Vectors:
    """What a term in each text counts, from 0 to 1: BM25 for one occurrence. The longer a text, the less."""
    relative = field.lengths / max(1.0, float(field.lengths.mean()))
    counted = (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH + LENGTH * relative))
    return np.minimum(counted, 1.0).astype(np.float32)


def _around(values: Vectors, threads: Numbers) -> Vectors:
    """For each text the largest of its own values and its neighbours', which count less the further away they are.

    `values` has a row for each term and a column for each text.
    """
    along = np.float32(NEAR) * (threads[1:] == threads[:-1])
    if not along.any():
        return values
    before, after = values.copy(), values.copy()
    for _ in range(REACH):
        np.maximum(before[:, 1:], along * before[:, :-1], out=before[:, 1:])
        np.maximum(after[:, :-1], along * after[:, 1:], out=after[:, :-1])
    return np.maximum(before, after)
