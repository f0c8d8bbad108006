"""What one sentence is to another; `test_dedup.py` has the pairs of sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.judges.comparison import compared, said_in, stems

WORDS = st.lists(
    st.sampled_from(["the", "user", "likes", "hates", "is", "not", "in", "Lyon", "8080", "runs", "on", "May", "dog"]),
    max_size=8,
)


def test_words_are_compared_without_their_endings_and_their_polarity() -> None:
    assert stems("The servers are not listening on 8080") == stems("the server listens on 8080")
    assert said_in("She likes dogs and hates cats") == said_in("she dog and cat")


def test_order_counts() -> None:
    assert compared("Ben is older than Anna.", "Anna is older than Ben.") is None


def test_case_endings_and_articles_do_not() -> None:
    assert compared("the Server runs in Berlin", "Servers run in a Berlin") == "noop"


@pytest.mark.parametrize(
    ("denial", "said"),
    [
        ("Clara isn't coming after all.", "The user's sister Clara is coming to visit on Friday."),
        ("We're not going to the wedding.", "We're going to Bo's wedding in June."),
        ("The bus does not stop at the mill any more.", "The bus stops at the mill at 8:10."),
    ],
)
def test_a_denial_of_what_a_sentence_begins_with_ends_it_and_is_ended_by_it(denial: str, said: str) -> None:
    assert compared(denial, said) == compared(said, denial) == "end"


@pytest.mark.parametrize(
    ("denial", "said"),
    [
        ("We aren't going by train.", "We're going to Bern by train in June."),
        ("Clara isn't coming.", "Tom and Clara are coming on Friday."),
        ("Bo's sister isn't coming.", "Bo's sister's friend is coming."),
        ("The user does not like fish.", "The user likes fish soup."),
        ("The tap does not work.", "The tap works if you turn it left."),
    ],
)
def test_a_denial_of_something_else_does_not(denial: str, said: str) -> None:
    assert compared(denial, said) is None


@given(WORDS, WORDS)
def test_a_verdict_goes_both_ways(one: list[str], other: list[str]) -> None:
    """What is more than another is less the other way round; what contradicts is contradicted."""
    there, back = (compared(" ".join(a), " ".join(b)) for a, b in ((one, other), (other, one)))
    assert (there, back) in {
        ("replace", "noop"),
        ("noop", "replace"),
        ("noop", "noop"),
        ("end", "end"),
        (None, None),
    }


@given(WORDS)
def test_a_sentence_says_nothing_new_beside_itself(words: list[str]) -> None:
    assert compared(" ".join(words), " ".join(words)) in (None, "noop")
