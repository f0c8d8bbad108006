"""Candidates: the texts with the most evidence for a query, found and read in one visit to the store's thread."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sqlite_utils import Database

from pi_memory.knowledge import evidence
from pi_memory.knowledge.shelf import View
from pi_memory.store import memories, memory_words, passage_words, passages
from pi_memory.store.passages import Said
from pi_memory.turn import Memory, Vectors

Kind = Literal["memory", "exchange"]
LENGTHS = 2.0
"""How many times as long as the user's messages an assistant's replies are."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: the texts of a kind that a query may see, and how near each is in meaning, from 0 to 1.

    `meaning` is None without an embedder.
    """

    kind: Kind
    view: View
    meaning: Vectors | None


@dataclass(frozen=True, slots=True)
class Window:
    """What need not be found: said in `conversation` at Unix time `since` or later, it stands in the prompt already."""

    conversation: str
    since: float = -math.inf


@dataclass(frozen=True, slots=True)
class Found:
    """A text, and what speaks for it. `at_length` tells that where it was said, an assistant replies at length."""

    text: Memory | Said
    similarity: float
    words: float
    meaning: float
    at_length: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a text is, and what speaks for it."""

    kind: Kind
    id: int
    similarity: float
    words: float
    meaning: float
    at_length: bool


def look_up(
    db: Database, places: Sequence[Place], *, terms: Sequence[str], most: int, window: Window | None
) -> list[Found]:
    """At most `most` texts of all places that have any evidence, best first; `terms` are expressions of FTS5."""
    hits = [hit for place in places for hit in _hits(db, place, terms=terms, most=most, window=window)]
    hits = sorted(hits, key=lambda hit: -hit.similarity)[:most]
    texts: dict[tuple[Kind, int], Memory | Said] = {}
    for memory in memories.several(db, [hit.id for hit in hits if hit.kind == "memory"]):
        if memory.is_valid:
            texts["memory", memory.id] = memory
    for said in passages.shown(db, [hit.id for hit in hits if hit.kind == "exchange"]):
        texts["exchange", said.id] = said
    there = [(texts.get((hit.kind, hit.id)), hit) for hit in hits]
    return [
        Found(text, hit.similarity, hit.words, hit.meaning, hit.at_length) for text, hit in there if text is not None
    ]


def _hits(db: Database, place: Place, *, terms: Sequence[str], most: int, window: Window | None) -> Iterator[Hit]:
    view, index = place.view, memory_words if place.kind == "memory" else passage_words
    rows = [view.rows(ids) for ids in index.holders(db, terms)]
    found = evidence.weigh(view.field, rows, place.meaning)
    if window is not None and place.kind == "exchange":
        found.similarity[_within(db, view, window)] = 0.0
    best, at_length = _best(found.similarity, most), place.kind == "exchange" and _at_length(view)
    signs = (each[best].tolist() for each in (view.ids, found.similarity, found.words, found.meaning))
    for number, similarity, words, meaning in zip(*signs, strict=True):
        yield Hit(place.kind, number, similarity, words, meaning, at_length)


def _at_length(view: View) -> bool:
    """Whether replies are much longer than what they reply to, as an assistant's are; two people write alike."""
    replies, lengths = view.ids & 1 == 1, view.field.lengths
    if not replies.any() or replies.all():
        return False
    return bool(lengths[replies].mean() > LENGTHS * lengths[~replies].mean())


def _within(db: Database, view: View, window: Window) -> evidence.Rows:
    """The rows of what was said within the window."""
    own = np.flatnonzero(view.field.threads == passages.session(db, window.conversation))
    return own[passages.said_before(db, view.ids[own].tolist(), window.since) :]


def _best(similarity: Vectors, most: int) -> evidence.Rows:
    """The rows of the best that have any evidence."""
    rows = np.flatnonzero(similarity)
    if len(rows) > most:
        rows = rows[np.argpartition(-similarity[rows], most)[:most]]
    return rows
