"""Strengths follow the table."""

import pytest

from pi_memory.decay import DAY, GONE, status, strength


@pytest.mark.parametrize(("days", "value"), [(0, 1.0), (2, 0.81), (7, 0.48), (14, 0.23), (21, 0.11)])
def test_strength_is_that_of_the_table(days: float, value: float) -> None:
    assert round(strength(0.0, days * DAY), 2) == value


def test_a_topic_is_gone_on_day_29() -> None:
    assert strength(0.0, 28 * DAY) >= GONE > strength(0.0, 29 * DAY)


def test_reading_often_does_not_compound() -> None:
    assert {strength(0.0, 3 * DAY) for _ in range(10)} == {0.9**3}


def test_a_touch_in_the_future_is_a_touch_now() -> None:
    assert strength(10.0, 0.0) == 1.0


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (1.0, "fresh"),
        (0.9, "fresh"),
        (0.89, "strong"),
        (0.6, "strong"),
        (0.3, "fading"),
        (0.15, "weak"),
        (0.1, "almost gone"),
    ],
)
def test_status_words(value: float, word: str) -> None:
    assert status(value) == word
