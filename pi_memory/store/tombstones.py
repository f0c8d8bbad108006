"""Tombstones: what was forgotten, as salted hashes, enough to refuse it and not enough to reconstruct it.

A fact's key is a number. Its hash begins with the key's last two bytes, so that most texts are ruled out without
hashing. Older tombstones hash a text, each with a salt of its own.
"""

import hashlib
import os
from collections.abc import Callable, Iterable

from sqlite_utils import Database

from pi_memory.text.fact import normal, without

SALT_BYTES = 8
HASH_BYTES = 16
SIGHT = 2**16

Tombstone = tuple[float, bytes, bytes]
"""Time, salt, hash."""


class Buried:
    """All tombstones. Call it with a key or a text to learn whether that was forgotten."""

    def __init__(self, tombstones: Iterable[Tombstone]) -> None:
        self._keys: dict[bytes, set[bytes]] = {}
        self._texts: list[tuple[bytes, bytes]] = []
        for _, salt, made in tombstones:
            if len(made) > HASH_BYTES:
                self._keys.setdefault(salt, set()).add(made)
            else:
                self._texts.append((salt, made))
        self._sight = {int.from_bytes(made[:2]) for found in self._keys.values() for made in found}

    def __bool__(self) -> bool:
        return bool(self._keys or self._texts)

    def __call__(self, key: int | str) -> bool:
        if isinstance(key, str):
            text = key.encode("utf-8", "surrogatepass")
            return any(_hash(text, salt) == made for salt, made in self._texts)
        if key % SIGHT not in self._sight:
            return False
        return any(hash_of(key, salt) in made for salt, made in self._keys.items())


def load(db: Database) -> Buried:
    return Buried(every(db))


def cleaned(db: Database, text: str, question: str = "") -> str:
    """`text`, which answers `question`, without the sentences that state something forgotten."""
    buried = load(db)
    return without(text, buried, question=question) if buried else text


def add(db: Database, keys: Iterable[int], at: float, *, salt: Callable[[int], bytes] = os.urandom) -> None:
    """Add tombstones for these fact keys. All share one salt, so that a key is hashed once."""
    known = load(db)
    row = db.execute("select salt from tombstones where length(hash) > ? limit 1", (HASH_BYTES,)).fetchone()
    shared = row[0] if row else salt(SALT_BYTES)
    for key in sorted(set(keys)):
        if not known(key):
            put(db, (at, shared, hash_of(key, shared)))


def add_messages(db: Database, texts: Iterable[str], at: float, *, salt: Callable[[int], bytes] = os.urandom) -> None:
    """Add tombstones that keep these messages from being imported again."""
    known = load(db)
    for text in sorted(_message(text) for text in texts):
        if not known(text):
            made = salt(SALT_BYTES)
            put(db, (at, made, _hash(text.encode("utf-8", "surrogatepass"), made)))


def message_left(db: Database, text: str) -> str:
    """The part of a message that may be imported."""
    buried = load(db)
    return "" if buried and buried(_message(text)) else cleaned(db, text)


def _message(text: str) -> str:
    return f"message: {normal(text)}"


def put(db: Database, tombstone: Tombstone) -> bool:
    """Store a tombstone. Returns whether it was new."""
    query = """insert into tombstones (at, salt, hash) select :at, :salt, :hash
        where not exists (select 1 from tombstones where salt = :salt and hash = :hash)"""
    return db.execute(query, dict(zip(("at", "salt", "hash"), tombstone, strict=True))).rowcount > 0


def lift(db: Database, is_meant: Callable[[Buried], bool]) -> int:
    """Remove the tombstones for which `is_meant` is true, and return how many."""
    rows = db.execute("select id, at, salt, hash from tombstones").fetchall()
    lifted = [(number,) for number, *tombstone in rows if is_meant(Buried([tuple(tombstone)]))]
    for number in lifted:
        db.execute("delete from tombstones where id = ?", number)
    return len(lifted)


def every(db: Database) -> list[Tombstone]:
    return db.execute("select at, salt, hash from tombstones order by id").fetchall()


def hash_of(key: int, salt: bytes) -> bytes:
    return (key % SIGHT).to_bytes(2) + _hash(key.to_bytes(8), salt)


def _hash(content: bytes, salt: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=HASH_BYTES, key=salt).digest()
