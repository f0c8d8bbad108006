"""Term lookups in FTS5 indexes."""

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt
from sqlite_utils import Database

from pi_memory.text.spelling import typos
from pi_memory.text.stems import stem

Index = Literal["memory_words", "passage_words", "newest_words"]
Ids = npt.NDArray[np.int32]
VOCABULARIES: tuple[Index, ...] = ("memory_words", "passage_words")
"""The indexes that tell which words were said."""


def holders(db: Database, index: Index, terms: Sequence[str]) -> list[Ids]:
    """For each term, an FTS5 expression, the ids of the texts that contain it, ascending.

    A common word has thousands: as one value, read by numpy, they take a third of the time of as many rows; and all
    terms in one query half the time of a query for each.
    """
    having = f"select json_group_array(rowid) from {index} where {index} match term.value"
    query = f"select ({having}) from json_each(?) as term order by term.key"
    return [_ids(listed) for (listed,) in db.execute(query, (msgspec.json.encode(terms).decode(),))]


def respelled(db: Database, words: Sequence[str]) -> dict[str, str]:
    """For words that nobody has said, the stem of the only word that was said and is one typo away, of those that begin
    alike: `pasports` was meant as `passport`.
    """
    found = dict[str, str]()
    for index in VOCABULARIES:
        db.execute(f"create virtual table if not exists temp.{index}_said using fts5vocab('main', '{index}', 'row')")
    unknown = [
        word for word in words if not any(len(ids) for index in VOCABULARIES for ids in holders(db, index, [word]))
    ]
    for word in unknown:
        plain = stem(word)
        alike = {
            term
            for index in VOCABULARIES
            for (term,) in db.execute(
                f"select term from temp.{index}_said where term between ? and ? and abs(length(term) - ?) < 2",
                (plain[0], f"{plain[0]}\U0010ffff", len(plain)),
            )
            if typos(plain, term) == 1
        }
        if len(alike) == 1:
            found[word] = alike.pop()
    return found


def _ids(listed: str) -> Ids:
    return np.fromstring(listed[1:-1], np.int32, sep=",") if len(listed) > 2 else np.empty(0, np.int32)
