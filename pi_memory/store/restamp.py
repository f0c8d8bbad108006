"""Corrects timestamps of a wrong clock once it is set, and finds the newest timestamp in the database."""

from collections.abc import Callable

from sqlite_utils import Database

from pi_memory.decay import DAY
from pi_memory.store import events, sessions, state
from pi_memory.store.events import Event

OWN = {
    "sessions": "source != 'import'",
    "exchanges": f"(select {sessions.SOURCE} from sessions where sessions.id = session_id) != 'import'",
}
"""Conditions that exclude imported rows, whose times are those of the file."""

STAMPED = {
    "exchanges": ("at",),
    "sessions": ("started_at", "ended_at"),
    "topics": ("first_seen_at", "last_touched_at"),
    "events": ("at",),
    # Not `valid_to`: an undo recognises it by its value.
    "memories": ("created_at", "updated_at", "valid_from", "forgotten_at"),
    "memory_uses": ("last_accessed_at",),
    "session_contexts": ("started_at", "last_at", "since"),
    "focus_entries": ("since",),
    "applications": ("at",),
    "tombstones": ("at",),
}

FADED = ("topic.faded", "memory.faded")

LAST_DAILY = "housekeeping"
"""Key of the time of the last daily housekeeping."""


def newest(db: Database) -> float | None:
    """The newest timestamp of our own clock; None for an empty database."""
    last = state.get(db, LAST_DAILY)
    query = f"""select max(at) from (
        select at from events where id = (select max(id) from events) union all
        select at from exchanges where id = (select max(id) from exchanges where {OWN["exchanges"]}))"""
    (stamped,) = db.execute(query).fetchone()
    known = [stamped] if stamped is not None else []
    return max([*known, float(last)] if last else known, default=None)


def restamp(db: Database, *, right: Callable[[float], float], now: float) -> list[Event]:
    """Apply `right` to every timestamp, and return the fades to undo that happened at a future time.

    `right` maps a stamped Unix time to the correct one; `now` is the corrected time.
    """
    listed = [event for kind in FADED for event in events.listed(db, kind=kind, limit=-1)]
    faded = [event for event in listed if event.origin == "time" and event.at > now + DAY]
    db.conn.create_function("right_time", 1, lambda at: None if at is None else right(at), deterministic=True)
    for table, columns in STAMPED.items():
        for column in columns:
            db.execute(
                f"""update {table} set {column} = right_time({column})
                where {column} != right_time({column}) and {OWN.get(table, "1")}"""
            )
    last = state.get(db, LAST_DAILY)
    if last is not None and right(float(last)) != float(last):
        state.put(db, LAST_DAILY, str(right(float(last))))
    return faded
