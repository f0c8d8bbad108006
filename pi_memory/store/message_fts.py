"""The words of passages, for searching: those of the newest in RAM, those of all others on the card, fifty at a time.

Each time the index is written costs the card ten pages, whether it is for one message or for several. What a crash took
from RAM is indexed at the next start.
"""

from collections.abc import Sequence

import numpy as np
from sqlite_utils import Database

from pi_memory.store import fts

AT_A_TIME = 50

LAST = "(select coalesce(max(id), 0) from passage_words_docsize)"
"""The passage up to which words are on the card."""
TEXT = "case passages.id & 1 when 0 then exchanges.user else exchanges.reply end"
JOINED = "passages join exchanges on exchanges.id = passages.id >> 1"


def prepare(db: Database) -> None:
    """Make room in RAM. Once for a connection and outside of any transaction: SQLite 3.40 does not get over a virtual
    table whose creation is rolled back to a savepoint.
    """
    db.execute("pragma temp_store = memory")
    db.execute(
        """create virtual table if not exists temp.newest_words using fts5(
        text, detail = none, tokenize = 'porter unicode61 remove_diacritics 2')"""
    )


def add(db: Database, number: int, text: str) -> None:
    """Take in the words of a passage."""
    if number < _last(db):
        db.execute("insert into passage_words (rowid, text) values (?, ?)", (number, text))
        return
    db.execute("insert into newest_words (rowid, text) values (?, ?)", (number, text))
    if db.execute("select count(*) from newest_words").fetchone()[0] >= AT_A_TIME:
        index(db)


def remove(db: Database, number: int, text: str) -> None:
    """Take out the words of a passage, which are those of `text`."""
    if number <= _last(db):
        db.execute("insert into passage_words (passage_words, rowid, text) values ('delete', ?, ?)", (number, text))
    else:
        db.execute("delete from newest_words where rowid = ?", (number,))


def index(db: Database) -> None:
    """Put the words of the newest passages on the card."""
    db.execute(
        f"""insert into passage_words (rowid, text)
        select passages.id, {TEXT} from {JOINED} where passages.id > {LAST} order by passages.id"""
    )
    db.execute("delete from newest_words")


def holders(db: Database, wanted: Sequence[str]) -> list[fts.Ids]:
    """For each term, an expression of FTS5, the ids of the passages that have it."""
    found = (fts.holders(db, index, wanted) for index in ("passage_words", "newest_words"))
    return [np.concatenate(both) for both in zip(*found, strict=True)]


def merge(db: Database) -> None:
    """Write the index anew, so that nothing is left in it of words that are gone."""
    db.execute("insert into passage_words (passage_words) values ('optimize')")


def _last(db: Database) -> int:
    return int(db.execute(f"select {LAST}").fetchone()[0])
