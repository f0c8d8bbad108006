"""The day that a memory adds to what was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.memories.said_on import dated, undated


def test_a_text_gets_the_day_it_was_said_on() -> None:
    assert dated("I have the flu.", 1_771_770_600) == "I have the flu. (Said on 2026-02-22.)"


@given(st.text(), st.floats(0, 4e9))
def test_what_is_dated_is_taken_back_to_what_it_was(text: str, at: float) -> None:
    assert undated(dated(text, at)) == text


@pytest.mark.parametrize("at", [float("inf"), float("nan"), 1e300])
def test_no_day_of_the_calendar_adds_nothing(at: float) -> None:
    assert dated("I have the flu.", at) == "I have the flu."
