"""Recall: what a message is told of what is known and of what was said.

The intent of a message decides how it is searched. What is found for a question is judged sentence by sentence
(`judging.py`), then the gate decides what of it answers, and how surely (`gate.py`, `broad.py`); the rest is how it is
shown (`prompt_blocks.py`).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from pathlib import Path

import numpy as np
import sqlite_utils
from msgspec.structs import replace

from pi_memory.embedding import reading
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.kept_vectors import KeptVectors
from pi_memory.errors import EmbedderError
from pi_memory.judges.asked import Asked, may_ask
from pi_memory.judges.rereading import Rereading
from pi_memory.memories import namespaces
from pi_memory.memories.namespaces import Scope
from pi_memory.recall import broad, gate, judging, prompt_blocks, questions
from pi_memory.recall.judging import Judged
from pi_memory.recall.prompt_blocks import PromptRoom
from pi_memory.retrieval import time_window
from pi_memory.retrieval.candidates import Kind
from pi_memory.retrieval.message_index import namespace_of
from pi_memory.retrieval.search import MOST, READ, Aim, Search, SearchRequest, message_id, place_of
from pi_memory.retrieval.time_window import TimeWindow
from pi_memory.store import exchanges, fts, messages
from pi_memory.store import memories as rows
from pi_memory.store.database import Database
from pi_memory.store.exchanges import ExchangeQuery
from pi_memory.store.messages import StoredMessage
from pi_memory.text import query_terms
from pi_memory.text.intent import Intent, Wish, names_only, only_asks
from pi_memory.text.language import pattern
from pi_memory.text.persons import by_user
from pi_memory.text.secrets import masked, secret_in
from pi_memory.text.sentences import sentences, stems
from pi_memory.types import UNKEPT, Exchange, Memory, Recalled, Vectors
from pi_memory.worker import Worker

SENTENCES = 500
"""Sentences of statements whose vectors are kept for the next questions."""
SAYS_MOST = 0.6
"""Share of a sentence's words from which on a memory that rests on it says it too."""
LATELY = 7 * 86_400.0
"""Seconds of what changed, where no time is named."""
MOST_SOURCES = 3
"""Most that is shown of when something was told."""
SHORTEST_WHOLE, GENERAL = 5, 0.05
"""From so many words on, a question says by itself what it is about. Up to this chance that only the user can have told
the answer, a question asks for general knowledge.
"""
LEAST_SPELLED = 5
"""Letters of a word that may be misspelt."""
HALF = 0.5
"""A message states little when more than this share of its text asks."""
SHORT = 300
"""Most characters of an answer that comes with the question before it."""


