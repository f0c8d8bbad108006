"""Sentences: where they end, and that nothing of a text is lost between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.text.sentences import clauses, is_question, sentences, spans


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I live here. You?", ["I live here.", "You?"]),
        ("one\ntwo", ["one", "two"]),
        ("Dr. Weber lives at Lindenstr. 5. I do not.", ["Dr. Weber lives at Lindenstr. 5.", "I do not."]),
        ("It is at 10.0.0.1. Remember that.", ["It is at 10.0.0.1.", "Remember that."]),
        ("My boss is J. Smith. I am not.", ["My boss is J. Smith.", "I am not."]),
        ("I live at no. 5. My answer is no. Ask Anna.", ["I live at no. 5.", "My answer is no.", "Ask Anna."]),
        ("Call tel. 0228 12. It rings.", ["Call tel. 0228 12.", "It rings."]),
        ("We moved to St. Mary's Rd. 12, apt. 4. Come.", ["We moved to St. Mary's Rd. 12, apt. 4.", "Come."]),
        ("She said “go.” I went.", ["She said “go.”", "I went."]),
        ("今日は。元気？", ["今日は。", "元気？"]),
        ("  ", []),
    ],
)
def test_a_sentence_ends_where_somebody_would_pause(text: str, parts: list[str]) -> None:
    assert sentences(text) == tuple(parts)


@given(st.text("aZ.!?。 \n\"'5", max_size=60))
def test_spans_are_the_whole_text(text: str) -> None:
    assert "".join(text[start:end] for start, end in spans(text)) == text


@pytest.mark.parametrize("text", ["Where is it", "Is it green?", "Tell me", "Wo ist die Leiter", "Où est-elle"])
def test_a_question_may_lack_its_mark(text: str) -> None:
    assert is_question(text)


def test_a_clause_with_a_subject_and_a_verb_begins_anew() -> None:
    assert clauses("We keep bread, cake and jam in the hall, and my bike is there.") == [
        "We keep bread, cake and jam in the hall",
        "my bike is there.",
    ]


def test_what_several_do_is_one_clause() -> None:
    assert clauses("The summer is booked: Anna and I are walking.") == ["The summer is booked: Anna and I are walking."]


@pytest.mark.parametrize(
    "text", ["Did what the plumber said, turn the red tap", "Has a new number, 555", "Is in the shed"]
)
def test_what_begins_like_a_question_with_nobody_in_it_is_none(text: str) -> None:
    assert not is_question(text)
    assert is_question(f"{text}?")


def test_a_semicolon_parts_clauses_without_a_verb_of_their_own() -> None:
    said = "The red bin goes out on the second Monday of the month; the blue bin every Friday"
    assert clauses(said) == said.split("; ")
    assert len(clauses("We have pears; plums; figs")) == 1, "the items of a list are none"
