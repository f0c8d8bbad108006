"""Windows in the database: where each begins, its summary, and what is yet to be learned from what has left it."""

import sqlite3

import pytest
import sqlite_utils

from pi_memory.store import conversations, exchanges
from pi_memory.store.migrations import migrate
from pi_memory.types import Exchange, Prompted, Standing


@pytest.fixture
def db() -> sqlite_utils.Database:
    db = sqlite_utils.Database(sqlite3.connect(":memory:", isolation_level=None))
    migrate(db)
    for number in range(4):
        exchanges.add(db, Exchange("c", f"message {number}", "noted", float(number)))
    return db


def alive(db: sqlite_utils.Database) -> tuple[list[str], str]:
    """What is said in the window, and the summary before it."""
    window = conversations.alive(db, limit=10).get("c", conversations.Window(()))
    return [exchange.user for exchange in window.exchanges], window.summary


def left(db: sqlite_utils.Database) -> list[list[str]]:
    """What is yet to be learned from."""
    return [[e.user for _, e in conversations.said_in(db, lesson)] for lesson in conversations.lessons(db)]


def test_a_window_begins_with_all_that_was_said(db: sqlite_utils.Database) -> None:
    assert alive(db) == ([f"message {number}" for number in range(4)], "")
    assert left(db) == []


def test_folding_leaves_the_last_and_a_summary_and_queues_the_rest(db: sqlite_utils.Database) -> None:
    conversations.fold(db, "c", keep=1, summary="Three messages.")
    assert alive(db) == (["message 3"], "Three messages.")
    assert left(db) == [["message 0", "message 1", "message 2"]]


def test_folding_again_queues_what_has_left_since(db: sqlite_utils.Database) -> None:
    for keep in (2, 2, 1):
        conversations.fold(db, "c", keep=keep, summary=f"All but {keep}.")
    assert alive(db) == (["message 3"], "All but 1.")
    assert left(db) == [["message 0", "message 1"], ["message 2"]]


def test_a_conversation_that_ended_has_no_window_and_all_of_it_is_queued(db: sqlite_utils.Database) -> None:
    conversations.fold(db, "c", keep=1, summary="Three messages.")
    assert conversations.close(db, "c", 9.0)
    assert alive(db) == ([], "")
    assert left(db) == [["message 0", "message 1", "message 2"], ["message 3"]]
    assert not conversations.close(db, "nobody", 9.0)


def test_what_is_learned_is_queued_no_more(db: sqlite_utils.Database) -> None:
    conversations.close(db, "c", 9.0)
    (lesson,) = conversations.lessons(db)
    conversations.learned(db, lesson)
    assert left(db) == []


def test_summaries_are_rewritten_in_the_sessions_that_are_named(db: sqlite_utils.Database) -> None:
    conversations.fold(db, "c", keep=1, summary="About Ada.")
    conversations.rewrite(db, lambda text: text.replace("Ada", "her"), of=["other"])
    assert alive(db)[1] == "About Ada."
    conversations.rewrite(db, lambda text: text.replace("Ada", "her"))
    assert alive(db)[1] == "About her."


def test_what_was_prompted_is_taken_once(db: sqlite_utils.Database) -> None:
    prompted = {"c": Prompted(Standing("general", "You are an assistant.", 0), ((1.0, "context", ("recalled",)),))}
    conversations.keep(db, prompted)
    assert conversations.take(db) == prompted
    assert conversations.take(db) == {}


@pytest.mark.parametrize("damaged", [b"", b"no zip", "text"])
def test_what_was_prompted_and_is_damaged_is_nothing(db: sqlite_utils.Database, damaged: object) -> None:
    db.execute("insert into state (key, value) values ('prompted', ?)", (damaged,))
    assert conversations.take(db) == {}
