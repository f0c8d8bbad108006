"""The schema as numbered, append-only steps. `pragma user_version` counts those that ran."""

from collections.abc import Callable

from sqlite_utils import Database

from pi_memory.text.intent import only_asks

Migration = Callable[[Database], None]


def m001_first_tables(db: Database) -> None:
    """Exchanges and their sessions, topics, events, and single values.

    Every page that a group of writes touches is written whole, twice. So client ids stay in `sessions`, everything else
    refers to them by a small integer, and only uniqueness has indexes.
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
    """Memories, their words, tombstones, and the embedders of stored vectors.

    Columns that most rows share are in `memory_labels`, counters that change often in rows of their own: the pages of a
    memory are written once. Null means the same time as `created_at`. Content and quote are indexed; `detail=none`
    keeps no positions, which halves the index.
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
    """Messages of exchanges for search: their vectors and their words, not their text.

    The words are kept without a copy of the text and without positions: no query needs phrases.
    """
    for statement in (
        """create table passages (
            id integer primary key, at real, ref text, space_id integer references spaces(id), vectors blob)""",
        """create virtual table passage_words using fts5(
            text, content = '', detail = none, tokenize = 'porter unicode61 remove_diacritics 2')""",
    ):
        db.execute(statement)


def m004_summaries(db: Database) -> None:
    """The beginning and summary of each window, and the queue of lessons."""
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
    """Attention of each session, ended focuses, and memories put to use with their verdicts."""
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
    """Centroids of topics in the embedder's space."""
    db.execute(
        """create table centroids (
            topic_id integer primary key references topics(id), space_id integer not null references spaces(id),
            vector blob not null)"""
    )


def m007_recorded(db: Database) -> None:
    """Lines of agents' logs that are already recorded."""
    db.execute("create table recorded (ref integer primary key)")


def m008_contexts(db: Database) -> None:
    """Prompted text of conversations, kept at a clean stop only: with each exchange it was half of all writes."""
    db.execute("alter table exchanges drop column context")
    db.execute("delete from state where key = 'standings'")


def m009_set_aside(db: Database) -> None:
    """Quarantined values that could not be decoded."""
    db.execute(
        """create table set_aside (
            id integer primary key, at real not null, place text not null, row integer not null, value blob)"""
    )


def m010_asides(db: Database) -> None:
    """Which messages are no answers: those that only ask, and what an assistant replied in a chat."""
    db.execute("alter table passages add column aside integer not null default 0")
    db.execute(
        """update passages set aside = 1 where id & 1 = 1 and id >> 1 in (
            select exchanges.id from exchanges join sessions on sessions.id = session_id where source = 'chat')"""
    )
    said = db.execute(
        """select passages.id, user from passages join exchanges on exchanges.id = passages.id >> 1
        join sessions on sessions.id = session_id where passages.id & 1 = 0 and source != 'import'"""
    )
    asides = [(number,) for number, text in said if only_asks(text)]
    db.conn.executemany("update passages set aside = 1 where id = ?", asides)


def m011_receipts(db: Database) -> None:
    """What was recalled for an exchange, as ids and scores; the exchanges of a session and the memories of an exchange
    without reading all: ids only grow, so that a group of writes touches the last page of either index.
    """
    for statement in (
        "alter table exchanges add column receipt text",
        "create index exchanges_of_session on exchanges (session_id, at)",
        "create index memories_of_exchange on memories (exchange_id) where exchange_id is not null",
    ):
        db.execute(statement)


def m012_token_codes(db: Database) -> None:
    """Codes of a message's tokens, by the embedder of its vectors; null until they are made."""
    db.execute("alter table passages add column codes blob")


def m013_fewer_bytes(db: Database) -> None:
    """Without the index of memories by exchange: 4 % of what a learned memory writes, for a page seldom looked at."""
    db.execute("drop index if exists memories_of_exchange")


def m014_conflicts(db: Database) -> None:
    """Pairs of memories of which the newer may make the older untrue."""
    db.execute(
        """create table conflicts (
            id integer primary key, newer_id integer not null, older_id integer not null, chance real not null,
            at real not null, settled_at real, unique (newer_id, older_id))"""
    )


def m015_superseded(db: Database) -> None:
    """Superseded memories without reading all: each search asks what became of the exchanges that it has found."""
    db.execute("create index superseded on memories (superseded_by, exchange_id) where superseded_by is not null")


def m016_own_words(db: Database) -> None:
    """Vectors of memories about the user are made anew, as the user would say them."""
    db.execute("update memories set space_id = null, vector = null where content like '%the user%'")


def m017_ended(db: Database) -> None:
    """What no longer holds of an exchange without reading all memories: also of a correction that was undone."""
    db.execute("create index ended on memories (exchange_id) where valid_to is not null")


def m018_imports_gone_on_with(db: Database) -> None:
    """Where and when the import ended of a conversation that somebody has gone on with."""
    for column in ("imported_upto integer", "imported_at real"):
        db.execute(f"alter table sessions add column {column}")


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
    m010_asides,
    m011_receipts,
    m012_token_codes,
    m013_fewer_bytes,
    m014_conflicts,
    m015_superseded,
    m016_own_words,
    m017_ended,
    m018_imports_gone_on_with,
)
LATEST = len(MIGRATIONS)


def version(db: Database) -> int:
    return int(db.execute("pragma user_version").fetchone()[0])


def migrate(db: Database, *, to: int = LATEST) -> None:
    """Run the steps that have not run yet, each in a transaction together with its number."""
    for number in range(version(db) + 1, to + 1):
        with db.atomic():
            MIGRATIONS[number - 1](db)
            db.execute(f"pragma user_version = {number}")
