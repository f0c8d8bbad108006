"""The words of memories, for searching. They are indexed when somebody searches, or a hundred memories at a time.

Each time the index is written costs the card several pages, whether it is for one memory or for a hundred.
"""

import contextlib
from collections.abc import Iterator, Sequence

from sqlite_utils import Database

from pi_memory.store import fts

AT_A_TIME = 100

LAST = "(select coalesce(max(id), 0) from memory_words_docsize)"
"""The memory up to which words are indexed."""


def index(db: Database) -> None:
    """Take in the words of the memories that were added since."""
    if db.execute(f"select 1 from memories where id > {LAST} limit 1").fetchone():
        db.execute(f"insert into memory_words (rowid, text) select id, text from memory_texts where id > {LAST}")


def search(db: Database, match: str, *, limit: int) -> list[tuple[int, float]]:
    """Ids of memories and their BM25, the best first (greater is better); also of those that no longer hold.

    `match` is a query of FTS5 without phrases. Writes, as it first indexes what is new.
    """
    index(db)
    return indexed(db, match, limit=limit)


def unindexed(db: Database) -> list[int]:
    """Ids of the memories that were added since words were last indexed; fewer than `AT_A_TIME`."""
    return [number for (number,) in db.execute(f"select id from memories where id > {LAST} order by id")]


def indexed(db: Database, match: str, *, limit: int) -> list[tuple[int, float]]:
    """As `search`, among what is indexed. Writes nothing."""
    query = """select rowid, -bm25(memory_words) from memory_words where memory_words match ?
        order by bm25(memory_words), rowid limit ?"""
    return db.execute(query, (match, limit)).fetchall()


def holders(db: Database, wanted: Sequence[str]) -> list[fts.Ids]:
    """For each term, an expression of FTS5, the ids of the memories that have it; of those that are indexed."""
    return fts.holders(db, "memory_words", wanted)


def added(db: Database, number: int) -> None:
    """Have the words of a new memory indexed, at once or later."""
    last = db.execute(f"select {LAST}").fetchone()[0]
    if number < last:
        _put(db, number)
    elif number - last >= AT_A_TIME:
        index(db)


@contextlib.contextmanager
def changed(db: Database, number: int, *, rewritten: bool) -> Iterator[None]:
    """Around a change of a memory's texts: their words go and come with it."""
    indexed = rewritten and number <= db.execute(f"select {LAST}").fetchone()[0]
    if indexed:
        db.execute(
            """insert into memory_words (memory_words, rowid, text)
            select 'delete', id, text from memory_texts where id = ?""",
            (number,),
        )
    yield
    if indexed:
        _put(db, number)


def merge(db: Database) -> None:
    """Write the index anew, so that nothing is left in it of words that are gone."""
    db.execute("insert into memory_words (memory_words) values ('optimize')")


def _put(db: Database, number: int) -> None:
    db.execute("insert into memory_words (rowid, text) select id, text from memory_texts where id = ?", (number,))
