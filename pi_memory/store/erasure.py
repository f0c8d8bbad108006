"""Erases text from what is stored verbatim: events of memories, and exchanges."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlite_utils import Database

from pi_memory.store import matching, messages
from pi_memory.store.events import AUDIT

Clean = Callable[..., str]

KEPT_AUDIT = 1000
"""Entries of the audit log that are kept."""


def from_events(db: Database, subject: str | None, keep: Callable[[str, Any], bool]) -> None:
    """Remove the fields for which `keep(field, value)` is false from memory events, of one subject or of all."""
    query = """select id, before, after from events where kind like 'memory.%' and before is not null
        and (:subject is null or subject = :subject)"""
    for number, *sides in db.execute(query, {"subject": subject}).fetchall():
        parts = [msgspec.json.decode(side) for side in sides]
        erased = {
            (memory, field)
            for side in parts
            for memory, fields in side.items()
            for field, value in fields.items()
            if not keep(field, value)
        }
        if erased:
            left = [_without(side, erased) for side in parts]
            db.execute("update events set before = ?, after = ? where id = ?", (*map(_json, left), number))


def from_exchanges(
    db: Database, words: Sequence[frozenset[str]], cleaner: Callable[[int], Clean], *, also: frozenset[int]
) -> set[int]:
    """Rewrite the exchanges that may contain all of some words, and those of `also`. Returns the ids that changed.

    `words` are lower-case parts of words. `cleaner(id)` returns the function that cleans a text of that exchange: a
    message, or a reply with the message that it answers.
    """
    matching.prepare(db)
    # The longest word of each fact spares cleaning most rows.
    longest = [max(found, key=len, default="") for found in words]
    query = """select id, user, reply, coalesce(tool_calls, '') from exchanges
        where has_any(user || ' ' || reply || ' ' || coalesce(tool_calls, ''), ?)
        or id in (select value from json_each(?)) order by id"""
    changed = set()
    for number, *parts in db.execute(query, (_json(longest), _json(sorted(also)))).fetchall():
        clean, (user, reply, calls) = cleaner(number), parts
        cleaned = [clean(user), clean(reply, user), clean(calls)]
        if cleaned != parts:
            # Arguments are no sentences: a part of them would not be JSON.
            left = calls if cleaned[2] == calls else ""
            with messages.rewritten(db, number):
                db.execute(
                    "update exchanges set user = ?, reply = ?, tool_calls = nullif(?, '') where id = ?",
                    (*cleaned[:2], left, number),
                )
            changed.add(number)
    return changed


def set_aside(db: Database) -> None:
    """Erase the quarantined values: what is in them cannot be read."""
    db.execute("delete from set_aside")


def is_evidence(db: Database, exchange_id: int | None, quote: str) -> bool:
    """Whether the exchange exists and contains the quote."""
    query = "select 1 from exchanges where id = ? and instr(user || ' ' || reply, ?)"
    return bool(quote) and db.execute(query, (exchange_id, quote)).fetchone() is not None


def _without(side: dict[str, Any], erased: set[tuple[str, str]]) -> dict[str, Any]:
    left = {
        memory: {field: value for field, value in fields.items() if (memory, field) not in erased}
        for memory, fields in side.items()
    }
    return {memory: fields for memory, fields in left.items() if fields}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


EMPTY = """select id from sessions where coalesce(ended_at, started_at) < :before
    and source != 'import' and imported_upto is null
    and id not in (select session_id from exchanges) and id not in (select session_id from lessons)
    and id < (select max(id) from sessions)"""
"""Sessions without exchanges that are over. An import is identified by its sessions. The newest session keeps its row,
so that its id is not reused.
"""


def prune(db: Database, *, before: float) -> int:
    """Erase sessions and events that ended before a Unix time. Returns how many of each."""
    for table in ("topic_sessions", "windows"):
        db.execute(f"delete from {table} where session_id in ({EMPTY})", {"before": before})
    sessions = db.execute(f"delete from sessions where id in ({EMPTY})", {"before": before}).rowcount
    events = db.execute(
        "delete from events where kind like 'topic.%' and at < :before and id < (select max(id) from events)",
        {"before": before},
    ).rowcount
    return sessions + events + _prune_audit(db, before=before)


def _prune_audit(db: Database, *, before: float) -> int:
    query = f"""delete from events where kind like '{AUDIT}%' and id < (select max(id) from events) and (at < :before
        or id <= (select id from events where kind like '{AUDIT}%' order by id desc limit 1 offset {KEPT_AUDIT}))"""
    return int(db.execute(query, {"before": before}).rowcount)
