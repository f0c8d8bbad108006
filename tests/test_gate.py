"""When something is told with a message, and how much."""

import pytest

from pi_memory.retrieval.gate import MOST, asks_something, passed
from pi_memory.types import Recalled


def found(score: float, *, words: float = 0.0, cosine: float = 0.0) -> Recalled:
    return Recalled(
        id=1,
        kind="memory",
        content="",
        score=score,
        similarity=score,
        strength=1.0,
        boost=0.0,
        cosine=cosine,
        words=words,
        at=0.0,
    )


def test_courtesy_asks_nothing() -> None:
    assert not asks_something("Good morning, thanks a lot!")
    assert asks_something("Good morning, where is the pump?")


@pytest.mark.parametrize(
    ("words", "cosine", "by_meaning", "told"),
    [
        (0.0, 0.7, True, True),
        (0.5, 0.3, True, True),
        (0.5, 0.1, True, False),
        (0.3, 0.5, True, False),
        (0.7, 0.0, False, True),
        (0.5, 0.0, False, False),
    ],
)
def test_what_bears_on_the_message_is_told(words: float, cosine: float, by_meaning: bool, told: bool) -> None:
    assert bool(passed([found(1.0, words=words, cosine=cosine)], by_meaning=by_meaning)) is told


def test_with_what_bears_on_it_comes_what_is_nearly_as_good() -> None:
    results = [found(1.0), found(0.8, words=1.0), found(0.5, words=1.0)]
    assert passed(results, by_meaning=False) == results[:2]


def test_nothing_is_told_for_the_sake_of_a_result_that_is_not() -> None:
    assert passed([found(1.0), found(0.5, words=1.0)], by_meaning=False) == []


def test_the_more_is_told_the_nearer_to_the_best_it_has_to_be() -> None:
    results = [found(1.0, words=1.0), *(found(0.8) for _ in range(30))]
    assert 1 < len(passed(results, by_meaning=False)) < MOST
    assert len(passed([found(1.0, words=1.0)] * 30, by_meaning=False)) == MOST


def test_of_nothing_nothing_is_told() -> None:
    assert passed([], by_meaning=True) == []