class Recall:
    """`search` finds; `heads` is the folder of the learned judges."""

    def __init__(self, db: Database, search: Search, *, scale: Scale, worker: Worker, heads: Path) -> None:
        self._db = db
        self._search = search
        self._scale = scale
        self._worker = worker
        self._sentences = KeptVectors(SENTENCES)
        self._asked = Asked(heads)
        self._rereading = Rereading(heads, scale.embedder)

    def let_go(self) -> None:
        """Keep nothing of what was asked."""
        self._sentences.let_go()

    async def elsewhere(self, request: SearchRequest) -> dict[str, int]:
        """How many memories that bear on the query each project has that the request's scope does not see."""
        unseen = (name for name in self._search.namespaces() if not namespaces.covers(name, request.scope))
        projects = tuple(name for name in unseen if name.startswith("project/"))
        if not projects:
            return {}
        there = replace(request, k=MOST, scope=projects)
        found = [each for each in await self._search.search(there) if each.kind == "memory"]
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
        intent = await self._worker.run(questions.wish, query, room.before)
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
            others = await self._search.search(replace(request, in_prompt=room.in_prompt, only="answers"))
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
        return [_from_exchange(number, each) for number, each in seen if _tells(each.user)][:MOST]

    async def _changes(self, period: TimeWindow, scope: Scope) -> list[Recalled]:
        """What is known otherwise since a time, with what was known before, the last first."""
        wanted = partial(rows.superseded, since=period.begin, until=period.end, limit=READ)
        pairs = [pair for pair in await self._db.read(wanted) if namespaces.covers(pair[1].namespace, seen=scope)]
        return [_from_change(old, new) for old, new in pairs if new.is_valid][:MOST]

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
        asking = [message_id(r) for r in best if r.kind == "exchange" and _mostly_asks(r.content)]
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
            replies = await self._search.search(replace(request, query=question, only="replies"))
            found = [each for each in replies if each.role == "assistant"]
            return gate.let_through(found, by_meaning=self._by_meaning)
        subject = (intent.subject or broad.ABOUT_USER) if intent.kind is Wish.ABOUT else ""
        if subject:
            wanted = replace(request, query=broad.with_belonging(subject), nearest=judging.READ_ABOUT)
            _, judged = await self._judged(wanted, question, about=subject)
            return await self._worker.run(broad.about, subject, judged)
        found, judged = await self._judged(replace(request, query=question), question, about=question)
        for other in await self._worker.run(questions.in_other_words, question, judged):
            _, otherwise = await self._judged(replace(request, query=other), other, about=other)
            judged = judging.better_of(judged, otherwise)
        judged = judging.not_told_by(query, judged)
        if question != query:
            judged = judging.following(query, judged)
        others = [each for each in found if not judging.is_told_by_user(each)][:MOST]
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
        texts = [by_user(judging.as_said(each)) for each in judged]
        keys = [text.casefold() for text in texts]  # a memory and what it was learned from are one
        read = dict(islice(dict(zip(keys, texts, strict=True)).items(), judging.REREAD))
        odds = await self._rereading.answers(question, [*read.values()])
        if odds is None:
            return judged
        known = dict(zip(read, odds.tolist(), strict=True))
        first = takewhile(known.__contains__, keys)
        return judging.reread(judged, np.array([known[key] for key in first], np.float32))

    async def _asks(self, message: str) -> bool:
        """Whether a message asks though no rule says so; False where nothing reads it."""
        read = await self._read(message) if may_ask(message) else None
        return read is not None and self._asked.asks(read)

    async def _with_subject(self, query: str, before: str) -> str:
        """A question that follows up with what it follows; not one of general knowledge that only looks like it: `why
        is the sky red before it snows`.
        """
        question = questions.with_subject(query, before)
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
        found = await self._search.search(replace(request, only="answers"))
        statements = await self._worker.run(judging.to_read, found, most=request.nearest)
        nearness = await self._nearness(about, statements)
        return found, await self._worker.run(judging.judge, question, statements, nearness)

    async def _nearness(self, question: str, statements: Sequence[Recalled]) -> dict[str, float]:
        """The nearness to a question of sentences of statements with several, of the pieces of long ones, and of those
        behind a question the greater of it alone and with that; {} without an embedder, or when it fails.
        """
        if not self._by_meaning:
            return {}
        said = [judging.parts_of(each.content, is_memory=each.kind == "memory") for each in statements]
        several = [
            part for each, parts in zip(statements, said, strict=True) if parts != (each.content,) for part in parts
        ]
        pieces = [piece for parts in said[: judging.TAKEN_APART] for part in parts for piece in judging.pieces_of(part)]
        messages = [each for each in statements[: judging.TAKEN_APART] if each.kind == "exchange"]
        asked = {part: text for each in messages for part, text in judging.behind_questions(each.content).items()}
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


def _mostly_asks(text: str) -> bool:
    """Whether the next message may answer this one. `only_asks` is true of thanks too, which nobody answers."""
    return query_terms.share_asking(text) > HALF


def _next_message(question: Recalled, next_ones: Mapping[int, StoredMessage]) -> Recalled | None:
    """The message after one that only asks, with the question's score; None if there is none, or a long one."""
    if question.kind != "exchange" or not _mostly_asks(question.content):
        return None
    first, second = messages.next_ids(message_id(question))
    said = next_ones.get(first) or next_ones.get(second)
    if said is None or said.conversation_id != question.conversation_id or len(said.text) > SHORT:
        return None
    exchange_id, role = place_of(said)
    if role == "assistant" and said.source == "chat":  # a reply of ours is no answer
        return None
    return replace(question, id=exchange_id, content=said.text, at=said.at, role=role, ref=said.ref)


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
    found = _uncompared(number, "exchange", " ".join(judging.parts_of(exchange.user)), at=exchange.at)
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


def _merge(statements: Sequence[Recalled], others: Sequence[Recalled]) -> list[Recalled]:
    return sorted([*statements, *others], key=lambda each: -each.score)
