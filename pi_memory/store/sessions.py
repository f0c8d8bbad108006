"""Sessions: conversations with us and agents' sessions elsewhere. A client's id is the session's `name`."""

from collections.abc import Callable

from msgspec import Struct
from sqlite_utils import Database

from pi_memory.types import UNKEPT, Source

SOURCE = "case when exchanges.id <= imported_upto then 'import' else source end"
"""SQL of the source of an exchange, joined with its session: an imported conversation may have been gone on with."""


def touch(db: Database, name: str, at: float, *, source: Source = "chat", project: str | None = None) -> int:
    """The number of the session called `name`, which is created, continued or reopened at `at`."""
    row = db.execute(
        """select id, ended_at is null and (:project is null or project is :project), source from sessions
        where name = :name""",
        {"name": name, "project": project},
    ).fetchone()
    if row is not None and row[2] == "import" != source:
        db.execute(
            """update sessions set source = :source, imported_at = ended_at,
            imported_upto = (select max(exchanges.id) from exchanges where session_id = sessions.id) where id = :id""",
            {"source": source, "id": row[0]},
        )
    elif row is not None and row[1]:
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


class Session(Struct, frozen=True):
    """A session with the number of its exchanges, the Unix times of the first and the last, its first words, and the
    topics that it worked on, the one touched last at the end.
    """

    name: str
    source: Source
    project: str | None
    started_at: float
    last_at: float
    ended_at: float | None
    exchanges: int
    title: str
    topics: tuple[str, ...]


FIRST_WORDS = 120
"""Most characters of a title."""


class SessionFilter(Struct, frozen=True):
    """Filters of a list of sessions; None filters nothing. `is_project` tells the names of one project."""

    source: Source | None = None
    is_project: Callable[[str], bool] | None = None
    topic: str | None = None


def listed(db: Database, which: SessionFilter | None = None, *, limit: int, offset: int = 0) -> list[Session]:
    """Sessions with at least one exchange, most recently active first."""
    wanted = which or SessionFilter()
    of_topic = """sessions.id in (select session_id from topic_sessions join topics on topics.id = topic_id
        where topics.name = :topic)"""
    where = [
        condition
        for condition, value in (
            ("source = :source", wanted.source),
            ("sessions.project is not null and is_project(sessions.project)", wanted.is_project),
            (of_topic, wanted.topic),
        )
        if value is not None
    ]
    # From the index of a session's exchanges: no exchange is read but those that are shown. `limit -1` has SQLite sort
    # before it looks whether anything is left of a session.
    last = "from exchanges where session_id = sessions.id order by at desc, id desc limit 1"
    query = f"""select number, name, source, project, started_at, last_at, ended_at from (
            select sessions.id as number, *, (select at {last}) as last_at from sessions
            {"where " + " and ".join(where) if where else ""} order by last_at desc, (select id {last}) desc limit -1)
        where exists (select 1 from exchanges where session_id = number and (user != '' or reply != ''))
        limit :limit offset :offset"""
    if wanted.is_project:
        db.conn.create_function("is_project", 1, wanted.is_project, deterministic=True)
    values = {"source": wanted.source, "topic": wanted.topic}
    rows = db.execute(query, {**values, "limit": limit, "offset": offset}).fetchall()
    return [Session(*(*row[1:], *_described(db, row[0]))) for row in rows]


def _described(db: Database, number: int) -> tuple[int, str, tuple[str, ...]]:
    """The number of a session's exchanges, its first words that are kept, and its topics."""
    said = "from exchanges where session_id = ? and (user != '' or reply != '')"
    (count,) = db.execute(f"select count(*) {said}", (number,)).fetchone()
    query = f"select substr(user, 1, {FIRST_WORDS}) {said} and user not in ('', ?) order by at, id limit 1"
    first = db.execute(query, (number, UNKEPT)).fetchone()
    topics = db.execute(
        """select name from topic_sessions join topics on topics.id = topic_id where session_id = ?
        order by last_touched_at""",
        (number,),
    ).fetchall()
    return count, " ".join(first[0].split()) if first else "", tuple(name for (name,) in topics)
