"""Candidates: the texts with the most evidence for a query, found and read in one visit to the store's thread."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.embedding.token_codes import QueryTokens
from pi_memory.retrieval import ended, scoring
from pi_memory.retrieval.ram_index import View
from pi_memory.retrieval.scoring import Emphasis
from pi_memory.retrieval.time_window import TimeWindow
from pi_memory.store import conflicts, memories, memory_fts, message_fts, messages
from pi_memory.store.messages import StoredMessage
from pi_memory.text.language import forms
from pi_memory.text.sentences import stems
from pi_memory.types import UNKEPT, Memory, Vectors

OF_NEARNESS, OF_LEAD, LEAST_ODDS = 5.0, 8.0, 1.0
"""By how much the nearness of a question to the newer of two memories, and how much nearer it is than the older, add to
the log-odds that the newer one makes the other untrue; and from where on it answers alone. Of 82 corrections that ended
nothing, of 552 by 42 people, 31 are told alone then; of 228 memories that hold beside what was said later of the same
thing 8 are passed over, and at 7 of 1,320 questions about what holds.
"""
MOSTLY = 0.5
"""Share of a message from which on it says little else."""
LEAST_NEARNESS = 0.35
"""Calibrated cosine from which on a question is about a memory."""

Kind = Literal["memory", "exchange"]


Only = Literal["answers", "replies"]
"""What may be found: no message that only asks; and no assistant's reply in a chat, unless replies are asked for."""


class SearchSpace(Struct, frozen=True):
    """Where to search: the texts of one kind that a query may see, and their calibrated cosines in [0, 1].

    `meaning` is None without an embedder.
    """

    kind: Kind
    view: View
    meaning: Vectors | None


class PromptWindow(Struct, frozen=True):
    """Messages to leave out because they are in the prompt: those of `conversation` since Unix time `since`."""

    conversation: str
    since: float = -math.inf


class Wanted(Struct, frozen=True):
    """What to look up: `terms` are FTS5 expressions; at most `most` texts; none that is `in_prompt` already.
    Messages of the `period` come first. `bearing` is a factor for each term besides its rarity, shape (terms,).
    `past`: it is asked what was, so that nothing is left out as over. `only` is what may be found; of that also the
    `nearest` by cosine. `tokens` are those of the query.
    """

    terms: Sequence[str]
    most: int
    in_prompt: PromptWindow | None = None
    period: TimeWindow | None = None
    bearing: Vectors | None = None
    past: bool = False
    only: Only | None = None
    nearest: int = 0
    tokens: QueryTokens | None = None


class Hit(Struct, frozen=True):
    """A hit and its scores in [0, 1]: `words` (BM25 coverage), `nearness` (calibrated cosine), `similarity` (their
    weighted sum).

    `at_length`: it is from a conversation with an assistant that replies at length. `instead_of` is the memory that led
    to it and does not hold any more. `is_doubted`: a newer memory may make it untrue, which is found too.
    """

    kind: Kind
    id: int
    similarity: float
    words: float
    nearness: float
    at_length: bool
    instead_of: int | None = None
    is_doubted: bool = False


class Over(Struct, frozen=True):
    """The content stems of what was said until a time, and is over: the memory `instead` holds, 0 for none."""

    stems: frozenset[str]
    until: float
    instead: int


