"""The words of passages: found whether they are in RAM or on the card, and gone when their texts are."""

import contextlib
import sqlite3

import sqlite_utils
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.store import exchanges, message_fts, messages
from pi_memory.store.messages import Passage, id_of
from pi_memory.store.migrations import migrate
from pi_memory.types import Exchange

WORDS = ("pump", "valve", "hose")


def opened() -> sqlite_utils.Database:
    db = sqlite_utils.Database(sqlite3.connect(":memory:", isolation_level=None))
    migrate(db)
    message_fts.prepare(db)
    return db


def say(db: sqlite_utils.Database, user: str, *, number: int | None = None) -> int:
    """An exchange and its passages, of which those of an older exchange may come later."""
    if number is None:
        number = exchanges.add(db, Exchange("s", user, "noted", 0.0))
    messages.add(db, [Passage(id_of(number, reply=False), user), Passage(id_of(number, reply=True), "noted")])
    return number


def found(db: sqlite_utils.Database) -> dict[str, set[int]]:
    return dict(zip(WORDS, map(set, message_fts.holders(db, WORDS)), strict=True))


def on_the_card(db: sqlite_utils.Database) -> int:
    return int(db.execute("select count(*) from passage_words_docsize").fetchone()[0])


def test_the_newest_words_are_found_before_they_are_on_the_card() -> None:
    db = opened()
    number = say(db, "the pump")
    assert found(db)["pump"] == {id_of(number, reply=False)}
    assert on_the_card(db) == 0
    message_fts.index(db)
    assert found(db)["pump"] == {id_of(number, reply=False)}
    assert on_the_card(db) == 2


def test_fifty_at_a_time_are_put_on_the_card() -> None:
    db = opened()
    for _ in range(30):
        say(db, "the pump")
    assert on_the_card(db) == 50
    assert len(found(db)["pump"]) == 30


def test_what_a_transaction_took_back_is_not_found() -> None:
    db = opened()
    db.execute("begin")
    say(db, "the pump")
    db.execute("rollback")
    assert found(db)["pump"] == set()
    say(db, "the pump")
    assert len(found(db)["pump"]) == 1


def group(db: sqlite_utils.Database) -> sqlite_utils.Database:
    if not db.conn.in_transaction:
        db.execute("begin")
    return db


def commit(db: sqlite_utils.Database) -> None:
    if db.conn.in_transaction:
        db.execute("commit")


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["say", "later", "rewrite", "erase", "index", "lose", "fail", "commit"]),
        st.integers(0, 9),
        st.sampled_from(WORDS),
    )
)


@given(CHANGES)
def test_whatever_happens_words_are_found_where_they_are_said(changes: list[tuple[str, int, str]]) -> None:
    db, said, waiting = opened(), dict[int, str](), dict[int, str]()
    for what, which, word in changes:
        number = sorted(said)[which % len(said)] if said else None
        if what == "say":
            said[say(db, word)] = word
        elif what == "later":
            waiting[exchanges.add(db, Exchange("s", word, "noted", 0.0))] = word
        elif what == "index":
            message_fts.index(db)
        elif what == "lose":  # a crash takes what is in RAM, and the next start indexes it
            commit(db)
            db.execute("drop table temp.newest_words")
            message_fts.prepare(db)
            message_fts.index(db)
        elif what == "fail":  # in the middle of a group of writes
            with contextlib.suppress(ValueError), group(db).atomic():
                say(db, word)
                if number is not None:
                    messages.erase(db, [number])
                if which % 2:
                    message_fts.index(db)
                raise ValueError
        elif what == "commit":
            commit(db)
        elif number is not None and what == "rewrite":
            with messages.rewritten(db, number):
                db.execute("update exchanges set user = ? where id = ?", (word, number))
            said[number] = word
        elif number is not None:
            messages.erase(db, [number])
            del said[number]
        if waiting and which % 2:
            late, text = waiting.popitem()
            said[say(db, text, number=late)] = text
        assert found(db) == {w: {id_of(n, reply=False) for n, text in said.items() if text == w} for w in WORDS}
