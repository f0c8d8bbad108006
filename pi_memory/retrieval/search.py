"""The search of memories and verbatim messages, by words and by meaning.

Score = similarity x strength x (1 + boost). Similarity is made from the evidence of a text and of its neighbours
(`scoring.py`), and from the kind of message. A verbatim message has a strength of 1: it does not fade, it is erased
when its time is over. This ranks candidates. For a question, `recall/judging.py` scores statements
anew, sentence by sentence, and replaces `score`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.embedding import reading, token_codes
from pi_memory.embedding.calibration import Calibration, Scale
from pi_memory.embedding.kept_vectors import KeptVectors
from pi_memory.embedding.token_codes import QueryTokens
from pi_memory.errors import EmbedderError
from pi_memory.memories import namespaces
from pi_memory.memories.memories import strength
from pi_memory.memories.namespaces import Scope
from pi_memory.retrieval import candidates, time_window
from pi_memory.retrieval.candidates import Found, Hit, Kind, Only, PromptWindow, SearchSpace, Wanted
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.ram_index import RamIndex, View
from pi_memory.retrieval.time_window import TimeWindow
from pi_memory.store import memory_fts, messages
from pi_memory.store.database import Database
from pi_memory.store.messages import StoredMessage
from pi_memory.text import query_terms
from pi_memory.text.language import pattern
from pi_memory.text.persons import by_user
from pi_memory.types import Memory, Recalled, Role, Vectors
from pi_memory.worker import Worker

Boost = Callable[[Sequence[str]], float]
Attended = Callable[[str | None, str], Boost]
KINDS: tuple[Kind, ...] = ("memory", "exchange")

READ = 100
"""Candidates whose texts are read, or three times as many as are asked for."""
READ_NEAREST = 24
"""Nearest messages in meaning that are read besides: an answer may share no word with its question."""
WORDS = 2_000
"""Words whose vectors are kept for the next queries."""
MOST = 15
"""Most hits for a query, unless more are asked for."""
READ_LATE = 8
"""Most texts without vectors yet, as they were written just now or there is a new embedder, that get theirs at once."""
SIGNAL = 0.13
"""Bonus for the speaker who is asked about and for a time that is asked for; penalty for a question or a long reply."""
COMPANY = 0.1
"""Share of the best other message of its conversation that a message gains."""
LEAST_BEARING = 0.05
"""Least cosine of a term to the query."""
NAMING = 4_000
"""Characters of a query in which a topic or a project may be named."""


class SearchRequest(Struct, frozen=True):
    """What is searched for: the `k` best hits for `query` that `scope` sees. The topics of `session` boost memories;
    messages that are `in_prompt` are left out. `at` is when it is asked, `now` unless given: "last week" is the one
    before. `only` is what may be found, and `nearest` how many of the nearest in meaning are read then; `having` the
    type and priority of memories.
    """

    query: str
    scope: Scope
    now: float
    k: int = MOST
    kinds: Collection[Kind] = KINDS
    session: str | None = None
    in_prompt: PromptWindow | None = None
    at: float | None = None
    only: Only | None = None
    nearest: int = READ_NEAREST
    having: Collection[str] = ()

    @property
    def asked_at(self) -> float:
        return self.now if self.at is None else self.at


class Query(Struct, frozen=True):
    """A query: its terms, whether it asks for a time, whether replies come after what the user said themselves, and the
    time that it is about.
    """

    terms: tuple[str, ...]
    when: bool
    not_replies: bool
    period: TimeWindow | None

    def similarity(self, found: Hit, text: str, *, role: Role | None = None) -> float:
        """The similarity with signals: the speaker who is asked about; a time for `when`. A question seldom answers a
        question that people ask each other; in a chat with an assistant, its replies come second.
        """
        signals = float(any(term in self.terms for term in query_terms.speaker(text)))
        signals += self.when and query_terms.tells_time(text)
        if found.at_length:  # what is asked of an assistant is often what matters: "I just moved; any tips?"
            signals -= self.not_replies and role == "assistant"
        else:
            signals -= role is not None and query_terms.share_asking(text)
        return max(0.0, found.similarity + SIGNAL * signals)

    def passes_over(self, found: Hit, said: StoredMessage) -> bool:
        """Whether a message answers nothing: a reply of ours, unless those are asked for; a question, unless it bids an
        assistant to do something, which it did at length.
        """
        if said.aside != messages.ASIDE:
            return False
        if messages.is_reply(said.id):
            return self.not_replies
        return not found.at_length or (said.source == "chat" and not pattern("wants_done").match(said.text))


class Aim(Struct, frozen=True):
    """A vector that texts are to be near to, with the cosines to it of unrelated texts and of the same meaning."""

    vector: Vectors
    unrelated: float
    same: float

    @classmethod
    def of(cls, vector: Vectors, scale: Calibration) -> "Aim":
        return cls(vector, scale.unrelated_mean, scale.same)

    def nearness(self, cosines: Vectors) -> Vectors:
        """The calibrated cosines: 0 for unrelated texts, 1 for the same meaning."""
        near: Vectors = np.clip((cosines - self.unrelated) / (self.same - self.unrelated), 0.0, 1.0)
        return near


class QueryMeaning(Struct, frozen=True):
    """The meaning of a query, and what each of its terms has of it."""

    aim: Aim
    bearing: Vectors
    """The share of the query's meaning that each term has by itself, in [0, 1]: `planning a trip to Denver` is about
    Denver.
    """
    tokens: QueryTokens | None
    """What its words mean where they stand; None where the embedder does not say."""

    def nearness(self, index: RamIndex, view: View) -> Vectors | None:
        """The nearness of each text of `view`. None without vectors."""
        if index.matrix is None or index.matrix.dimensions != len(self.aim.vector):
            return None
        return self.aim.nearness(index.cosines(view, self.aim.vector))


class Search:
    """`attention` gives, for a session and a query, the boost of memories by their topics, in [0, 1]."""

    def __init__(
        self,
        db: Database,
        *,
        memory_index: MemoryIndex,
        message_index: MessageIndex,
        scale: Scale,
        worker: Worker,
        attention: Attended = lambda session, query: _unattended,
    ) -> None:
        self._attention = attention
        self._db = db
        self._memory_index = memory_index
        self._message_index = message_index
        self._indexes: dict[Kind, RamIndex] = {"memory": memory_index.ram_index, "exchange": message_index.ram_index}
        self._scale = scale
        self._worker = worker
        self._words = KeptVectors(WORDS, reading.by_words)

    def namespaces(self) -> dict[str, int]:
        """How many memories hold in each namespace."""
        return self._memory_index.ram_index.counts()

    async def start(self) -> None:
        """Index everything by its words; by vectors once the embedder is ready."""
        await self._memory_index.start()
        await self._message_index.start()

    async def stop(self) -> None:
        await self._memory_index.stop()
        await self._message_index.stop()

    def let_go(self) -> None:
        """Keep nothing of what was asked."""
        self._words.let_go()

    async def search(self, request: SearchRequest) -> list[Recalled]:
        """The hits, best first; one for each memory and message.

        Raises `StoreError`. Without an embedder, or when it fails, words must do.
        """
        query, terms = request.query, query_terms.terms(request.query)
        meaning = await self._meaning(query, terms)
        indexes = {kind: i.snapshot() for kind, i in self._indexes.items() if kind in request.kinds and len(i)}
        sees = partial(namespaces.covers, seen=request.scope)
        chosen = partial(RamIndex.view, sees=sees, having=frozenset(request.having))
        plan = partial(_plan, chosen=chosen, meaning=meaning, at=request.asked_at)
        parsed, places = await self._worker.run(plan, query, terms, indexes)
        if not places:
            return []
        self._index_words()
        wanted = Wanted(
            terms=[query_terms.quoted(term) for term in terms],
            most=max(READ, 3 * request.k),
            in_prompt=request.in_prompt,
            period=parsed.period,
            bearing=None if meaning is None else meaning.bearing,
            past=query_terms.asks_past(query),
            only=request.only,
            nearest=request.nearest if request.only and meaning else 0,
            tokens=None if meaning is None else meaning.tokens,
        )
        found = await self._db.read(partial(candidates.look_up, places=places, wanted=wanted))
        boost = self._attention(request.session, query[:NAMING])
        ranked = await self._worker.run(_rank, found, parsed, now=request.now, boost=boost, k=request.k)
        return ranked if meaning is None else await self._with_nearness(ranked, meaning, indexes)

    async def _with_nearness(
        self, ranked: list[Recalled], meaning: QueryMeaning, indexes: Mapping[Kind, RamIndex]
    ) -> list[Recalled]:
        """The hits, the first of those whose vectors are still to be made with their nearness."""
        far: dict[Kind, list[int]] = {
            kind: [_id_in_index(each) for each in ranked if each.kind == kind and not each.cosine] for kind in indexes
        }
        missing = {(kind, id_) for kind, index in indexes.items() for id_ in index.without_vectors(far[kind])}
        late = [each for each in ranked if (each.kind, _id_in_index(each)) in missing][:READ_LATE]
        if not late:
            return ranked
        try:
            vectors = await self._scale.embedder.now.embed([by_user(each.content) for each in late])
        except EmbedderError:
            return ranked
        near = zip(late, meaning.aim.nearness(vectors @ meaning.aim.vector).tolist(), strict=True)
        known = {(each.kind, each.id, each.role): nearness for each, nearness in near}
        return [replace(r, cosine=known.get((r.kind, r.id, r.role), r.cosine)) for r in ranked]

    def _index_words(self) -> None:
        """Index the words of new memories before the next read. Not awaited."""
        if self._memory_index.unindexed:
            self._memory_index.unindexed = False
            self._db.write(memory_fts.index)

    async def _meaning(self, query: str, terms: Sequence[str]) -> QueryMeaning | None:
        """None without an embedder, or when it fails."""
        embedder = self._scale.embedder.now
        if not embedder.dimensions:
            return None
        try:
            scale = await self._scale.measured()
            (vector,), (tokens,) = await token_codes.embed(embedder, [query])
            (whole,) = await reading.by_words(embedder, [query])  # not kept: a message may be long
            bearing = np.sqrt(np.clip(await self._words.of(terms, embedder) @ whole, LEAST_BEARING, 1.0))
            query_tokens = QueryTokens(embedder.id, terms, tokens) if tokens.ids else None
            return QueryMeaning(Aim.of(vector, scale), bearing, query_tokens)
        except EmbedderError:
            return None


def _plan(
    query: str,
    terms: tuple[str, ...],
    indexes: Mapping[Kind, RamIndex],
    *,
    chosen: Callable[[RamIndex], View],
    meaning: QueryMeaning | None,
    at: float,
) -> tuple[Query, list[SearchSpace]]:
    """The query with its signs, and where to search."""
    places = []
    for kind, index in indexes.items():
        view = chosen(index)
        if len(view.ids):
            places.append(SearchSpace(kind, view, None if meaning is None else meaning.nearness(index, view)))
    not_replies = not query_terms.asks_assistant(query)
    return Query(terms, query_terms.asks_when(query), not_replies, _period(query, places, at)), places


def _period(query: str, places: Sequence[SearchSpace], at: float) -> TimeWindow | None:
    """The time that is asked about at Unix time `at`. When nothing was said then, as in conversations that ended long
    ago, the newest message says what `last week` was.
    """
    times = [place.view.field.times for place in places if place.kind == "exchange"]
    period = time_window.period(query, at)
    if period is None or not times or any(((t >= period.begin) & (t <= period.end)).any() for t in times):
        return period
    return time_window.period(query, min(at, *(float(t.max()) for t in times)))


def _rank(found: Found, query: Query, *, now: float, boost: Boost, k: int) -> list[Recalled]:
    """The `k` best, best first, each without what does not hold any more; what answers nothing, or may not hold any
    more, after all others.
    """
    texts = {place_of(text): text for _, text in found.hits}
    asides = {
        place_of(text)
        for each, text in found.hits
        if each.is_doubted or (isinstance(text, StoredMessage) and query.passes_over(each, text))
    }
    results = [
        _from_memory(text, each, query=query, now=now, boost=boost)
        if isinstance(text, Memory)
        else _from_message(text, each, query=query)
        for each, text in found.hits
    ]
    ranked = sorted(_in_company(results), key=lambda r: ((r.id, r.role) in asides, -r.score, -r.at))
    asked = frozenset(query.terms)
    left = ((each, found.ended.without(texts[each.id, each.role], asked)) for each in ranked)
    holding = (_with_text(each, text) for each, text in left if text is not None)
    return list(islice(holding, k))


def _with_text(result: Recalled, said: Memory | StoredMessage) -> Recalled:
    text = said.content if isinstance(said, Memory) else said.text
    return result if text == result.content else replace(result, content=text, as_said=result.content)


def place_of(said: Memory | StoredMessage) -> tuple[int, Role | None]:
    if isinstance(said, Memory):
        return said.id, None
    return messages.exchange_of(said.id), "assistant" if messages.is_reply(said.id) else "user"


def _in_company(results: Sequence[Recalled]) -> Iterator[Recalled]:
    """The results, each message with more for the best other one of its conversation: both are about the same."""
    scores: dict[str, list[float]] = {}
    for result in results:
        if result.conversation_id is not None:
            scores.setdefault(result.conversation_id, []).append(result.score)
    best = {conversation: sorted(each, reverse=True)[:2] for conversation, each in scores.items()}
    for result in results:
        first, *second = best.get(result.conversation_id or "", [0.0])
        other = (second[0] if second else 0.0) if result.score == first else first
        more = COMPANY * other
        yield replace(result, score=result.score + more, similarity=result.similarity + more) if more else result


def _from_memory(memory: Memory, found: Hit, *, query: Query, now: float, boost: Boost) -> Recalled:
    similarity, kept = query.similarity(found, memory.content), strength(memory, now)
    more = min(1.0, boost(memory.topics))
    return Recalled(
        id=memory.id,
        kind="memory",
        content=memory.content,
        score=similarity * kept * (1 + more),
        similarity=similarity,
        strength=kept,
        boost=more,
        cosine=found.nearness,
        words=found.words,
        at=memory.updated_at,
        type=memory.type,
        namespace=memory.namespace,
        instead_of=found.instead_of,
    )


def _from_message(said: StoredMessage, found: Hit, *, query: Query) -> Recalled:
    number, role = place_of(said)
    similarity = query.similarity(found, said.text, role=role)
    return Recalled(
        id=number,
        kind="exchange",
        content=said.text,
        score=similarity,
        similarity=similarity,
        strength=0.0 if said.aside == messages.REMARK else 1.0,
        boost=0.0,
        cosine=found.nearness,
        words=found.words,
        at=said.at,
        role=role,
        conversation_id=said.conversation_id,
        ref=said.ref,
        source=said.source,
    )


def _id_in_index(found: Recalled) -> int:
    return found.id if found.kind == "memory" else message_id(found)


def message_id(found: Recalled) -> int:
    return messages.id_of(found.id, reply=found.role == "assistant")


def _unattended(topics: Sequence[str]) -> float:
    return 0.0
