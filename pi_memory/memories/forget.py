"""Forgetting: removes every statement of a fact from the database, in one transaction: a crash leaves all of it or
none.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.errors import NotFound
from pi_memory.focus_file.document import lines
from pi_memory.memories import changes, undo
from pi_memory.memories.changes import Cause
from pi_memory.memories.namespaces import Scope, covers, named, of_project
from pi_memory.memories.redaction import Forgetting, Gone, Redaction, of_memory
from pi_memory.memories.said_on import undated
from pi_memory.store import (
    attention,
    conversations,
    erasure,
    events,
    exchanges,
    memories,
    memory_fts,
    message_fts,
    state,
    tombstones,
)
from pi_memory.store.events import Event
from pi_memory.text.fact import Fact, facts, is_plain, states, stems, without
from pi_memory.text.persons import about_user
from pi_memory.text.sentences import spans
from pi_memory.types import Memory

FORGOTTEN = "memory.forgotten"
REWRITTEN = "memory.unquoted"
FOCUS_FILE = "focus file"
"""Key of the agreed text of the focus file."""

UNFINISHED = "forgetting"
"""Key of a mark that stays until what was forgotten has also left the files: a crash may come in between."""
LONG = 3
"""Least stems of a message that is refused by later imports."""
REPLY_TAKES = 3600.0
"""Most seconds between a statement being stored and its exchange: the reply comes in between."""


def forget(db: Database, number: int, cause: Cause) -> Forgetting:
    """Forget a memory's fact: the memory, all other statements of it, and their sources. Raises `NotFound`."""
    memory = changes.get(db, number)
    if memory.forgotten_at is not None:
        return Forgetting()
    return _forget_all(db, [memory], (), cause)


def forget_text(db: Database, text: str, cause: Cause) -> Forgetting:
    """Forget the fact that a text states, wherever it was said or learned."""
    return _forget_all(db, [], facts(text), cause)


def erase(db: Database, exchange_ids: Collection[int], cause: Cause) -> Forgetting:
    """Erase exchanges whole, and forget the memories learned from them. Raises `NotFound` when there is none."""
    known = exchanges.several(db, exchange_ids)
    if not known:
        raise NotFound("There is no such exchange", hint="GET /exchanges lists them.")
    resting = [m for m in memories.every(db) if m.exchange_id in known and m.forgotten_at is None]
    done = _forget_all(db, resting, (), cause) if resting else Forgetting()
    said = [Gone("exchange", text, id_) for id_, e in sorted(known.items()) for text in (e.user, e.reply) if text]
    statements = tuple(fact for e in known.values() for fact in facts(e.user) if len(fact.stems) > 1)
    summed_up = Redaction(statements)
    conversations.rewrite(db, summed_up.cleaner("summary"), of={e.conversation_id for e in known.values()})
    exchanges.erase(db, known)
    texts = {text for e in known.values() for text in (e.user, e.reply) if len(stems(text)) >= LONG}
    tombstones.add_messages(db, texts, cause.at)
    message_fts.merge(db)
    return replace(
        done,
        exchange_ids=tuple(sorted({*done.exchange_ids, *known})),
        erased=tuple((e.conversation_id, e.at, e.user) for e in known.values()),
        gone=(*(one for one in done.gone if one.id not in known or one.place != "exchange"), *said, *summed_up.gone),
    )


def tried(db: Database, work: Callable[[Database], Forgetting]) -> Forgetting:
    """The result that a forgetting would have; nothing changes."""
    found: list[Forgetting] = []
    try:
        with db.atomic():
            found.append(work(db))
            raise _Tried
    except _Tried:
        return found[0]


class _Tried(Exception):
    """Raised to roll back a dry run."""


def let_in(db: Database, texts: Collection[str]) -> int:
    """Lift the tombstones of what these texts state. Returns how many facts that were."""
    return tombstones.lift(db, lambda buried: any(states(text, buried) for text in texts))


def said(db: Database, what: str, seen: Scope) -> list[Gone]:
    """Sentences of users, not questions, that contain all the words of `what`; newest first. Those that were said in a
    project are among them if that is `seen`.
    """
    wanted = stems(what)
    rows = exchanges.holding(db, [stem for stem in wanted if is_plain(stem)]) if wanted else {}
    return [
        Gone("exchange", sentence, number)
        for number, exchange in rows.items()
        if named(exchange.project) is None or covers(of_project(exchange.project or ""), seen)
        for start, end in spans(exchange.user)
        if (sentence := exchange.user[start:end].strip()) and wanted <= stems(sentence) and not sentence.endswith("?")
    ]


