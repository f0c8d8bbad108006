"""Words are found in texts whatever their case."""

import sqlite3
from contextlib import closing

import msgspec
import pytest
from sqlite_utils import Database

from pi_memory.store import matching


@pytest.mark.parametrize(
    ("text", "words", "all_of_them", "any_of_them"),
    [
        ("Übung macht den MEISTER.", ["übung", "meister"], True, True),
        ("Übung macht den MEISTER.", ["übung", "lehrling"], False, True),
        ("STRASSE, Straße", ["strasse"], True, True),
        ("100 % of it_all", ["100 %", "t_a"], True, True),
        ("anything", [], True, False),
        ("", ["a"], False, False),
    ],
)
def test_words_in_a_text(text: str, words: list[str], all_of_them: bool, any_of_them: bool) -> None:
    with closing(Database(sqlite3.connect(":memory:"))) as db:
        matching.prepare(db)
        asked = (text, msgspec.json.encode(words).decode())
        assert db.execute("select has_all(?1, ?2), has_any(?1, ?2)", asked).fetchone() == (all_of_them, any_of_them)
