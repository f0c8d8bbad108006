"""Sessions: conversations with us and agents' sessions elsewhere. A client's id is the session's `name`."""

from dataclasses import dataclass

from sqlite_utils import Database

from pi_memory.types import Source


def touch(db: Database, name: str, at: float, *, source: Source = "chat", project: str | None = None) -> int:
    """The number of the session called `name`, which is created, continued or reopened at `at`."""
    row = db.execute(
        "select id, ended_at is null and (:project is null or project is :project) from sessions where name = :name",
        {"name": name, "project": project},
    ).fetchone()
    if row is not None and row[1]:
        return int(row[0])  # unchanged: a write would cost the card a page
    row = db.execute(
        """insert into sessions (name, source, project, started_at) values (:name, :source, :project, :at)
        on conflict (name) do update set ended_at = null, project = coalesce(:project, project) returning id""",
        {"name": name, "source": source, "project": project, "at": at},
    ).fetchone()
    return int(row[0])


def end(db: Database, name: str, at: float) -> bool:
    """End a session. Returns whether it existed."""
    return db.execute("update sessions set ended_at = ? where name = ? and ended_at is null", (at, name)).rowcount > 0


@dataclass(frozen=True, slots=True)
class Session:
    """A session with the number of its exchanges and the Unix times of the first and the last."""

    name: str
    source: Source
    project: str | None
    started_at: float
    last_at: float
    ended_at: float | None
    exchanges: int


def listed(db: Database, *, limit: int, offset: int = 0) -> list[Session]:
    """Sessions with at least one exchange, most recently active first."""
    query = """select name, source, sessions.project, started_at, max(at) as last_at, ended_at, count(*)
        from sessions join exchanges on session_id = sessions.id where user != '' or reply != ''
        group by sessions.id order by last_at desc, max(exchanges.id) desc limit ? offset ?"""
    return [Session(*row) for row in db.execute(query, (limit, offset)).fetchall()]
