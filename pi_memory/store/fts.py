"""Term lookups in FTS5 indexes."""

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt
from sqlite_utils import Database

Index = Literal["memory_words", "passage_words", "newest_words"]
Ids = npt.NDArray[np.int32]


def holders(db: Database, index: Index, terms: Sequence[str]) -> list[Ids]:
    """For each term, an FTS5 expression, the ids of the texts that contain it, ascending.

    A common word has thousands: as one value, read by numpy, they take a third of the time of as many rows; and all
    terms in one query half the time of a query for each.
    """
    having = f"select json_group_array(rowid) from {index} where {index} match term.value"
    query = f"select ({having}) from json_each(?) as term order by term.key"
    return [_ids(listed) for (listed,) in db.execute(query, (msgspec.json.encode(terms).decode(),))]


def _ids(listed: str) -> Ids:
    return np.fromstring(listed[1:-1], np.int32, sep=",") if len(listed) > 2 else np.empty(0, np.int32)
