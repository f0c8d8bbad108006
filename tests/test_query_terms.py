"""What words of a query are looked for, and that nothing in them is syntax."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.text import query_terms


def test_words_that_say_nothing_are_left_out() -> None:
    assert query_terms.terms("What is the name of my dog?") == ("name", "dog")
    assert query_terms.terms("What is it?") == ()


def test_a_word_counts_once() -> None:
    assert query_terms.terms("Pump, pump and PUMP!") == ("pump",)


def test_of_a_long_text_both_ends_are_looked_for() -> None:
    found = query_terms.terms(" ".join(f"word{number}" for number in range(1000)))
    assert len(found) == query_terms.MOST_TERMS
    assert (found[0], found[-1]) == ("word0", "word999")


@given(st.text())
def test_no_query_is_syntax(query: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table texts using fts5(text, detail = none)")
    for term in query_terms.terms(query):
        db.execute("select rowid from texts where texts match ?", (query_terms.quoted(term),)).fetchall()
    db.close()


@pytest.mark.parametrize(
    ("text", "name"), [("Anna: hello", ("anna",)), ("**Dr. No**: hm", ("dr", "no")), ("hello", ())]
)
def test_the_speaker_stands_before_a_colon(text: str, name: tuple[str, ...]) -> None:
    assert query_terms.speaker(text) == name


def test_a_url_has_no_speaker() -> None:
    assert query_terms.speaker("https://example.org/x") == ()


def test_questions_and_times_are_known() -> None:
    assert query_terms.share_asking("Did you go? ") == 1.0
    assert query_terms.share_asking("I went. You?") == pytest.approx(5 / 12)
    assert query_terms.share_asking("I went.") == query_terms.share_asking("") == 0.0
    assert query_terms.asks_assistant("What did you suggest?")
    assert query_terms.asks_assistant("Which of your three suggestions was it?")
    assert not query_terms.asks_assistant("What about the youth hostel?")
    assert not query_terms.asks_assistant("Can you recommend a film? Do you have any ideas?")
    assert query_terms.asks_when("When did she move?")
    assert query_terms.tells_time("It was last May")
    assert not query_terms.tells_time("It was green")
