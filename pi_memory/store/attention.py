"""The tables of attention: contexts of sessions, past focuses, and memories put to use."""

from collections.abc import Callable, Sequence

import msgspec
from sqlite_utils import Database

from pi_memory.store import tombstones
from pi_memory.types import Application, FocusPeriod, SessionContext, SharedSessions

COLUMNS = "name, started_at, last_at, project, directory, topic, since, worked, files, decisions, weights"
SESSION = "(select id from session_contexts where name = :session)"
KEPT_ENTRIES = 1_000
KEPT_APPLICATIONS = 10_000
YEAR_9999 = 253_370_764_800.0
RECENT_SESSIONS = 1_000
"""Number of newest sessions from which related topics are learned."""


def load(db: Database, *, limit: int) -> list[SessionContext]:
    """The contexts of the sessions active last, oldest first; unreadable ones are left out."""
    rows = db.execute(f"select {COLUMNS} from session_contexts order by last_at desc limit ?", (limit,)).fetchall()
    return [context for row in reversed(rows) if (context := _context(row)) is not None]


def save(db: Database, context: SessionContext) -> None:
    """Insert or replace a session's context, with what was forgotten removed."""
    decisions = [left for text in context.decisions if (left := tombstones.cleaned(db, text))]
    values = (
        context.session,
        context.started_at,
        context.last_at,
        context.project,
        context.directory,
        context.topic,
        context.since,
        context.worked,
        _json(context.files),
        _json(decisions),
        _json({name: round(weight, 6) for name, weight in context.weights.items()}),
    )
    changed = ", ".join(f"{column} = excluded.{column}" for column in COLUMNS.split(", ")[1:])
    db.execute(
        f"""insert into session_contexts ({COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (name) do update set {changed}""",
        values,
    )


def remove(db: Database, session: str) -> None:
    """Delete a session's context and its applications."""
    db.execute(f"delete from applications where context_id = {SESSION}", {"session": session})
    db.execute("delete from session_contexts where name = ?", (session,))


def close_focus(db: Database, session: str, entry: FocusPeriod) -> None:
    """Record the end of a session's focus, with the number of memories put to use in it."""
    number = db.execute(
        f"""insert into focus_entries (topic, since, seconds, outcome, memories)
        select :topic, :since, :seconds, :outcome, count(distinct memory_id) from applications
        where context_id = {SESSION} and at >= :since""",
        {
            "session": session,
            "topic": entry.topic,
            "since": entry.since,
            "seconds": entry.seconds,
            "outcome": entry.outcome and tombstones.cleaned(db, entry.outcome),
        },
    ).lastrowid
    assert number is not None
    db.execute("delete from focus_entries where id <= ?", (number - KEPT_ENTRIES,))


def entries(db: Database, *, limit: int) -> list[FocusPeriod]:
    """The last ended focuses of all sessions, oldest first."""
    rows = db.execute(
        "select topic, since, seconds, outcome, memories from focus_entries order by id desc limit ?", (limit,)
    ).fetchall()
    return [FocusPeriod(*row) for row in reversed(rows)]


def apply(db: Database, session: str, memory_id: int, at: float, context: str) -> Application:
    """Record that a session put a memory to use."""
    context = tombstones.cleaned(db, context)
    number = db.execute(
        f"insert into applications (context_id, memory_id, at, context) values ({SESSION}, :memory, :at, :context)",
        {"session": session, "memory": memory_id, "at": at, "context": context},
    ).lastrowid
    assert number is not None
    db.execute("delete from applications where id <= ?", (number - KEPT_APPLICATIONS,))
    return Application(number, session, memory_id, at, context)


def judge(db: Database, number: int, *, helpful: bool) -> None:
    db.execute("update applications set helpful = ? where id = ?", (helpful, number))


def application(db: Database, number: int) -> Application | None:
    row = db.execute(f"{APPLIED} where applications.id = ?", (number,)).fetchone()
    return _application(row) if row else None


def applications(db: Database, session: str, *, limit: int) -> list[Application]:
    """The last memories that a session put to use, oldest first."""
    rows = db.execute(f"{APPLIED} where name = ? order by applications.id desc limit ?", (session, limit)).fetchall()
    return [_application(row) for row in reversed(rows)]


APPLIED = """select applications.id, name, memory_id, at, context, helpful from applications
    join session_contexts on session_contexts.id = context_id"""


def shared_sessions(db: Database, topic: str) -> SharedSessions:
    """Counts, among the newest sessions, of those that worked on a topic and on others beside it."""
    recent = f"topic_sessions where session_id > (select coalesce(max(id), 0) from sessions) - {RECENT_SESSIONS}"
    mine = f"select session_id from {recent} and topic_id = (select id from topics where name = :topic)"
    sessions, own = db.execute(
        f"select count(distinct session_id), (select count(*) from ({mine})) from {recent}", {"topic": topic}
    ).fetchone()
    rows = db.execute(
        f"""select name, together, sessions from (
            select topic_id, count(*) as sessions, sum(session_id in ({mine})) as together from {recent}
            group by topic_id)
        join topics on topics.id = topic_id where together > 0 and name != :topic""",
        {"topic": topic},
    ).fetchall()
    return SharedSessions(sessions, own, {name: (together, all_of_it) for name, together, all_of_it in rows})


def rewrite(db: Database, clean: Callable[[str], str]) -> None:
    """Apply a function to every note. A decision that becomes empty is deleted."""
    for table, column in (("applications", "context"), ("focus_entries", "outcome")):
        for number, text in db.execute(f"select id, {column} from {table} where {column} != ''").fetchall():
            if (cleaned := clean(text)) != text:
                db.execute(f"update {table} set {column} = ? where id = ?", (cleaned, number))
    query = "select id, decisions from session_contexts where decisions != '[]' and json_valid(decisions)"
    for number, decisions in db.execute(query).fetchall():
        cleaned = _json([left for text in msgspec.json.decode(decisions) if (left := clean(text))])
        if cleaned != decisions:
            db.execute("update session_contexts set decisions = ? where id = ?", (cleaned, number))


def _context(row: Sequence[object]) -> SessionContext | None:
    """A context from its row; None for a damaged row, whose session begins anew."""
    *plain, files, decisions, weights = row
    fields = dict(zip(("session", *COLUMNS.split(", ")[1:8]), plain, strict=True))
    try:
        fields |= {
            "files": msgspec.json.decode(str(files)),
            "decisions": msgspec.json.decode(str(decisions)),
            "weights": msgspec.json.decode(str(weights)),
        }
        context = msgspec.convert(fields, SessionContext)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    times = (context.started_at, context.last_at, context.since or 0.0, context.worked)
    if not all(0 <= time < YEAR_9999 for time in times):
        return None
    return context


def _application(row: Sequence[object]) -> Application:
    fields = dict(zip(("id", "session", "memory_id", "at", "context", "helpful"), row, strict=True))
    return msgspec.convert(fields, Application, strict=False)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
