"""What was forgotten, as salted hashes: enough to refuse it, not enough to tell what it was."""

import hashlib
import os
from collections.abc import Callable, Iterable

from sqlite_utils import Database

SALT_BYTES = 8
HASH_BYTES = 16

Tombstone = tuple[float, bytes, bytes]
"""When, salt, hash."""


def add(db: Database, texts: Iterable[str], at: float, *, salt: Callable[[int], bytes] = os.urandom) -> None:
    """Refuse these texts, which are normalised, from now on."""
    known = set(matching(db, texts := set(texts)))
    for text in sorted(texts - known):
        made = salt(SALT_BYTES)
        put(db, (at, made, _hash(text, made)))


def put(db: Database, tombstone: Tombstone) -> bool:
    """Whether it was new."""
    query = """insert into tombstones (at, salt, hash) select :at, :salt, :hash
        where not exists (select 1 from tombstones where salt = :salt and hash = :hash)"""
    return db.execute(query, dict(zip(("at", "salt", "hash"), tombstone, strict=True))).rowcount > 0


def every(db: Database) -> list[Tombstone]:
    return db.execute("select at, salt, hash from tombstones order by id").fetchall()


def matching(db: Database, texts: Iterable[str]) -> list[str]:
    """Those of the texts, which are normalised, that were forgotten; none is looked at when nothing was."""
    buried = every(db)
    if not buried:
        return []
    return [text for text in texts if any(_hash(text, salt) == made for _, salt, made in buried)]


def _hash(text: str, salt: bytes) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES, key=salt).digest()
