"""The store's connection: transactions that nest, and what tables there are."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pi_memory.store.connection import Connection, connect


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    with closing(connect(tmp_path / "a.db")) as opened:
        opened.execute("create table words (word text unique)")
        yield opened


def put(db: Connection, word: str) -> None:
    db.execute("insert into words values (?)", (word,))


def words(db: Connection) -> list[str]:
    return [word for (word,) in db.execute("select word from words order by rowid")]


def test_a_block_is_written_whole_and_is_seen_by_others(db: Connection, tmp_path: Path) -> None:
    with db.atomic():
        put(db, "pump")
        put(db, "valve")
    with closing(connect(tmp_path / "a.db")) as other:
        assert words(other) == ["pump", "valve"]


def test_a_block_that_fails_leaves_nothing(db: Connection) -> None:
    with suppress(sqlite3.IntegrityError), db.atomic():
        put(db, "pump")
        put(db, "pump")
    assert (words(db), db.in_transaction) == ([], False)


def test_a_block_in_a_block_fails_alone(db: Connection) -> None:
    with db.atomic():
        put(db, "pump")
        with suppress(sqlite3.IntegrityError), db.atomic():
            put(db, "valve")
            put(db, "pump")
        put(db, "hose")
    assert words(db) == ["pump", "hose"]


def test_an_error_that_ends_the_transaction_is_raised_as_it_is(db: Connection) -> None:
    db.execute("pragma max_page_count = 4").fetchall()
    with pytest.raises(sqlite3.OperationalError, match="full"), db.atomic(), db.atomic():
        db.execute("insert or rollback into words values (?)", ("pump" * 9_999,))
    assert (words(db), db.in_transaction) == ([], False)


def test_tables_and_their_columns_are_listed(db: Connection) -> None:
    db.execute("create table pairs (b text, a integer, primary key (a, b)) without rowid")
    db.execute("create view shown as select * from pairs")
    assert db.tables() == {"words", "pairs"}
    assert list(db.columns("pairs").items()) == [("b", True), ("a", True)]
    assert db.columns("words") == {"word": False}
