"""Which lines of agents' logs have been recorded, so that the same log twice adds nothing.

A line is known by 64 bits of a hash: of its own id, or of what it says where it has none.
"""

import hashlib
from collections.abc import Iterable, Sequence

from sqlite_utils import Database

from pi_memory.store import exchanges
from pi_memory.types import Exchange


def ref(text: str) -> int:
    """The key of a line: a hash of what identifies it, as SQLite's signed integers have it."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), signed=True)


def recorded(db: Database, refs: Iterable[int]) -> set[int]:
    """Those of `refs` that have been recorded."""
    return {r for r in refs if db.execute("select 1 from recorded where ref = ?", (r,)).fetchone()}


def add_recorded(db: Database, exchange: Exchange, *, refs: Sequence[int]) -> int:
    """Append an exchange made from these lines; its id. Raises `sqlite3.IntegrityError` if one has been recorded."""
    for r in refs:
        db.execute("insert into recorded (ref) values (?)", (r,))
    return exchanges.add(db, exchange)
