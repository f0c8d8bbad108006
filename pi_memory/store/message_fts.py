"""The full-text index of messages: the newest in RAM, all others on the card, fifty at a time.

Each update on the card costs ten pages, for one message as for several. What a crash takes from RAM is indexed at the
next start.
"""

from collections.abc import Sequence

import numpy as np
from sqlite_utils import Database

from pi_memory.store import fts

AT_A_TIME = 50

LAST = "(select coalesce(max(id), 0) from passage_words_docsize)"
"""SQL of the last message whose words are on the card."""
TEXT = "case passages.id & 1 when 0 then exchanges.user else exchanges.reply end"
JOINED = "passages join exchanges on exchanges.id = passages.id >> 1"


def prepare(db: Database) -> None:
    """Create the index in RAM, once a connection and outside of any transaction: SQLite 3.40 breaks when the creation
    of a virtual table is rolled back to a savepoint.
    """
    db.execute("pragma temp_store = memory")
    db.execute(
        """create virtual table if not exists temp.newest_words using fts5(
        text, detail = none, tokenize = 'porter unicode61 remove_diacritics 2')"""
    )


def add(db: Database, number: int, text: str) -> None:
    """Index the words of a message."""
    if number < _last(db):
        db.execute("insert into passage_words (rowid, text) values (?, ?)", (number, text))
        return
    db.execute("insert into newest_words (rowid, text) values (?, ?)", (number, text))
    if db.execute("select count(*) from newest_words").fetchone()[0] >= AT_A_TIME:
        index(db)


def remove(db: Database, number: int, text: str) -> None:
    """Remove a message from the index; `text` is what was indexed."""
    if number <= _last(db):
        db.execute("insert into passage_words (passage_words, rowid, text) values ('delete', ?, ?)", (number, text))
    else:
        db.execute("delete from newest_words where rowid = ?", (number,))


def index(db: Database) -> None:
    """Move the words of the newest messages to the card."""
    db.execute(
        f"""insert into passage_words (rowid, text)
        select passages.id, {TEXT} from {JOINED} where passages.id > {LAST} order by passages.id"""
    )
    db.execute("delete from newest_words")


def holders(db: Database, wanted: Sequence[str]) -> list[fts.Ids]:
    """For each term, an FTS5 expression, the ids of the messages that contain it."""
    found = (fts.holders(db, index, wanted) for index in ("passage_words", "newest_words"))
    return [np.concatenate(both) for both in zip(*found, strict=True)]


def merge(db: Database) -> None:
    """Rebuild the index, so that no trace is left of deleted words."""
    db.execute("insert into passage_words (passage_words) values ('optimize')")


def _last(db: Database) -> int:
    return int(db.execute(f"select {LAST}").fetchone()[0])
