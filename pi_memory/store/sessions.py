"""Sessions: a conversation with us, or an agent's session elsewhere. A client's id is the session's `name`."""

from dataclasses import dataclass

from sqlite_utils import Database

from pi_memory.turn import Source


@dataclass(frozen=True, slots=True)
class Session:
    id: int
    name: str
    project: str | None
    started_at: float
    last_at: float
    ended_at: float | None


def touch(db: Database, name: str, at: float, *, source: Source = "chat", project: str | None = None) -> int:
    """The number of the session called `name`; begun, gone on with or reopened at `at`."""
    row = db.execute(
        """insert into sessions (name, source, project, started_at, last_at)
        values (:name, :source, :project, :at, :at)
        on conflict (name) do update set last_at = max(last_at, :at), ended_at = null,
            project = coalesce(:project, project) returning id""",
        {"name": name, "source": source, "project": project, "at": at},
    ).fetchone()
    return int(row[0])


def end(db: Database, name: str, at: float) -> None:
    db.execute("update sessions set ended_at = ? where name = ?", (at, name))


def live(db: Database, *, since: float, limit: int) -> list[Session]:
    """Conversations that have not ended and were used after `since`, least recently used first."""
    rows = db.execute(
        """select id, name, project, started_at, last_at, ended_at from sessions
        where source = 'chat' and ended_at is null and last_at > ? order by last_at desc limit ?""",
        (since, limit),
    ).fetchall()
    return [Session(*row) for row in reversed(rows)]
