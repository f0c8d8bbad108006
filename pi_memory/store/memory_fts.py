"""The full-text index of memories, updated at a search or a hundred memories at a time.

Each update of the index costs the card several pages, for one memory as for a hundred.
"""

import contextlib
from collections.abc import Iterator, Sequence

from sqlite_utils import Database

from pi_memory.store import fts

AT_A_TIME = 100

LAST = "(select coalesce(max(id), 0) from memory_words_docsize)"
"""SQL of the last memory that is indexed."""


def index(db: Database) -> None:
    """Index the memories added since the last update."""
    if db.execute(f"select 1 from memories where id > {LAST} limit 1").fetchone():
        db.execute(f"insert into memory_words (rowid, text) select id, text from memory_texts where id > {LAST}")


def search(db: Database, match: str, *, limit: int) -> list[tuple[int, float]]:
    """Memory ids with their BM25 (greater is better), best first, including memories that no longer hold.

    `match` is an FTS5 query without phrases. Writes, as it first indexes what is new.
    """
    index(db)
    return indexed(db, match, limit=limit)


def unindexed(db: Database) -> list[int]:
    """Ids of memories that are not yet indexed; fewer than `AT_A_TIME`."""
    return [number for (number,) in db.execute(f"select id from memories where id > {LAST} order by id")]


def indexed(db: Database, match: str, *, limit: int) -> list[tuple[int, float]]:
    """Like `search`, among indexed memories only. Writes nothing."""
    query = """select rowid, -bm25(memory_words) from memory_words where memory_words match ?
        order by bm25(memory_words), rowid limit ?"""
    return db.execute(query, (match, limit)).fetchall()


def holders(db: Database, wanted: Sequence[str]) -> list[fts.Ids]:
    """For each term, an FTS5 expression, the ids of the indexed memories that contain it."""
    return fts.holders(db, "memory_words", wanted)


def added(db: Database, number: int) -> None:
    """Index a new memory, now or with later ones."""
    last = db.execute(f"select {LAST}").fetchone()[0]
    if number < last:
        _put(db, number)
    elif number - last >= AT_A_TIME:
        index(db)


@contextlib.contextmanager
def changed(db: Database, number: int, *, rewritten: bool) -> Iterator[None]:
    """A context manager around a change of a memory's texts, which keeps the index in step."""
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
    """Rebuild the index, so that no trace is left of deleted words."""
    db.execute("insert into memory_words (memory_words) values ('optimize')")


def _put(db: Database, number: int) -> None:
    db.execute("insert into memory_words (rowid, text) select id, text from memory_texts where id = ?", (number,))
