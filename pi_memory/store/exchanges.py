"""Exchanges, verbatim. The inbox is no table of its own: it is every exchange after the cursor in `state`."""

import msgspec
from sqlite_utils import Database

from pi_memory.store import sessions, state
from pi_memory.turn import Exchange, ToolCall

CURSOR = "inbox"

COLUMNS = """exchanges.id, sessions.name, source, user, reply, at, context, partial, exchanges.project,
    tool_calls, file_paths
    from exchanges join sessions on sessions.id = session_id"""


def add(db: Database, exchange: Exchange) -> int:
    """Append an exchange to its session and so to the inbox; its id."""
    session = sessions.touch(
        db, exchange.conversation_id, exchange.at, source=exchange.source, project=exchange.project
    )
    values = (
        session,
        exchange.at,
        exchange.user,
        exchange.reply,
        exchange.context,
        exchange.partial,
        exchange.project,
        msgspec.json.encode(exchange.tool_calls).decode() if exchange.tool_calls else None,
        msgspec.json.encode(exchange.file_paths).decode() if exchange.file_paths else None,
    )
    cursor = db.execute(
        """insert into exchanges (session_id, at, user, reply, context, partial, project, tool_calls, file_paths)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        values,
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def inbox(db: Database) -> list[tuple[int, Exchange]]:
    """The exchanges that have not been processed, with their ids, oldest first."""
    done = int(state.get(db, CURSOR) or 0)
    rows = db.execute(f"select {COLUMNS} where exchanges.id > ? order by exchanges.id", (done,)).fetchall()
    return [(row[0], _exchange(row)) for row in rows]


def processed(db: Database, exchange_id: int) -> None:
    """Move the inbox past an exchange."""
    state.put(db, CURSOR, str(exchange_id))


def window(db: Database, session_id: int, *, limit: int) -> list[Exchange]:
    """The last exchanges of a session, oldest first."""
    rows = db.execute(
        f"select {COLUMNS} where session_id = ? order by exchanges.id desc limit ?", (session_id, limit)
    ).fetchall()
    return [_exchange(row) for row in reversed(rows)]


def prune(db: Database, *, before: float) -> int:
    """Erase processed exchanges of ended sessions that are older than `before`; how many."""
    done = int(state.get(db, CURSOR) or 0)
    return db.execute(
        """delete from exchanges where id <= ? and at < ?
        and session_id in (select id from sessions where ended_at is not null)""",
        (done, before),
    ).rowcount


def _exchange(row: tuple) -> Exchange:  # type: ignore[type-arg]
    _, name, source, user, reply, at, context, partial, project, calls, paths = row
    return Exchange(
        conversation_id=name,
        user=user,
        reply=reply,
        at=at,
        context=context,
        partial=bool(partial),
        project=project,
        tool_calls=tuple(msgspec.json.decode(calls, type=list[ToolCall])) if calls else (),
        file_paths=tuple(msgspec.json.decode(paths, type=list[str])) if paths else (),
        source=source,
    )
