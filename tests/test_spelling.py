"""Distances of spellings: as rapidfuzz has them, which takes 2.7 MB of a Pi's memory."""

from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from pi_memory.text.spelling import likeness, typos, typos_within

TEXTS = st.text(alphabet="abcdé🙂 -", max_size=90)


@given(TEXTS, TEXTS)
@example("", "")
@example("", "ab")
@example("fading", "fadnig")
def test_typos_are_the_optimal_string_alignment(one: str, other: str) -> None:
    assert typos(one, other) == OSA.distance(one, other)


@given(st.text(alphabet="abc", max_size=8), st.text(alphabet="abcd", max_size=14))
@example("ab", "xxbaxx")
@example("", "")
def test_a_passage_is_the_nearest_of_all(part: str, text: str) -> None:
    ends = range(len(text) + 1)
    passages = {text[start:end] for start in ends for end in ends[start:]}
    assert typos_within(part, text) == min(OSA.distance(part, passage) for passage in passages)


@given(TEXTS, TEXTS)
@example("", "")
@example("abc", "")
def test_likeness_is_the_share_of_the_longest_common_subsequence(one: str, other: str) -> None:
    assert abs(100 * likeness(one, other) - fuzz.ratio(one, other)) < 1e-9
