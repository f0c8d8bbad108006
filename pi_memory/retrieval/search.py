"""Recall: searches memories and verbatim messages, by words and by meaning.

Score = similarity x strength x (1 + boost). Similarity is made from the evidence of a text and of its neighbours
(`scoring.py`), and from the kind of message. A verbatim message has a strength of 1: it does not fade, it is erased
when its time is over. This ranks candidates. For a question, `gate.judge` scores statements anew, sentence by
sentence, and replaces `score`.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from pathlib import Path

import numpy as np
import sqlite_utils
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.embedding import reading, token_codes
from pi_memory.embedding.calibration import Calibration, Scale
from pi_memory.embedding.kept_vectors import KeptVectors
from pi_memory.embedding.token_codes import QueryTokens
from pi_memory.errors import EmbedderError
from pi_memory.judges.asked import Asked, may_ask
from pi_memory.judges.rereading import Rereading
from pi_memory.memories import namespaces
from pi_memory.memories.memories import strength
from pi_memory.memories.namespaces import Scope
from pi_memory.retrieval import called, candidates, gate, prompt_blocks, time_window
from pi_memory.retrieval.candidates import Found, Hit, Kind, Only, PromptWindow, SearchSpace, Wanted
from pi_memory.retrieval.gate import Judged
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex, namespace_of
from pi_memory.retrieval.prompt_blocks import PromptRoom
from pi_memory.retrieval.ram_index import RamIndex, View
from pi_memory.retrieval.time_window import TimeWindow
from pi_memory.store import exchanges, fts, memory_fts, messages
from pi_memory.store import memories as rows
from pi_memory.store.database import Database
from pi_memory.store.exchanges import ExchangeQuery
from pi_memory.store.messages import StoredMessage
from pi_memory.text import query_terms
from pi_memory.text.intent import Intent, Wish, intent_of, names_only, only_asks
from pi_memory.text.language import pattern
from pi_memory.text.persons import by_user
from pi_memory.text.secrets import masked, secret_in
from pi_memory.text.sentences import sentences, stems
from pi_memory.types import UNKEPT, Exchange, Memory, Recalled, Role, Vectors
from pi_memory.worker import Worker

Boost = Callable[[Sequence[str]], float]
Attended = Callable[[str | None, str], Boost]
KINDS: tuple[Kind, ...] = ("memory", "exchange")

READ = 100
"""Candidates whose texts are read, or three times as many as are asked for."""
READ_NEAREST = 24
"""Nearest messages in meaning that are read besides: an answer may share no word with its question."""
SAYS_MOST = 0.6
"""Share of a sentence's words from which on a memory that rests on it says it too."""
WORDS, SENTENCES = 2_000, 500
"""Words, and sentences of statements, whose vectors are kept for the next questions."""
READ_LATE = 8
"""Most texts without vectors yet, as they were written just now or there is a new embedder, that get theirs at once."""
SIGNAL = 0.13
"""Bonus for the speaker who is asked about and for a time that is asked for; penalty for a question or a long reply."""
LATELY = 7 * 86_400.0
"""Seconds of what changed, where no time is named."""
MOST_SOURCES = 3
"""Most that is shown of when something was told."""
COMPANY = 0.1
"""Share of the best other message of its conversation that a message gains."""
SHORTEST_WHOLE, GENERAL = 5, 0.05
"""From so many words on, a question says by itself what it is about. Up to this chance that only the user can have told
the answer, a question asks for general knowledge.
"""
LEAST_SPELLED = 5
"""Letters of a word that may be misspelt."""
LEAST_BEARING = 0.05
"""Least cosine of a term to the query."""
HALF = 0.5
"""A message states little when more than this share of its text asks."""
SHORT = 300
"""Most characters of an answer that comes with the question before it."""
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
    k: int = gate.MOST
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
    """`heads` is the folder of the learned judges. `attention` gives, for a session and a query, the boost of memories
    by their topics, in [0, 1].
    """

    def __init__(
        self,
        db: Database,
        *,
        memory_index: MemoryIndex,
        message_index: MessageIndex,
        scale: Scale,
        worker: Worker,
        heads: Path,
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
        self._sentences = KeptVectors(SENTENCES)
        self._asked = Asked(heads)
        self._rereading = Rereading(heads, scale.embedder)

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
        self._sentences.let_go()

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

    async def elsewhere(self, request: SearchRequest) -> dict[str, int]:
        """How many memories that bear on the query each project has that the request's scope does not see."""
        unseen = (name for name in self.namespaces() if not namespaces.covers(name, request.scope))
        projects = tuple(name for name in unseen if name.startswith("project/"))
        if not projects:
            return {}
        there = replace(request, k=gate.MOST, scope=projects)
        found = [each for each in await self.search(there) if each.kind == "memory"]
        bearing = gate.let_through(found, by_meaning=self._by_meaning)
        return dict(Counter((each.namespace or "").split("/")[1] for each in bearing))

    async def for_turn(self, request: SearchRequest, room: PromptRoom) -> tuple[str, tuple[Recalled, ...]]:
        """The recall block for a message, and the hits in it; ("", ()) for none.

        The intent decides how it is searched: courtesy not at all, for what was said in a time by that time, for a
        question by what answers it, for all else by what is nearly the same.

        Where nothing answers a question, the block may have the projects that know of it.

        Leaves out what the prompt already contains, except that the best answer to a question is repeated. The
        memories in the block are reinforced, and those that rest on a sentence in it. Raises `StoreError`.
        """
        query, now = request.query, request.now
        intent = await self._worker.run(_intent, query, room.before)
        if intent is None:
            return "", ()
        is_perhaps = await self._asks(query)
        intent = Intent(Wish.QUESTION, is_sure=False) if is_perhaps else intent
        if intent.asks and (when := pattern("asks_when_told").search(query)):
            best = await self._answers(replace(request, query=when["what"]), Intent(Wish.ABOUT, when["what"]), "")
            return await self.sources(best[:MOST_SOURCES], room)
        if intent.kind is Wish.SAID and not intent.subject and (period := time_window.said_in(query, now)):
            best = await self._messages_of(period, request.scope)
        elif intent.kind is Wish.CHANGED:
            best = await self._changes(time_window.said_in(query, now) or TimeWindow(now - LATELY, now), request.scope)
        elif intent.asks:
            # By words alone, what the prompt has hides what it has not.
            wanted = request if self._by_meaning else replace(request, in_prompt=room.in_prompt)
            best = await self._answers(wanted, intent, room.before)
            if intent.is_sure and not any(each.is_sure for each in best):
                best = await self._as_meant(wanted, intent, room.before) or best
        else:
            others = await self.search(replace(request, in_prompt=room.in_prompt, only="answers"))
            best = gate.let_through(others, by_meaning=self._by_meaning)
        # A list is whole, also where the prompt has some of it.
        if intent.kind in (Wish.ABOUT, Wish.SAID, Wish.CHANGED):
            room = replace(room, text="")
        best = await self.mask_secrets(await self._with_next_messages(await self._each_once(best)))
        best = [replace(each, is_sure=False) for each in best] if is_perhaps else best
        render = partial(prompt_blocks.block, again=intent.asks)
        text, chosen = await self._worker.run(render, best, query, room)
        if not chosen and room.names_projects and intent.asks and intent.is_sure:
            return prompt_blocks.elsewhere(await self.elsewhere(request), room), ()
        if chosen:
            # Not awaited: the reply need not wait for it, and the database logs a write that fails.
            self._db.write(partial(_reinforce, chosen=chosen, at=now))
        return text, chosen

    async def sources(self, hits: Sequence[Recalled], room: PromptRoom) -> tuple[str, tuple[Recalled, ...]]:
        """The recall block with what hits rest on, as it was said and with its day, and that; ("", ()) for none. Raises
        `StoreError`.
        """
        ids = [each.id for each in hits if each.kind == "memory"]
        known = {memory.id: memory for memory in await self._db.read(partial(rows.several, ids=ids))}
        said = [_as_said(each, known[each.id]) if each.id in known else each for each in hits]
        render = partial(prompt_blocks.block, again=True, is_dated=True)
        return await self._worker.run(render, await self.mask_secrets(said), "", replace(room, text=""))

    async def _messages_of(self, period: TimeWindow, scope: Scope) -> list[Recalled]:
        """The user's messages of a time that say something, newest first."""
        query = ExchangeQuery(since=period.begin, until=period.end)
        listed = await self._db.read(partial(exchanges.listed, query=query, limit=READ))
        seen = [(n, e) for n, e in listed if namespaces.covers(namespace_of(e.project), seen=scope)]
        return [_from_exchange(number, each) for number, each in seen if _tells(each.user)][: gate.MOST]

    async def _changes(self, period: TimeWindow, scope: Scope) -> list[Recalled]:
        """What is known otherwise since a time, with what was known before, the last first."""
        wanted = partial(rows.superseded, since=period.begin, until=period.end, limit=READ)
        pairs = [pair for pair in await self._db.read(wanted) if namespaces.covers(pair[1].namespace, seen=scope)]
        return [_from_change(old, new) for old, new in pairs if new.is_valid][: gate.MOST]

    async def _each_once(self, best: list[Recalled]) -> list[Recalled]:
        """The hits, a memory in the place of a sentence of the user's that it rests on, if it says most of that."""
        told = {each.id: each for each in best if each.kind == "memory"}
        said = [each.id for each in best if _is_one_sentence(each)]
        if not told or not said:
            return best
        resting = await self._db.read(partial(rows.resting, exchange_ids=said))
        pairs = [(exchange, told[id_]) for id_, exchange, _ in resting if id_ in told]
        return await self._worker.run(_in_place_of_messages, best, pairs)

    async def _with_next_messages(self, best: list[Recalled]) -> list[Recalled]:
        """The hits, each question that somebody asked with the message after it, if short: it may be the answer."""
        asking = [_message_id(r) for r in best if r.kind == "exchange" and _mostly_asks(r.content)]
        if not asking:
            return best
        ids = [id_ for number in asking for id_ in messages.next_ids(number)]
        next_ones = {said.id: said for said in await self._db.read(partial(messages.shown, ids=ids))}
        known = {(r.kind, r.id, r.role) for r in best}
        complete: list[Recalled] = []
        for result in best:
            complete.append(result)
            after = _next_message(result, next_ones)
            if after is not None and (after.kind, after.id, after.role) not in known:
                complete.append(after)
        return complete

    async def mask_secrets(self, found: list[Recalled]) -> list[Recalled]:
        """The same without the secrets in what was said, but those that the user had remembered."""
        revealing = await self._worker.run(_with_secrets, found)
        if not revealing:
            return found
        kept = await self._db.read(partial(rows.resting, exchange_ids=list(revealing)))
        hidden = revealing - {exchange for _, exchange, quote in kept if secret_in(quote)}
        is_hidden = (each.kind == "exchange" and each.id in hidden for each in found)
        return [replace(r, content=masked(r.content)) if hide else r for r, hide in zip(found, is_hidden, strict=True)]

    @property
    def _by_meaning(self) -> bool:
        return self._scale.embedder.now.dimensions > 0

    async def _answers(self, request: SearchRequest, intent: Intent, before: str) -> list[Recalled]:
        """The answers to a question: statements by their sentences, other texts as they were found. `before` is the
        turn before.
        """
        query, request = request.query, replace(request, k=READ)
        question = await self._with_subject(query, before) if self._by_meaning else query
        if intent.kind is Wish.REPLIED:
            replies = await self.search(replace(request, query=question, only="replies"))
            found = [each for each in replies if each.role == "assistant"]
            return gate.let_through(found, by_meaning=self._by_meaning)
        subject = (intent.subject or gate.ABOUT_USER) if intent.kind is Wish.ABOUT else ""
        if subject:
            wanted = replace(request, query=gate.with_belonging(subject), nearest=gate.READ_ABOUT)
            _, judged = await self._judged(wanted, question, about=subject)
            return await self._worker.run(gate.about, subject, judged)
        found, judged = await self._judged(replace(request, query=question), question, about=question)
        for other in await self._worker.run(_in_other_words, question, judged):
            judged = gate.better_of(judged, (await self._judged(replace(request, query=other), other, about=other))[1])
        judged = gate.not_told_by(query, judged)
        if question != query:
            judged = gate.following(query, judged)
        others = [each for each in found if not gate.is_told_by_user(each)][: gate.MOST]
        own = await self._own(question)
        if self._by_meaning:
            judged, scale = await self._reread(question, judged), await self._answer_scale()
            answers = gate.answers(question, intent, judged, own=own, scale=scale)
        else:
            answers = gate.answers_by_words(question, judged, own=own)
        return _merge(answers, gate.let_through(others, by_meaning=self._by_meaning))

    async def _as_meant(self, request: SearchRequest, intent: Intent, before: str) -> list[Recalled]:
        """What surely answers a question in which a word that nobody has said is taken for a typo, as what perhaps
        does; none where that finds nothing sure either.
        """
        words = [word for word in query_terms.terms(request.query) if len(word) >= LEAST_SPELLED and word.isalpha()]
        meant = await self._db.read(partial(fts.respelled, words=words)) if words else {}
        query = request.query
        for word, other in meant.items():
            query = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, query, flags=re.IGNORECASE)
        if query == request.query:
            return []
        found = await self._answers(replace(request, query=query), intent, before)
        return [replace(each, is_sure=False) for each in found] if any(each.is_sure for each in found) else []

    async def _reread(self, question: str, judged: list[Judged]) -> list[Judged]:
        """The statements, the first of them read once more, each together with the question."""
        texts = [by_user(gate.as_said(each)) for each in judged]
        keys = [text.casefold() for text in texts]  # a memory and what it was learned from are one
        read = dict(islice(dict(zip(keys, texts, strict=True)).items(), gate.REREAD))
        odds = await self._rereading.answers(question, [*read.values()])
        if odds is None:
            return judged
        known = dict(zip(read, odds.tolist(), strict=True))
        first = takewhile(known.__contains__, keys)
        return gate.reread(judged, np.array([known[key] for key in first], np.float32))

    async def _asks(self, message: str) -> bool:
        """Whether a message asks though no rule says so; False where nothing reads it."""
        read = await self._read(message) if may_ask(message) else None
        return read is not None and self._asked.asks(read)

    async def _with_subject(self, query: str, before: str) -> str:
        """A question that follows up with what it follows; not one of general knowledge that only looks like it: `why
        is the sky red before it snows`.
        """
        question = gate.with_subject(query, before)
        is_whole = question != query and len(query.split()) > SHORTEST_WHOLE
        return query if is_whole and await self._own(query) < GENERAL else question

    async def _own(self, question: str) -> float:
        """How likely a question asks for what only the user can have told."""
        return await self._worker.run(self._asked.own, question, await self._read(question))

    async def _read(self, message: str) -> Vectors | None:
        """What the embedder reads in a message, shape (1, dimensions); None if it does not, or fails."""
        if not self._by_meaning:
            return None
        try:
            return await reading.read(self._scale.embedder.now, [(message,)], "sentences")
        except EmbedderError:
            return None

    async def _answer_scale(self) -> float:
        """See `Calibration`; 1 when the embedder fails."""
        try:
            return (await self._scale.measured()).answer_scale
        except EmbedderError:
            return 1.0

    async def _judged(
        self, request: SearchRequest, question: str, *, about: str
    ) -> tuple[list[Recalled], list[Judged]]:
        """Search, and have the gate judge: what is found, and its statements by how well they answer a question, with
        their nearness to what it is `about`: the question itself, or the subject of a broad one.
        """
        found = await self.search(replace(request, only="answers"))
        statements = await self._worker.run(gate.to_read, found, most=request.nearest)
        nearness = await self._nearness(about, statements)
        return found, await self._worker.run(gate.judge, question, statements, nearness)

    async def _nearness(self, question: str, statements: Sequence[Recalled]) -> dict[str, float]:
        """The nearness to a question of sentences of statements with several, of the pieces of long ones, and of those
        behind a question the greater of it alone and with that; {} without an embedder, or when it fails.
        """
        if not self._by_meaning:
            return {}
        said = [gate.parts_of(each.content, is_memory=each.kind == "memory") for each in statements]
        several = [
            part for each, parts in zip(statements, said, strict=True) if parts != (each.content,) for part in parts
        ]
        pieces = [piece for parts in said[: gate.TAKEN_APART] for part in parts for piece in gate.pieces_of(part)]
        messages = [each for each in statements[: gate.TAKEN_APART] if each.kind == "exchange"]
        asked = {part: text for each in messages for part, text in gate.behind_questions(each.content).items()}
        texts = list(dict.fromkeys([*several, *pieces, *asked.values()]))
        try:
            scale, embedder = await self._scale.measured(), self._scale.embedder.now
            (vector,), vectors = (
                await embedder.embed([question]),
                await self._sentences.of([*map(by_user, texts)], embedder),
            )
        except EmbedderError:
            return {}
        aim = Aim.of(vector, scale)
        near = dict(zip(texts, aim.nearness(vectors @ aim.vector).tolist(), strict=True))
        return near | {part: max(near[part], near[text]) for part, text in asked.items() if part in near}

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


