"""Finds words in texts, whatever their case: what SQLite itself knows of that is ASCII."""

import msgspec
from sqlite_utils import Database

_words = msgspec.json.Decoder(list[str])


def prepare(db: Database) -> None:
    """Have SQL know `has_all(text, words)` and `has_any(text, words)`: whether a text contains words, as parts of
    words; `words` is a JSON array, case-folded.
    """
    db.conn.create_function("has_all", 2, _has_all, deterministic=True)
    db.conn.create_function("has_any", 2, _has_any, deterministic=True)


def _has_all(text: str, words: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in _words.decode(words))


def _has_any(text: str, words: str) -> bool:
    folded = text.casefold()
    return any(word in folded for word in _words.decode(words))