def _forget_all(db: Database, first: list[Memory], more: tuple[Fact, ...], cause: Cause) -> Forgetting:
    known = [memory for memory in memories.every(db) if memory.forgotten_at is None]
    others = {undated(memory.content).rstrip(".").casefold() for memory in known if memory not in first}
    contents = [_own(content, memory.quote, others) for memory in first for content in _contents(db, memory)]
    meant = (*of_memory(contents, [m.quote for m in first]), *more)
    same, meant = _same(known, first, contents, meant)
    redaction = Redaction(meant, _evidence(db, same))
    for memory in same:
        redaction.gone.append(Gone("memory", memory.content, memory.id))
        _erase(db, memory, cause)
    _rewrite_others(db, [m for m in known if m not in same], redaction, cause)
    quotes_alone = {f.key for m in same for f in facts(m.quote) if f.alone} - {
        f.key for content in contents for f in facts(content)
    }
    tombstones.add(db, redaction.keys - quotes_alone, cause.at)
    erasure.set_aside(db)
    erasure.from_events(db, None, keep=partial(_may_stay, redaction=redaction))
    changed = _from_exchanges(db, redaction)
    conversations.rewrite(db, redaction.cleaner("summary"))
    attention.rewrite(db, redaction.cleaner("session"))
    _from_focus_file(db, redaction)
    memory_fts.merge(db)
    state.put(db, UNFINISHED, "1")
    return Forgetting(
        tuple(m.id for m in same),
        redaction.keys,
        tuple(sorted(changed)),
        tuple(redaction.gone),
        words=redaction.words,
    )


def _own(content: str, quote: str, others: Collection[str]) -> str:
    """What a memory says itself, without the sentence in front that it refers back to, if that is one of the `others`:
    `He fell`, of `Dad has an alarm. He fell.`
    """
    whole, own = undated(content).rstrip("."), about_user(quote).rstrip(".")
    context = whole[: len(whole) - len(own)].strip(" .")
    is_behind = bool(own) and whole.casefold().endswith(own.casefold())
    return whole[-len(own) :] if is_behind and context.casefold() in others else content


def _same(
    known: list[Memory], first: list[Memory], contents: list[str], meant: tuple[Fact, ...]
) -> tuple[list[Memory], tuple[Fact, ...]]:
    """The memories that state nothing but what is meant, and all that is meant: their quotes may say it in other words,
    and these may be all that a further memory states.
    """
    same: list[Memory] = []
    while (found := [m for m in known if m in first or not _left(m.content, meant)]) != same:
        same = found
        meant = tuple({f.key: f for f in (*meant, *of_memory(contents, [m.quote for m in same]))}.values())
    return same, meant


def _left(content: str, meant: tuple[Fact, ...]) -> str:
    """What a memory says besides; "" where that is no word: a smiley is none."""
    keys = frozenset(fact.key for fact in meant)
    left = without(content, keys.__contains__)
    return left if any(map(str.isalnum, left)) else ""


def _contents(db: Database, memory: Memory) -> list[str]:
    """The present and former contents of the memory."""
    befores = [event.before for event in events.of(db, undo.subject(memory.id), limit=-1) if event.before]
    said = [before.get(str(memory.id), {}).get("content") for before in befores]
    return [memory.content, *(content for content in said if content)]


def _evidence(db: Database, gone: Iterable[Memory]) -> frozenset[int]:
    """The exchanges that memories were learned from. A statement is stored before its exchange: that is found by the
    quote, and the replies of that conversation may have repeated it.
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
    erasure.from_events(db, undo.subject(memory.id), keep=lambda field, value: field not in undo.TEXTS)
    events.add(db, Event(cause.at, FORGOTTEN, undo.subject(memory.id), cause.origin))


def _rewrite_others(db: Database, others: Iterable[Memory], redaction: Redaction, cause: Cause) -> None:
    """Remove the forgotten sentences from contents and quotes of other memories."""
    for memory in others:
        content = redaction.cleaner("memory", memory.id)(memory.content)
        quote = redaction.cleaner("quote", memory.id)(memory.quote)
        if (content, quote) != (memory.content, memory.quote):
            memories.update(db, memory, replace(memory, content=content, quote=quote, updated_at=cause.at))
            events.add(db, Event(cause.at, REWRITTEN, undo.subject(memory.id), cause.origin))


def _may_stay(field: str, value: Any, redaction: Redaction) -> bool:
    return field not in ("content", "quote") or not redaction.states(value)


def _from_exchanges(db: Database, redaction: Redaction) -> set[int]:
    changed = erasure.from_exchanges(
        db, redaction.words, partial(redaction.cleaner, "exchange"), also=redaction.evidence
    )
    if changed:
        message_fts.merge(db)
    return changed


def _from_focus_file(db: Database, redaction: Redaction) -> None:
    """Remove the fact from the user's notes in the agreed text. `RecentFocus.forget` does the same to the file."""
    text = state.get(db, FOCUS_FILE)
    if text is not None and (left := lines(text, redaction.cleaner("focus file"))) != text:
        state.put(db, FOCUS_FILE, left)
