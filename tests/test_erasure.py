"""What is let go after a year, and what is not. Real database."""

import sqlite3
from collections.abc import Iterator

import pytest
from sqlite_utils import Database

from pi_memory.decay import DAY
from pi_memory.store import erasure, events, exchanges, sessions, topics
from pi_memory.store.migrations import migrate
from pi_memory.types import Exchange, Topic

NOW = 1_771_770_600.0
OLD = NOW - 400 * DAY


@pytest.fixture
def db() -> Iterator[Database]:
    made = Database(sqlite3.connect(":memory:", isolation_level=None))
    migrate(made)
    yield made
    made.close()


def session(db: Database, name: str, at: float, *, ended: bool = True) -> None:
    sessions.touch(db, name, at)
    topics.save(db, Topic("garden", at, at))
    topics.join_session(db, "garden", name)
    if ended:
        sessions.end(db, name, at)


def left(db: Database) -> tuple[list[str], int]:
    names = [name for (name,) in db.execute("select name from sessions order by id").fetchall()]
    return names, db.execute("select count(*) from topic_sessions").fetchone()[0]


def test_any_number_of_facts_is_erased_at_once(db: Database) -> None:
    for name in ("Ada", "Zoë", "Übü"):
        exchanges.add(db, Exchange("talk", f"{name} sells quinces. Hello.", "Fine.", NOW))
    words = [frozenset({f"word{n}"}) for n in range(3_000)] + [frozenset({"übü"}), frozenset({"ada"})]
    changed = erasure.from_exchanges(db, words, lambda _: lambda text, *_: text.partition(". ")[2], also=frozenset())
    assert changed == {1, 3}
    assert [each.user for _, each in sorted(exchanges.several(db, [1, 2, 3]).items())] == [
        "Hello.",
        "Zoë sells quinces. Hello.",
        "Hello.",
    ]


def test_sessions_of_which_nothing_is_left_go(db: Database) -> None:
    session(db, "old", OLD)
    session(db, "crashed", OLD, ended=False)
    session(db, "new", NOW - DAY)
    assert erasure.prune(db, before=NOW - 365 * DAY) == 2
    assert left(db) == (["new"], 1)


def test_sessions_with_exchanges_stay_and_so_does_the_newest(db: Database) -> None:
    exchanges.add(db, Exchange("talk", "hello", "hi", OLD))
    session(db, "talk", OLD)
    session(db, "last", OLD)
    assert erasure.prune(db, before=NOW) == 0
    assert left(db) == (["talk", "last"], 2)


def test_an_import_is_still_known(db: Database) -> None:
    sessions.touch(db, "chat-export", OLD, source="import")
    session(db, "last", NOW)
    erasure.prune(db, before=NOW)
    assert left(db)[0] == ["chat-export", "last"]


def test_old_events_of_topics_go_and_those_of_memories_stay(db: Database) -> None:
    for at, kind in ((OLD, "topic.added"), (OLD, "memory.added"), (NOW - DAY, "topic.faded"), (OLD, "topic.added")):
        events.add(db, events.Event(at, kind, "it", "tagger"))
    assert erasure.prune(db, before=NOW - 365 * DAY) == 1
    assert [event.kind for event in events.of(db, "it")] == ["topic.added", "topic.faded", "memory.added"]


def test_the_topic_keeps_its_row(db: Database) -> None:
    session(db, "old", OLD)
    session(db, "new", NOW)
    erasure.prune(db, before=NOW - DAY)
    assert [topic.name for topic in topics.load(db)] == ["garden"]
