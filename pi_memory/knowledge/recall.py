"""Recall: what is known that answers a query, from memories and verbatim messages, by words and by meaning.

Score = similarity x strength x (1 + boost). Similarity is made from the evidence of a text and of what was said around
it (`evidence.py`), and from what kind of message it is. What was said verbatim has a strength of 1: it does not fade,
it is erased when its time is over.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from pi_memory.embedding.calibration import NEVER, Calibration, calibrate
from pi_memory.errors import EmbedderError
from pi_memory.knowledge import evidence, gate, namespaces, words
from pi_memory.knowledge.evidence import Evidence, Rows
from pi_memory.knowledge.memories import Memories, strength
from pi_memory.knowledge.namespaces import Scope
from pi_memory.knowledge.passages import Passages
from pi_memory.knowledge.remembered import Remembered
from pi_memory.knowledge.shelf import Shelf, View
from pi_memory.knowledge.told import block
from pi_memory.loader import Loader
from pi_memory.store import passages as stored
from pi_memory.store.database import Database
from pi_memory.turn import Embedder, Memory, Recalled, Vectors

Kind = Literal["memory", "exchange"]
Boost = Callable[[Sequence[str]], float]
KINDS: tuple[Kind, ...] = ("memory", "exchange")

MOST_TOLD = 15
"""Results of which a prompt is told what passes the gate and fits (seed 003)."""
READ = 60
"""Candidates whose texts are read, or three times as many as are asked for."""
SIGNAL = 0.1
"""What similarity gains for who says it and for a time that is asked for, and loses for a question."""


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate: its kind, its id there, and its evidence."""

    kind: Kind
    id: int
    similarity: float
    words: float
    meaning: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A query: its terms, and whether it asks for a time."""

    terms: frozenset[str]
    when: bool


class Recall:
    """`attention` gives, for a session and a query, the boost that memories have by their topics, from 0 to 1."""

    def __init__(
        self,
        db: Database,
        memories: Memories,
        *,
        remembered: Remembered,
        passages: Passages,
        embedder: Loader[Embedder],
    ) -> None:
        self.attention: Callable[[str | None, str], Boost] = lambda session, query: _unattended
        self._db = db
        self._memories = memories
        self._parts = (remembered, passages)
        self._shelves: dict[Kind, Shelf] = {"memory": remembered.shelf, "exchange": passages.shelf}
        self._embedder = embedder
        self._calibration: tuple[str, Calibration] = ("", NEVER)

    async def start(self) -> None:
        """Have everything found by its words, and by its meaning soon after the embedder is there."""
        for part in self._parts:
            await part.start()

    async def stop(self) -> None:
        for part in self._parts:
            await part.stop()

    async def search(
        self,
        query: str,
        *,
        k: int,
        scope: Scope,
        now: float,
        kinds: Collection[Kind] = KINDS,
        session: str | None = None,
    ) -> list[Recalled]:
        """The `k` best answers to `query` that `scope` sees, best first; one for each memory and message. What is
        attended to in `session` comes before what is not.

        Raises `StoreError`. Without an embedder, or when it fails, words must do.
        """
        wanted = words.terms(query)
        vector = await self._vector(query)
        found = await self._candidates(wanted, vector, scope=scope, kinds=kinds)
        found = sorted(found, key=lambda f: -f.similarity)[: max(READ, 3 * k)]
        shown = [await self._remembered(found, now, self.attention(session, query)), await self._said(found)]
        asked = Asked(frozenset(wanted), words.asks_when(query))
        results = [_signalled(result, asked) for results in shown for result in results]
        return sorted(results, key=lambda r: (-r.score, -r.at))[:k]

    async def for_turn(
        self,
        query: str,
        *,
        scope: Scope,
        told: Collection[str],
        tokens: int,
        count: Callable[[str], int],
        now: float,
        session: str | None = None,
        but: str | None = None,
    ) -> tuple[str, tuple[Recalled, ...]]:
        """What to tell the model with a message, at most `tokens` of it, and what it is made of; ("", ()) for nothing.

        `told` are the contents that stand in the prompt already, and so does what was said in the conversation `but`.
        The memories that are told are reinforced.
        """
        if not gate.asks_something(query):
            return "", ()
        found = await self.search(query, k=MOST_TOLD + len(told), scope=scope, now=now, session=session)
        by_meaning = self._embedder.now.dimensions > 0
        new = [r for r in found if r.content not in told and (but is None or r.conversation_id != but)]
        fit = [r for r in new if gate.passes(r, by_meaning=by_meaning)]
        text, chosen = block(fit[:MOST_TOLD], tokens=tokens, count=count)
        await self._memories.used([r.id for r in chosen if r.kind == "memory"], now)
        return text, chosen

    async def _candidates(
        self, wanted: Sequence[str], vector: Vectors | None, *, scope: Scope, kinds: Collection[Kind]
    ) -> list[Found]:
        views = {
            kind: shelf.view(partial(namespaces.covers, seen=scope))
            for kind, shelf in self._shelves.items()
            if kind in kinds
        }
        hits = {kind: await self._hits(kind, view, wanted) for kind, view in views.items() if len(view.ids)}
        found = []
        for kind, rows in hits.items():
            view = views[kind]
            weighed = evidence.weigh(view.field, rows, self._meaning(self._shelves[kind], view, vector))
            found += _best(kind, view, weighed)
        return found

    async def _hits(self, kind: Kind, view: View, wanted: Sequence[str]) -> list[Rows]:
        """The rows of `view` that have each term."""
        terms = [words.quoted(term) for term in wanted]
        if kind == "memory":
            found = await self._memories.with_terms(terms)
        else:
            found = await self._db.read(partial(stored.with_terms, terms=terms))
        return [view.rows(ids) for ids in found]

    def _meaning(self, shelf: Shelf, view: View, vector: Vectors | None) -> Vectors | None:
        """Nearness to the query on the embedder's scale: 0 for unrelated texts, 1 for those that say the same."""
        if vector is None or shelf.matrix is None:
            return None
        scale = self._calibration[1]
        span = scale.same - scale.unrelated_mean
        near: Vectors = np.clip((shelf.cosines(view, vector) - scale.unrelated_mean) / span, 0.0, 1.0)
        return near

    async def _vector(self, query: str) -> Vectors | None:
        embedder = self._embedder.now
        if not embedder.dimensions:
            return None
        try:
            if self._calibration[0] != embedder.id:
                self._calibration = (embedder.id, await calibrate(embedder))
            vector: Vectors = (await embedder.embed([query]))[0]
        except EmbedderError:
            return None
        return vector

    async def _remembered(self, found: Sequence[Found], now: float, boost: Boost) -> list[Recalled]:
        of_id = {f.id: f for f in found if f.kind == "memory"}
        there = await self._memories.several(list(of_id)) if of_id else []
        return [self._from_memory(memory, of_id[memory.id], now, boost) for memory in there if memory.is_valid]

    def _from_memory(self, memory: Memory, found: Found, now: float, boost: Boost) -> Recalled:
        return Recalled(
            id=memory.id,
            kind="memory",
            content=memory.content,
            score=0.0,
            similarity=found.similarity,
            strength=strength(memory, now),
            boost=min(1.0, boost(memory.topics)),
            cosine=found.meaning,
            words=found.words,
            at=memory.updated_at,
            type=memory.type,
            namespace=memory.namespace,
        )

    async def _said(self, found: Sequence[Found]) -> list[Recalled]:
        of_id = {f.id: f for f in found if f.kind == "exchange"}
        there = await self._db.read(partial(stored.shown, ids=list(of_id))) if of_id else {}
        return [
            Recalled(
                id=said.id >> 1,
                kind="exchange",
                content=said.text,
                score=0.0,
                similarity=of_id[said.id].similarity,
                strength=1.0,
                boost=0.0,
                cosine=of_id[said.id].meaning,
                words=of_id[said.id].words,
                at=said.at,
                role="assistant" if said.id & 1 else "user",
                conversation_id=said.conversation_id,
                ref=said.ref,
            )
            for said in there.values()
        ]


def _best(kind: Kind, view: View, weighed: Evidence) -> list[Found]:
    """Those texts of a view that have any evidence, at most ten times as many as are read."""
    rows = np.argsort(-weighed.similarity, kind="stable")[: 10 * READ]
    return [
        Found(
            kind,
            int(view.ids[row]),
            *(float(part[row]) for part in (weighed.similarity, weighed.words, weighed.meaning)),
        )
        for row in rows
        if weighed.similarity[row] > 0
    ]


def _signalled(result: Recalled, asked: Asked) -> Recalled:
    """The result with its score: a question is seldom an answer; who is asked about says it; a time answers `when`."""
    signals = -words.asks(result.content) if result.kind == "exchange" else 0
    signals += not asked.terms.isdisjoint(words.speaker(result.content))
    signals += asked.when and words.tells_time(result.content)
    similarity = min(1.0, max(0.0, result.similarity + SIGNAL * signals))
    return replace(result, similarity=similarity, score=similarity * result.strength * (1 + result.boost))


def _unattended(topics: Sequence[str]) -> float:
    return 0.0
