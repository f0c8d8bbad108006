"""The values of a text, as they are written, and which of them are alike."""

import pytest

from pi_memory.merging.values import is_alike, kinds_of_values, names_in, place_of, shape_of, values_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The sweep comes on Monday at 8:05 for £40.", ["Monday", "8:05", "£40"]),
        ("Ring 0170 5551 before half past two.", ["0170 5551", "half past two"]),
        ("We keep hens.", []),
    ],
)
def test_the_values_of_a_text_are_found_as_they_are_written(text: str, found: list[str]) -> None:
    assert values_in(text) == found
    assert all(place_of(value, text) for value in found)


def test_what_a_text_has_values_of() -> None:
    assert kinds_of_values("On Mondays at 8:05") == {"weekday", "time"}
    assert kinds_of_values("It is on the 5th of May") == {"date"}
    assert kinds_of_values("three hens") == {"number"}
    assert kinds_of_values("some hens") == set()


def test_values_are_alike_by_how_they_are_written() -> None:
    assert shape_of("19th") == shape_of("2nd") != shape_of("19")
    assert shape_of("1,020") == shape_of("950")
    assert is_alike("26", "We are 26 people now.", "30", "We are 30 people.")
    assert not is_alike("26", "Bus 26 comes now.", "30", "We have 30 hens.")
    assert not is_alike("1150", "We pay 1150.", "2031", "The lease ends in 2031.")


def test_a_value_stands_where_it_is_a_whole_word() -> None:
    assert place_of("12", "The code is 1234.") is None
    assert place_of("v1", "It is at ada.org/v1.") is None
    assert place_of("v1", "It is at ada.org/v1.", as_part=True) is not None


def test_what_begins_a_sentence_is_no_name() -> None:
    assert names_in("Ask Ada. It is Bo who knows.") == {"Ada", "Bo"}