class Ended(Struct, frozen=True):
    """What does not hold any more, and is left out of what is found: sentences by the exchange they are from, and what
    exchanges and memories corrected.
    """

    over: Sequence[Over] = ()
    quotes: Mapping[int, Sequence[str]] = {}
    corrected_by_exchange: Mapping[int, Sequence[str]] = {}
    corrected_by_memory: Mapping[int, Sequence[str]] = {}
    is_for_answer: bool = False
    """Then what somebody says to be over is left out too, if nothing is known that it corrected."""

    def without(self, found: Memory | StoredMessage, asked: Set[str] = frozenset()) -> Memory | StoredMessage | None:
        """What is left of a text; None for nothing. A correction tells what it ended if that is `asked` for by name, of
        which the stems are given.
        """
        if isinstance(found, Memory):
            others = _over_since(found.valid_from, (each for each in self.over if each.instead != found.id))
            content = ended.without_sentences(found.content, others)
            content = self._what_holds(content, self.corrected_by_memory.get(found.id), asked)
            return found if content == found.content else replace(found, content=content)
        exchange_id = messages.exchange_of(found.id)
        text = ended.without(found.text, self.quotes.get(exchange_id, ()))
        text = ended.unsaid(text, _over_since(found.at, self.over))
        text = self._what_holds(text, self.corrected_by_exchange.get(exchange_id), asked)
        if not any(map(str.isalpha, text.replace(UNKEPT, ""))):
            return None
        return found if text == found.text else replace(found, text=text)

    def _what_holds(self, text: str, corrected: Sequence[str] | None, asked: Set[str]) -> str:
        if not corrected and not (self.is_for_answer and ended.may_tell(text)):
            return text
        text = ended.what_holds(text, corrected, asked) if corrected else ended.now(text, asked)
        return ended.without_predecessor(text, asked) if self.is_for_answer else text


class Found(Struct, frozen=True):
    """The hits with their texts as they were said or stored, and what of those does not hold any more."""

    hits: Sequence[tuple[Hit, Memory | StoredMessage]]
    ended: Ended


def look_up(db: Database, places: Sequence[SearchSpace], *, wanted: Wanted) -> Found:
    """The texts of all places with any evidence, best first."""
    each = [found for place in places for found in _evident(db, place, wanted)]
    best = sorted(each, key=lambda found: -found.similarity)[: wanted.most + len(places) * wanted.nearest]
    known = memories.several(db, [found.id for found in best if found.kind == "memory"])
    newer = {} if wanted.past else _instead(db, known, wanted, places)
    instead = {older: memory for older, memory in newer.items() if _is_seen(memory, places)}
    holding = {each.id: each for each in (*instead.values(), *known) if each.is_valid and each.id not in instead}
    hits: dict[tuple[Kind, int], Hit] = {}
    for found in best:  # the first of each is the best
        if found.kind == "memory" and found.id in instead:
            found = replace(found, id=instead[found.id].id, instead_of=found.id)
        first = hits.setdefault((found.kind, found.id), found)
        # What bears on the older one bears on the one that holds instead of it.
        nearest, most = max(first.nearness, found.nearness), max(first.words, found.words)
        hits[found.kind, found.id] = replace(first, nearness=nearest, words=most)
    said = messages.shown(db, [found.id for found in best if found.kind == "exchange"])
    texts: dict[tuple[Kind, int], Memory | StoredMessage] = {("memory", id_): each for id_, each in holding.items()}
    texts |= {("exchange", each.id): each for each in said}
    unsure = [] if wanted.only or wanted.past else _doubtful(db, known, wanted, places)
    return Found(
        [
            (replace(found, is_doubted=_is_among(texts[place], unsure)), texts[place])
            for place, found in hits.items()
            if place in texts
        ],
        Ended() if wanted.past else _ended(db, known, said, holding, instead, for_answer=wanted.only is not None),
    )


