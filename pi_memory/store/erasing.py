"""Erasing a text from all that is kept verbatim: events of memories, and exchanges."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from sqlite_utils import Database

from pi_memory.store import passages

Clean = Callable[[str], str]


def from_events(db: Database, subject: str | None, keep: Callable[[str, Any], bool]) -> None:
    """Take the fields that `keep` (field, value) refuses out of memories' events, of one subject or of all."""
    query = """select id, before, after from events where kind like 'memory.%' and before is not null
        and (:subject is null or subject = :subject)"""
    for number, *sides in db.execute(query, {"subject": subject}).fetchall():
        told = [msgspec.json.decode(side) for side in sides]
        erased = {
            (memory, field)
            for side in told
            for memory, fields in side.items()
            for field, value in fields.items()
            if not keep(field, value)
        }
        if erased:
            left = [_without(side, erased) for side in told]
            db.execute("update events set before = ?, after = ? where id = ?", (*map(_json, left), number))


def from_exchanges(
    db: Database, texts: tuple[str, ...], clean: Clean, *, only: frozenset[int] | None = None
) -> list[int]:
    """Rewrite the exchanges in which one of the texts may stand, or those of `only`; the ids of those that changed."""
    where, values = _may_hold(texts) if only is None else (_among(only), {})
    query = f"select id, user, reply, coalesce(tool_calls, '') from exchanges where {where}"
    changed = []
    for number, *told in db.execute(query, values).fetchall():
        cleaned = [clean(text) for text in told]
        if cleaned != told:
            # Arguments are no sentences: a part of them would not be JSON.
            calls = cleaned[2] if cleaned[2] == told[2] else ""
            with passages.rewritten(db, number):
                db.execute(
                    "update exchanges set user = ?, reply = ?, tool_calls = nullif(?, '') where id = ?",
                    (*cleaned[:2], calls, number),
                )
            changed.append(number)
    return changed


def is_evidence(db: Database, exchange_id: int | None, quote: str) -> bool:
    """Whether the exchange is here and has the quote in it."""
    query = "select 1 from exchanges where id = ? and instr(user || ' ' || reply, ?)"
    return bool(quote) and db.execute(query, (exchange_id, quote)).fetchone() is not None


def _may_hold(texts: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """A condition by each text's longest word: whoever lacks it need not be read whole."""
    words = [max(re.findall(r"\w+", text), key=len, default="") for text in texts]
    # `like` folds the case of ASCII only.
    values = {f"word{number}": f"%{word if word.isascii() else ''}%" for number, word in enumerate(words)}
    row = "user || ' ' || reply || ' ' || coalesce(tool_calls, '')"
    return " or ".join(f"{row} like :{name}" for name in values) or "0", values


def _among(ids: frozenset[int]) -> str:
    return f"id in ({', '.join(map(str, sorted(ids)))})"


def _without(side: dict[str, Any], erased: set[tuple[str, str]]) -> dict[str, Any]:
    left = {
        memory: {field: value for field, value in fields.items() if (memory, field) not in erased}
        for memory, fields in side.items()
    }
    return {memory: fields for memory, fields in left.items() if fields}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
