"""What was forgotten is refused by hashes alone, until it is let in again."""

import sqlite3

import pytest
import sqlite_utils

from pi_memory.store import tombstones
from pi_memory.store.migrations import migrate
from pi_memory.text.fact import facts

SAID = "My pin is 4711."


@pytest.fixture
def db() -> sqlite_utils.Database:
    db = sqlite_utils.Database(sqlite3.connect(":memory:", isolation_level=None))
    migrate(db)
    return db


def forget(db: sqlite_utils.Database, text: str) -> None:
    tombstones.add(db, [fact.key for fact in facts(text)], 1.0)


def test_a_sentence_that_states_it_is_taken_out_of_a_text(db: sqlite_utils.Database) -> None:
    forget(db, SAID)
    assert tombstones.cleaned(db, f"The shed is red. {SAID}").strip() == "The shed is red."
    assert tombstones.cleaned(db, "The shed is red.") == "The shed is red."


def test_nothing_readable_is_kept(db: sqlite_utils.Database) -> None:
    forget(db, SAID)
    assert tombstones.every(db)
    assert not any(
        "4711" in str(value) or b"4711" in bytes(str(value), "utf-8") for row in tombstones.every(db) for value in row
    )


def test_forgetting_twice_is_forgetting_once(db: sqlite_utils.Database) -> None:
    forget(db, SAID)
    before = tombstones.every(db)
    forget(db, SAID)
    assert tombstones.every(db) == before


def test_a_message_is_not_imported_again(db: sqlite_utils.Database) -> None:
    tombstones.add_messages(db, [SAID], 1.0)
    assert tombstones.message_left(db, SAID) == ""
    assert tombstones.message_left(db, "hello") == "hello"


def test_it_is_let_in_again(db: sqlite_utils.Database) -> None:
    forget(db, SAID)
    (fact, *_) = facts(SAID)
    assert tombstones.lift(db, lambda buried: buried(fact.key)) == 1
    assert tombstones.cleaned(db, SAID) == SAID