def _ended(
    db: Database,
    known: Sequence[Memory],
    said: Sequence[StoredMessage],
    holding: Collection[int],
    instead: Mapping[int, Memory],
    *,
    for_answer: bool,
) -> Ended:
    """What does not hold any more of memories that are `known` and of what was `said`. For an answer also what memories
    rest on that are taken to be untrue, or were edited.
    """
    over = [
        Over(each, memory.valid_to or instead[memory.id].valid_from, instead[memory.id].id)
        for memory in known
        if memory.id in instead
        for each in ended.over(memory.content, instead[memory.id].content)
    ]
    closed = (memory for memory in known if memory.valid_to is not None and memory.id not in instead)
    over += [Over(stems(memory.content), memory.valid_to or 0.0, 0) for memory in closed]
    over += [Over(stems(memory.quote), memory.updated_at, memory.id) for memory in known if _is_edited(memory)]
    exchange_ids = list({messages.exchange_of(each.id) for each in said})
    quotes = memories.ended(db, exchange_ids)
    if not for_answer:
        return Ended(over, quotes)
    by_memory = memories.corrected(db, ids=list(holding)) if holding else {}
    by_exchange = memories.corrected(db, exchange_ids=exchange_ids) if exchange_ids else {}
    untrue = [(memory, instead[memory.id]) for memory in known if memory.is_valid and memory.id in instead]
    for older, newer in untrue:
        by_memory.setdefault(newer.id, []).append(older.content)
        by_exchange.setdefault(newer.exchange_id or 0, []).append(older.content)
    for memory in (*filter(_is_edited, known), *(older for older, _ in untrue)):
        if memory.is_valid and memory.quote:
            quotes.setdefault(memory.exchange_id or 0, []).append(memory.quote)
    return Ended(over, quotes, by_exchange, by_memory, is_for_answer=True)


def _doubtful(db: Database, known: Sequence[Memory], wanted: Wanted, places: Sequence[SearchSpace]) -> list[Memory]:
    """The memories that newer ones among them may make untrue."""
    newer = _doubted(db, [memory.id for memory in known if memory.is_valid], wanted, places)
    ids = {memory.id for memory in known}
    return [memory for memory in known if newer.get(memory.id) in ids]


def _is_among(text: Memory | StoredMessage, unsure: Sequence[Memory]) -> bool:
    """Whether it is one of some memories, or a message that says little but what one of them rests on."""
    if isinstance(text, Memory):
        return any(text.id == memory.id for memory in unsure)
    quotes = [memory.quote for memory in unsure if text.id == messages.id_of(memory.exchange_id or 0, reply=False)]
    said = stems(text.text) if quotes else set()
    return any(len(said & stems(quote)) >= MOSTLY * len(said) for quote in quotes)


def _is_seen(memory: Memory, places: Sequence[SearchSpace]) -> bool:
    """Whether the query may see a memory that others led to."""
    return any(place.kind == "memory" and len(place.view.rows([memory.id])) for place in places)


def _instead(db: Database, known: Sequence[Memory], wanted: Wanted, places: Sequence[SearchSpace]) -> dict[int, Memory]:
    """What holds in the place of memories, by their ids: what superseded them; in an answer also what may have. Nothing
    of that is lost: it is found as it is, and somebody can say that both hold.
    """
    instead = memories.successors(db, [each.id for each in known if not each.is_valid])
    if wanted.only:
        doubted = _doubted(db, [each.id for each in (*known, *instead.values()) if each.is_valid], wanted, places)
        newer = {memory.id: memory for memory in memories.several(db, [*doubted.values()])}
        instead |= {older: newer[number] for older, number in doubted.items()}
        instead = {older: instead.get(memory.id, memory) for older, memory in instead.items()}
    return instead


def _doubted(db: Database, holding: Sequence[int], wanted: Wanted, places: Sequence[SearchSpace]) -> dict[int, int]:
    """For each memory that a newer one may make untrue, as the query is about both, the id of that one; by words alone
    if it likely does. Not if the query has a number or a weekday that only the older one has.
    """
    if all(place.meaning is None for place in places):
        return conflicts.doubted(db, holding)
    possible = conflicts.possible(db, holding)
    found = {older: newer for older, newer, chance in possible if _answers_instead(places, newer, older, chance)}
    if not found:
        return {}
    asked = {word for term in wanted.terms for word in stems(term) if _is_value(word)}
    said = {each.id: each for each in memories.several(db, [*found, *found.values()])}
    return {
        older: newer
        for older, newer in found.items()
        if not (
            asked & (stems(said[older].content) - stems(said[newer].content)) or _are_apart(said[older], said[newer])
        )
    }


def _are_apart(one: Memory, other: Memory) -> bool:
    """Whether two memories are of other topics: the port of one project and that of another."""
    return bool(one.topics and other.topics) and set(one.topics).isdisjoint(other.topics)


