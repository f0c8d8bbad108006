"""Events: the audit trail of changes, by whom, when, from what to what. It explains and undoes them."""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlite_utils import Database

AUDIT = "access."
"""How the kinds of the audit log's events begin; they are listed only where they are asked for."""
COLUMNS = "at, kind, subject, origin, before, after, id, undoes"


class Event(msgspec.Struct, frozen=True):
    """One change. `kind` is a verb such as `topic.dropped`, `origin` who caused it: `tagger`, `file`, `api`, `time`.

    `id` is assigned by the database; `undoes` is the id of the event that this one takes back.
    """

    at: float
    kind: str
    subject: str
    origin: str
    before: Any = None
    after: Any = None
    id: int = 0
    undoes: int | None = None


def add(db: Database, event: Event) -> int:
    """Store an event and return its id: its own if that is greater than all others, else the next one."""
    cursor = db.execute(
        """insert into events (id, at, kind, subject, origin, before, after, undoes)
        values ((select :id where :id > (select coalesce(max(id), 0) from events)),
            :at, :kind, :subject, :origin, :before, :after, :undoes)""",
        {
            "id": event.id,
            "at": event.at,
            "kind": event.kind,
            "subject": event.subject,
            "origin": event.origin,
            "before": _json(event.before),
            "after": _json(event.after),
            "undoes": event.undoes,
        },
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def get(db: Database, number: int) -> Event | None:
    rows = db.execute(f"select {COLUMNS} from events where id = ?", (number,)).fetchall()
    return _event(rows[0]) if rows else None


def of(db: Database, subject: str, *, limit: int = 50) -> list[Event]:
    """The last events of a subject, newest first."""
    query = f"select {COLUMNS} from events where subject = ? order by id desc limit ?"
    return [_event(row) for row in db.execute(query, (subject, limit)).fetchall()]


def of_memory(db: Database, number: int) -> list[Event]:
    """All events that changed a memory, newest first, including those filed under another memory."""
    query = f"""select {COLUMNS} from events where kind like 'memory.%'
        and (subject = 'memory:' || :id or before like '%"' || :id || '":{{%') order by id desc"""
    return [_event(row) for row in db.execute(query, {"id": number}).fetchall()]


def listed(db: Database, *, kind: str = "", before: int | None = None, limit: int = 50) -> list[Event]:
    """The last events, newest first, whose kind begins with `kind` and whose id is below `before`."""
    query = f"""select {COLUMNS} from events where substr(kind, 1, length(:kind)) = :kind
        and (kind not like '{AUDIT}%' or :kind like '{AUDIT}%') and (:before is null or id < :before)
        order by id desc limit :limit"""
    values = {"kind": kind, "before": before, "limit": limit}
    return [_event(row) for row in db.execute(query, values).fetchall()]


def oldest_first(db: Database, *, kind: str) -> Iterator[Event]:
    """All events whose kind begins with `kind`."""
    query = f"select {COLUMNS} from events where substr(kind, 1, length(?1)) = ?1 order by id"
    return map(_event, db.execute(query, (kind,)))


def _event(row: tuple) -> Event:  # type: ignore[type-arg]
    at, kind, subject, origin, before, after, number, undoes = row
    before, after = (value and msgspec.json.decode(value) for value in (before, after))
    return Event(at, kind, subject, origin, before, after, number, undoes)


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