def _with_secrets(found: Sequence[Recalled]) -> set[int]:
    """The ids of the exchanges among the hits that have a secret in them."""
    return {each.id for each in found if each.kind == "exchange" and secret_in(each.content)}


def _is_one_sentence(found: Recalled) -> bool:
    """Whether it is one, of the user's."""
    return found.kind == "exchange" and found.role == "user" and len(sentences(found.content)) == 1


def _in_place_of_messages(best: Sequence[Recalled], resting: Sequence[tuple[int, Recalled]]) -> list[Recalled]:
    """The hits, memories in the places of the exchanges that they rest on and say most of, or that corrected them."""
    found: list[Recalled] = []
    for each in best:
        said, corrects = stems(each.content), pattern("says_over").search(each.content)
        its = (memory for exchange, memory in resting if _is_one_sentence(each) and exchange == each.id)
        least = 0.0 if corrects else SAYS_MOST * len(said)  # what is over is in no memory
        told = next((memory for memory in its if len(said & stems(memory.content)) >= least), each)
        if told not in found:
            found.append(told)
    return found


def _reinforce(db: sqlite_utils.Database, *, chosen: Sequence[Recalled], at: float) -> None:
    """Count a use of each memory that was recalled, itself or by the sentence it rests on."""
    rows.used(db, [result.id for result in chosen if result.kind == "memory"], at)
    shown = {r.id: " ".join(r.content.split()) for r in chosen if r.kind == "exchange" and r.role == "user"}
    rows.used_by_quote(db, shown, at)


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
    texts = {_place(text): text for _, text in found.hits}
    asides = {
        _place(text)
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


def _place(said: Memory | StoredMessage) -> tuple[int, Role | None]:
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
    number, role = _place(said)
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


def _mostly_asks(text: str) -> bool:
    """Whether the next message may answer this one. `only_asks` is true of thanks too, which nobody answers."""
    return query_terms.share_asking(text) > HALF


def _next_message(question: Recalled, next_ones: Mapping[int, StoredMessage]) -> Recalled | None:
    """The message after one that only asks, with the question's score; None if there is none, or a long one."""
    if question.kind != "exchange" or not _mostly_asks(question.content):
        return None
    first, second = messages.next_ids(_message_id(question))
    said = next_ones.get(first) or next_ones.get(second)
    if said is None or said.conversation_id != question.conversation_id or len(said.text) > SHORT:
        return None
    exchange_id, role = _place(said)
    if role == "assistant" and said.source == "chat":  # a reply of ours is no answer
        return None
    return replace(question, id=exchange_id, content=said.text, at=said.at, role=role, ref=said.ref)


def _id_in_index(found: Recalled) -> int:
    return found.id if found.kind == "memory" else _message_id(found)


def _message_id(found: Recalled) -> int:
    return messages.id_of(found.id, reply=found.role == "assistant")


def _intent(query: str, before: str) -> Intent | None:
    """The intent of a message, None for courtesy and stop words, unless they follow up what was said `before`."""
    intent = intent_of(query)
    talks = intent.kind not in (Wish.QUESTION, Wish.STATEMENT, Wish.REQUEST) and not intent.asks
    is_broad = intent.kind in (Wish.ABOUT, Wish.SAID)
    return None if talks or not (is_broad or gate.asks_something(gate.with_subject(query, before), intent)) else intent


def _tells(message: str) -> bool:
    """Whether there is more to a message than a question, a name, courtesy and what is to be forgotten."""
    is_idle = only_asks(message) or names_only(message)
    return not is_idle and UNKEPT not in message and not pattern("forget").match(message)


def _as_said(hit: Recalled, memory: Memory) -> Recalled:
    """What a memory rests on, as a message; the memory where nobody said it."""
    if not memory.quote or memory.forgotten_at is not None:
        return hit
    number = memory.exchange_id or hit.id
    return replace(hit, id=number, kind="exchange", role="user", content=memory.quote, at=memory.valid_from)


def _from_change(before: Memory, now: Memory) -> Recalled:
    content = f"{now.content} (Before: {before.content})"
    found = _uncompared(now.id, "memory", content, at=now.valid_from)
    return replace(found, type=now.type, namespace=now.namespace, instead_of=before.id)


def _from_exchange(number: int, exchange: Exchange) -> Recalled:
    """The user's message."""
    found = _uncompared(number, "exchange", " ".join(gate.parts_of(exchange.user)), at=exchange.at)
    return replace(found, role="user", source=exchange.source)


def _uncompared(number: int, kind: Kind, content: str, *, at: float) -> Recalled:
    """A hit that nothing was compared with: it was asked for by its time."""
    return Recalled(
        id=number,
        kind=kind,
        content=content,
        score=1.0,
        similarity=1.0,
        strength=1.0,
        boost=0.0,
        cosine=0.0,
        words=0.0,
        at=at,
    )


def _in_other_words(question: str, judged: Sequence[Judged]) -> list[str]:
    """The question with the words that the statements have for what it names, `Bosun` for `the dog`, and as one asks
    who knows what became of it; only what is another question.
    """
    named = called.with_names(question, called.known(each.found.content for each in judged))
    return [other for other in (named, gate.otherwise(question)) if other and other != question]


def _merge(statements: Sequence[Recalled], others: Sequence[Recalled]) -> list[Recalled]:
    return sorted([*statements, *others], key=lambda each: -each.score)


def _unattended(topics: Sequence[str]) -> float:
    return 0.0
