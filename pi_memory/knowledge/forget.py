"""Forgetting: a memory's texts leave all that is kept, in one transaction: a crash leaves all of them or none."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from sqlite_utils import Database

from pi_memory.knowledge import recorded, undo
from pi_memory.knowledge.forgetting import Forgetting, is_distinct, normal, parts, says, without
from pi_memory.knowledge.recorded import Cause
from pi_memory.store import (
    contexts,
    erasing,
    events,
    exchanges,
    memories,
    memory_words,
    passage_words,
    tombstones,
    windows,
)
from pi_memory.store.events import Event
from pi_memory.turn import Exchange, Memory

FORGOTTEN = "memory.forgotten"
UNQUOTED = "memory.unquoted"

REPLY_TAKES = 3600.0
"""Seconds by which what was stated may have been stored before its exchange was: the reply comes in between."""


def forget(db: Database, number: int, cause: Cause) -> Forgetting:
    """Erase a memory, all that say the same, and what they rest on. Raises `NotFound`."""
    memory = recorded.get(db, number)
    if memory.forgotten_at is not None:
        return Forgetting((), ())
    contents = {normal(content): content for content in _contents(db, memory)}
    gone = [m for m in memories.every(db) if m.id == number or (m.content and normal(m.content) in contents)]
    quotes = {normal(other.quote): other.quote for other in gone if other.quote}
    texts = tuple({**contents, **quotes}.values())
    for other in gone:
        _erase(db, other, cause)
    _unquote(db, texts, cause)
    buried = {*contents, *(quote for quote in quotes if is_distinct(quote))}
    tombstones.add(db, buried, cause.at)
    erasing.from_events(db, None, keep=partial(_may_stay, texts=texts))
    memory_words.merge(db)
    done = _from_exchanges(db, Forgetting(tuple(other.id for other in gone), texts, _evidence(db, gone)))
    windows.rewrite(db, done.purge)
    contexts.rewrite(db, done.clean)
    return done


def kept(db: Database, text: str) -> str:
    """`text` without the sentences that say what was forgotten."""
    gone = tombstones.matching(db, parts(text))
    return Forgetting((), tuple(gone)).clean(text)


def unforgotten(db: Database, exchange: Exchange) -> Exchange:
    """An exchange as it may be stored."""
    return replace(exchange, user=kept(db, exchange.user), reply=kept(db, exchange.reply))


def _contents(db: Database, memory: Memory) -> list[str]:
    """What the memory says and has said."""
    told = [event.before for event in events.of(db, undo.subject(memory.id), limit=-1) if event.before]
    said = [before.get(str(memory.id), {}).get("content") for before in told]
    return [memory.content, *(content for content in said if content)]


def _evidence(db: Database, gone: Iterable[Memory]) -> frozenset[int]:
    """The exchanges that memories rest on. What was stated was stored before its exchange was: it is known by its
    quote, and the replies of that conversation may have quoted it.
    """
    found: set[int] = set()
    for memory in gone:
        if memory.exchange_id is not None:
            found.add(memory.exchange_id)
        if memory.quote:
            found.update(
                exchanges.beside(db, memory.quote, since=memory.created_at, until=memory.created_at + REPLY_TAKES)
            )
    return frozenset(found)


def _erase(db: Database, memory: Memory, cause: Cause) -> None:
    blank = replace(
        memory, content="", quote="", topics=(), valid_to=memory.valid_to or cause.at, forgotten_at=cause.at
    )
    memories.update(db, memory, replace(blank, updated_at=cause.at))
    erasing.from_events(db, undo.subject(memory.id), keep=lambda field, value: field not in undo.TEXTS)
    events.add(db, Event(cause.at, FORGOTTEN, undo.subject(memory.id), cause.origin))


def _unquote(db: Database, texts: tuple[str, ...], cause: Cause) -> None:
    """Take the forgotten sentences out of what other memories rest on."""
    distinct = list(filter(is_distinct, texts))
    for memory in [memory for memory in memories.every(db) if memory.quote]:
        quote = without(memory.quote, distinct)
        if quote != memory.quote:
            memories.update(db, memory, replace(memory, quote=quote, updated_at=cause.at))
            events.add(db, Event(cause.at, UNQUOTED, undo.subject(memory.id), cause.origin))


def _may_stay(field: str, value: Any, texts: tuple[str, ...]) -> bool:
    if field == "content":
        return normal(value) not in map(normal, texts)
    return field != "quote" or not any(says(value, text) for text in texts if is_distinct(text))


def _from_exchanges(db: Database, done: Forgetting) -> Forgetting:
    changed = {
        *erasing.from_exchanges(db, done.texts, done.clean),
        *erasing.from_exchanges(db, done.texts, done.purge, only=done.evidence),
    }
    if changed:
        passage_words.merge(db)
    return replace(done, exchange_ids=tuple(sorted(changed)))
