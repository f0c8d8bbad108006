"""Which memories came from which other store, so that the same import twice adds nothing."""

import secrets
from collections.abc import Callable

from sqlite_utils import Database

from pi_memory.store import state

STORE = "store"


def store_id(db: Database, make: Callable[[int], str] = secrets.token_hex) -> str:
    """What tells this store from all others."""
    found = state.get(db, STORE)
    if found is None:
        found = make(8)
        state.put(db, STORE, found)
    return found


def adopt(db: Database, store: str) -> bool:
    """Be the store that an export is of, if there is nothing here yet; whether this is it."""
    if db.execute("select 1 from memories limit 1").fetchone() is None:
        state.put(db, STORE, store)
    return state.get(db, STORE) == store


def find(db: Database, store: str, their_id: int) -> int | None:
    row = db.execute("select id from imported where store = ? and their_id = ?", (store, their_id)).fetchone()
    return row[0] if row else None


def note(db: Database, store: str, their_id: int, number: int) -> None:
    db.execute("insert into imported (store, their_id, id) values (?, ?, ?)", (store, their_id, number))