def _is_value(word: str) -> bool:
    return any(map(str.isdigit, word)) or word in stems(" ".join(forms("weekday_name")))


def _answers_instead(places: Sequence[SearchSpace], newer: int, older: int, chance: float) -> bool:
    """Whether a memory answers the query in the place of an older one, given the chance that it makes that untrue: what
    both answer, only one of them answers now.
    """
    place = next(place for place in places if place.kind == "memory")
    rows = [*place.view.rows([newer]), *place.view.rows([older])]
    if place.meaning is None or len(rows) < 2:
        return False
    near, other = place.meaning[rows].tolist()
    odds = math.log(chance / (1 - chance)) + OF_NEARNESS * near + OF_LEAD * (near - other)
    return bool(near >= LEAST_NEARNESS and odds >= LEAST_ODDS)


def _is_edited(memory: Memory) -> bool:
    """Whether somebody has written a memory anew, so that what it rests on says something else."""
    return memory.updated_at > memory.created_at and not stems(memory.quote) <= stems(memory.content)


def _over_since(at: float, over: Iterable[Over]) -> list[frozenset[str]]:
    """What was over after a Unix time, each once."""
    return list({each.stems for each in over if at <= each.until})


def _evident(db: Database, place: SearchSpace, wanted: Wanted) -> Iterator[Hit]:
    view, index = place.view, memory_fts if place.kind == "memory" else message_fts
    rows = [view.rows(ids) for ids in index.holders(db, wanted.terms)]
    if place.kind == "memory":
        emphasis = Emphasis(scoring.MEANING_ALONE, wanted.bearing)
    else:
        emphasis = Emphasis(scoring.share_of_meaning(view.field), wanted.bearing, wanted.period)
    known = scoring.weigh(view.field, rows, place.meaning, emphasis)
    if wanted.in_prompt is not None and place.kind == "exchange":
        known.similarity[_within(db, view, wanted.in_prompt)] = 0.0
    if wanted.only is not None and place.kind == "exchange":
        # Their words still speak for what was said beside them.
        known.similarity[view.asides & ((view.ids & 1 == 0) | (wanted.only == "answers"))] = 0.0
    best = _best(known.similarity, wanted.most)
    if wanted.nearest:
        best = np.union1d(best, _best(np.where(known.similarity > 0, known.meaning, 0), wanted.nearest))
    if wanted.tokens is not None and place.kind == "exchange":
        best.sort()
        weights = scoring.weights(view.field, rows, wanted.bearing)
        near = _by_tokens(db, wanted.tokens, view.ids[best].tolist(), weights)
        known.similarity[best] = scoring.by_tokens(view.field, best, known.similarity[best], near)
    arrays = (view.ids, known.similarity, known.words, known.meaning, view.field.at_length)
    columns = (each[best].tolist() for each in arrays)
    return (Hit(place.kind, *signs) for signs in zip(*columns, strict=True))


def _by_tokens(db: Database, query: QueryTokens, ids: Sequence[int], weights: Vectors) -> Vectors:
    """How near messages are by their tokens, from 0 to 1; not a number where these are not known."""
    codes = messages.codes(db, ids, space=query.space)
    near = np.full(len(ids), np.nan, np.float32)
    if codes:
        known = [place for place, id_ in enumerate(ids) if id_ in codes]
        near[known] = query.nearness([codes[ids[place]] for place in known], weights)
    return near


def _within(db: Database, view: View, window: PromptWindow) -> scoring.Rows:
    """The rows of messages in the window."""
    own = np.flatnonzero(view.field.threads == messages.session(db, window.conversation))
    return own[messages.said_before(db, view.ids[own].tolist(), window.since) :]


def _best(similarity: Vectors, most: int) -> scoring.Rows:
    """The rows of the best candidates with any evidence."""
    rows = np.flatnonzero(similarity)
    if len(rows) > most:
        rows = rows[np.argpartition(-similarity[rows], most)[:most]]
    return rows
