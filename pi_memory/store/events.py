"""What changed, when, by whom, from what to what: the record that shows and explains."""

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class Event:
    """`kind` is a verb such as `topic.dropped`, `origin` who did it: `tagger`, `file`, `api`, `time`."""

    at: float
    kind: str
    subject: str
    origin: str
    before: Any = None
    after: Any = None


def add(db: Database, event: Event) -> None:
    db.execute(
        "insert into events (at, kind, subject, origin, before, after) values (?, ?, ?, ?, ?, ?)",
        (event.at, event.kind, event.subject, event.origin, _json(event.before), _json(event.after)),
    )


def of(db: Database, subject: str, *, limit: int = 50) -> list[Event]:
    """The last events about a subject, newest first."""
    rows = db.execute(
        "select at, kind, subject, origin, before, after from events where subject = ? order by id desc limit ?",
        (subject, limit),
    ).fetchall()
    return [Event(*row[:4], *(value and msgspec.json.decode(value) for value in row[4:])) for row in rows]


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
