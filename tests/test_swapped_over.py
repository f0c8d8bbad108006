"""Two that swapped stand in each other's place, where a memory says of each what is so."""

import pytest

from pi_memory.merging.swapped_over import with_two_swapped


@pytest.mark.parametrize(
    ("said", "known", "now"),
    [
        (
            "Bo and Kit swapped days.",
            "Bo cooks on Mondays and Kit on Fridays.",
            "Kit cooks on Mondays and Bo on Fridays.",
        ),
        (
            "Kit and Bo have swapped over.",
            "Bo takes the kids to school on Mondays, Kit takes them on Fridays.",
            "Kit takes the kids to school on Mondays, Bo takes them on Fridays.",
        ),
        (
            "The bins and the paper swapped days.",
            "The bins go out on Tuesday, the paper on Friday.",
            "The paper go out on Tuesday, the bins on Friday.",
        ),
    ],
)
def test_each_of_two_is_in_the_others_place(said: str, known: str, now: str) -> None:
    assert with_two_swapped(said, known) == now


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Bo and Kit swapped days.", "Bo and Kit cook on Mondays."),
        ("Bo and Kit swapped days.", "Bo cooks on Mondays."),
        ("Bo and I swapped days.", "Bo cooks on Mondays and Kit on Fridays."),
        ("Bo and Kit swapped days.", "Bo cooks on Mondays, and Kit cleans for Bo."),
        ("Bo and Kit swapped days.", "Bo cooks on Mondays. Kit cooks on Fridays."),
        ("We swapped the van for a lorry.", "The van is red, the lorry is blue."),
    ],
)
def test_nothing_is_swapped_where_it_is_not_plain_what(said: str, known: str) -> None:
    assert with_two_swapped(said, known) is None
