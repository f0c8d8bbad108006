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
    """Memories, their words, what may not come back, and the embedders whose vectors are kept.

    What most rows have in common stands in `memory_labels`, and what changes often, uses, in rows of its own: the pages
    of a memory are written once. Null stands for `created_at`. The words are those of the content and the quote;
    `detail=none` keeps no positions, which halves them.
    """
    for statement in (
        "create table spaces (id integer primary key, name text not null unique, dimensions integer not null)",
        """create table memory_labels (
            id integer primary key, namespace text not null, type text not null, priority text not null,
            source text not null, unique (namespace, type, priority, source))""",
        """create table memories (
            id integer primary key, label_id integer not null references memory_labels(id), created_at real not null,
            updated_at real, valid_from real, valid_to real, superseded_by integer, forgotten_at real,
            exchange_id integer, topics text, space_id integer references spaces(id), content text not null,
            quote text, vector blob)""",
        """create table memory_uses (
            id integer primary key references memories(id), accesses integer not null,
            last_accessed_at real not null)""",
        """create view memory_texts as
            select id, case when instr(coalesce(quote, ''), content) then quote
                else content || ' ' || coalesce(quote, '') end as text from memories""",
        """create virtual table memory_words using fts5(
            text, content = 'memory_texts', content_rowid = 'id', detail = none,
            tokenize = 'porter unicode61 remove_diacritics 2')""",
        "create table tombstones (id integer primary key, at real not null, salt blob not null, hash blob not null)",
        """create table imported (
            store text not null, their_id integer not null, id integer not null, primary key (store, their_id))
            without rowid""",
        "alter table events add column undoes integer",
    ):
        db.execute(statement)


def m003_passages(db: Database) -> None:
    """The messages of exchanges, as they are searched: their vectors and their words, not their text.

    The words are kept without a copy of the text and without positions: nothing asks for phrases.
    """
    for statement in (
        """create table passages (
            id integer primary key, at real, ref text, space_id integer references spaces(id), vectors blob)""",
        """create virtual table passage_words using fts5(
            text, content = '', detail = none, tokenize = 'porter unicode61 remove_diacritics 2')""",
    ):
        db.execute(statement)


def m004_summaries(db: Database) -> None:
    """Where the window of each session begins, what stands for what has left it, and what is yet to be learned from."""
    for statement in (
        """create table windows (
            session_id integer primary key references sessions(id), after integer not null,
            summary text not null default '')""",
        """create table lessons (
            id integer primary key, session_id integer not null references sessions(id),
            after integer not null, upto integer not null)""",
    ):
        db.execute(statement)


def m005_session_contexts(db: Database) -> None:
    """What each session pays attention to; the focuses that are over; memories put to use, and whether that helped."""
    for statement in (
        """create table session_contexts (
            id integer primary key, name text not null unique, started_at real not null, last_at real not null,
            project text, directory text, topic text, since real, worked real not null default 0,
            files text not null default '[]', decisions text not null default '[]',
            weights text not null default '{}')""",
        """create table focus_entries (
            id integer primary key, topic text not null, since real not null, seconds real not null, outcome text,
            memories integer not null default 0)""",
        """create table applications (
            id integer primary key, context_id integer not null references session_contexts(id),
            memory_id integer not null, at real not null, context text not null default '', helpful integer)""",
    ):
        db.execute(statement)


def m006_centroids(db: Database) -> None:
    """Where topics lie in the embedder's space."""
    db.execute(
        """create table centroids (
            topic_id integer primary key references topics(id), space_id integer not null references spaces(id),
            vector blob not null)"""
    )


def m007_recorded(db: Database) -> None:
    """Which lines of agents' logs have been recorded."""
    db.execute("create table recorded (ref integer primary key)")


def m008_contexts(db: Database) -> None:
    """What is prompted with a message is kept at a clean stop only: with each exchange it was half of all writes."""
    db.execute("alter table exchanges drop column context")
    db.execute("delete from state where key = 'standings'")


def m009_set_aside(db: Database) -> None:
    """Values that could not be decoded, as they were found."""
    db.execute(
        """create table set_aside (
            id integer primary key, at real not null, place text not null, row integer not null, value blob)"""
    )


MIGRATIONS: tuple[Migration, ...] = (
    m001_first_tables,
    m002_memories,
    m003_passages,
    m004_summaries,
    m005_session_contexts,
    m006_centroids,
    m007_recorded,
    m008_contexts,
    m009_set_aside,
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
