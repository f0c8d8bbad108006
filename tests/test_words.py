"""What words of a query are looked for, and that nothing in them is syntax."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.knowledge import words


def test_words_that_say_nothing_are_left_out() -> None:
    assert words.terms("What is the name of my dog?") == ("name", "dog")
    assert words.terms("What is it?") == ()


def test_a_word_counts_once() -> None:
    assert words.terms("Pump, pump and PUMP!") == ("pump",)


def test_of_a_long_text_both_ends_are_looked_for() -> None:
    found = words.terms(" ".join(f"word{number}" for number in range(1000)))
    assert len(found) == words.MOST_TERMS
    assert (found[0], found[-1]) == ("word0", "word999")


@given(st.text())
def test_no_query_is_syntax(query: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table texts using fts5(text, detail = none)")
    for term in words.terms(query):
        db.execute("select rowid from texts where texts match ?", (words.quoted(term),)).fetchall()
    db.close()


@pytest.mark.parametrize(
    ("text", "name"), [("Anna: hello", ("anna",)), ("**Dr. No**: hm", ("dr", "no")), ("hello", ())]
)
def test_the_speaker_stands_before_a_colon(text: str, name: tuple[str, ...]) -> None:
    assert words.speaker(text) == name


def test_a_url_has_no_speaker() -> None:
    assert words.speaker("https://example.org/x") == ()


def test_questions_and_times_are_known() -> None:
    assert words.asked("Did you go? ") == 1.0
    assert words.asked("I went. You?") == pytest.approx(5 / 12)
    assert words.asked("I went.") == words.asked("") == 0.0
    assert words.asks_assistant("What did you suggest?")
    assert not words.asks_assistant("What about the youth hostel?")
    assert words.asks_when("When did she move?")
    assert words.tells_time("It was last May")
    assert not words.tells_time("It was green")
