"""How well texts answer: more of the words, rarer words, shorter texts, near what has the words, and their meaning."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.retrieval import scoring
from pi_memory.retrieval.scoring import REACH, Emphasis, Field, weigh


def field(*threads: int, lengths: int | list[int] = 50) -> Field:
    count = len(threads)
    none, times = np.zeros(count, np.bool_), np.zeros(count, np.float32)
    return scoring.field(np.array(threads, np.int32), np.full(count, lengths, np.int32), none, times)


def rows(*each: list[int]) -> list[np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """For each term, the rows that have it."""
    return [np.array(one, np.intp) for one in each]


def test_more_terms_count_more_and_none_counts_nothing() -> None:
    words = weigh(field(1, 2, 3), rows([0, 1], [0]), None).words
    assert words[0] > words[1] > words[2] == 0


def test_a_rare_term_counts_more() -> None:
    words = weigh(field(1, 2, 3, 4), rows([0, 1, 2], [3]), None).words
    assert words[3] > words[0]


def test_a_short_text_that_has_a_term_counts_more() -> None:
    words = weigh(field(1, 2, lengths=[20, 2_000]), rows([0, 1]), None).words
    assert words[0] > words[1]


def test_a_term_counts_for_its_neighbours_in_the_conversation_only() -> None:
    thread, other = [1] * (REACH + 3), [2]
    words = weigh(field(*thread, *other), rows([len(thread) - 1]), None).words
    near = words[: len(thread)][::-1]
    assert all(one > further for one, further in pairwise(near[: REACH + 1]))
    assert words[0] == words[-1] == 0


def test_meaning_alone_is_evidence() -> None:
    found = weigh(field(1, 2), [], np.array([0.9, 0.0], np.float32))
    assert found.similarity[0] > found.similarity[1]


@given(
    st.lists(st.lists(st.integers(0, 5), unique=True), max_size=4), st.lists(st.floats(0, 1), min_size=6, max_size=6)
)
def test_all_is_between_0_and_1(hits: list[list[int]], meaning: list[float]) -> None:
    found = weigh(field(1, 1, 2, 2, 2, 3), rows(*map(sorted, hits)), np.array(meaning, np.float32))
    for values in (found.similarity, found.words, found.meaning):
        assert np.all((values >= 0) & (values <= 1 + 1e-6))


def test_a_term_that_bears_on_the_query_counts_more() -> None:
    emphasis = Emphasis(bearing=np.array([0.9, 0.3], np.float32))
    words = weigh(field(1, 2), rows([0], [1]), None, emphasis).words
    assert words[0] == pytest.approx(0.75)
    assert words[1] == pytest.approx(0.25)
