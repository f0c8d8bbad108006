"""What is let go after a year, so that the database does not grow for ever: how topics came and went, and sessions of
which nothing else is left.

Events of memories stay as long as the memories: they show what was changed, and undo it.
"""

from sqlite_utils import Database

EMPTY = """select id from sessions where coalesce(ended_at, started_at) < :before and source != 'import'
    and id not in (select session_id from exchanges) and id not in (select session_id from lessons)
    and id < (select max(id) from sessions)"""
"""An import is known by its sessions. The newest keeps its row, or its id would be given again."""


def prune(db: Database, *, before: float) -> int:
    """Erase what ended before a Unix time; how many sessions and events."""
    for table in ("topic_sessions", "windows"):
        db.execute(f"delete from {table} where session_id in ({EMPTY})", {"before": before})
    sessions = db.execute(f"delete from sessions where id in ({EMPTY})", {"before": before}).rowcount
    events = db.execute(
        "delete from events where kind like 'topic.%' and at < :before and id < (select max(id) from events)",
        {"before": before},
    ).rowcount
    return sessions + events
