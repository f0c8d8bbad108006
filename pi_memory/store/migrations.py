"""The schema, as numbered steps that are only ever appended to. `pragma user_version` counts those that ran."""

from collections.abc import Callable

from sqlite_utils import Database

Migration = Callable[[Database], None]


def m001_first_tables(db: Database) -> None:
    """Exchanges and the sessions they belong to, topics, events, and single values.

    Every page that a group of writes touches is written whole, twice. So the ids of clients stay in `sessions` and
    everything else points there by a small integer; and there are no indexes but those that uniqueness needs.
    """
    for statement in (
        """create table sessions (
            id integer primary key, name text not null unique, source text not null, project text,
            started_at real not null, ended_at real)""",
        """create table exchanges (
            id integer primary key, session_id integer not null references sessions(id),
            at real not null, user text not null, reply text not null, context text not null default '',
            partial integer not null default 0, project text, tool_calls text, file_paths text)""",
        """create table topics (
            id integer primary key, name text not null unique, first_seen_at real not null,
            last_touched_at real not null, file_paths text not null default '[]',
            directories text not null default '[]',
            touch_count integer not null default 1, session_count integer not null default 1,
            is_active integer not null default 1)""",
        """create table topic_sessions (
            session_id integer not null references sessions(id), topic_id integer not null references topics(id),
            primary key (session_id, topic_id)) without rowid""",
        """create table events (
            id integer primary key, at real not null, kind text not null, subject text not null, origin text not null,
            before text, after text)""",
        "create table state (key text primary key, value text not null) without rowid",
    ):
        db.execute(statement)


def m002_memories(db: Database) -> None:
    """Memories, their words, what may not come back, and the embedders whose vectors are kept."""


def m003_passages(db: Database) -> None:
    """The messages of exchanges, as they are searched."""


def m004_summaries(db: Database) -> None:
    """What stands for the exchanges that a conversation's window has left."""


def m005_session_contexts(db: Database) -> None:
    """What each session pays attention to."""


def m006_centroids(db: Database) -> None:
    """Where topics lie in the embedder's space."""


MIGRATIONS: tuple[Migration, ...] = (
    m001_first_tables,
    m002_memories,
    m003_passages,
    m004_summaries,
    m005_session_contexts,
    m006_centroids,
)
LATEST = len(MIGRATIONS)


def version(db: Database) -> int:
    return int(db.execute("pragma user_version").fetchone()[0])


def migrate(db: Database, *, to: int = LATEST) -> None:
    """Run what has not run yet, each step in a transaction of its own together with its number."""
    for number in range(version(db) + 1, to + 1):
        with db.atomic():
            MIGRATIONS[number - 1](db)
            db.execute(f"pragma user_version = {number}")
