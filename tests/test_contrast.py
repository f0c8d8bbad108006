"""What is right and what is wrong in the words of somebody who puts something right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.text.contrast import asserted, contrast, left_behind

FOUND = [
    ("The port is 8081, not 8080.", "The port is 8081", "8080"),
    ("it's spelled Kowalczyk, not Kowalchik", "it's spelled Kowalczyk", "Kowalchik"),
    ("it is 8081 not 8080", "it is 8081", "8080"),
    ("The train is at nine, and not at ten", "The train is at nine", "at ten"),
    ("It isn't Lyon but Nantes", "Nantes", "Lyon"),
    ("The door was not red, it's green", "green", "red"),
    ("Der Port ist 81, nicht 80", "Der Port ist 81", "80"),
    ("Le port est 81, pas 80.", "Le port est 81", "80"),
    ("El puerto es 81, no 80", "El puerto es 81", "80"),
]
NONE = [
    "It does not work",
    "I do not eat meat",
    "not now",
    "It works, not sure why",
    "The job is slow, not that it matters",
    "He is late, not only today",
    "It is done, no need for a test",
    "The file is there, not because I put it there",
    "Il ne marche pas bien",
    "The button is green, not the red that we had agreed on with the whole team",
]


@pytest.mark.parametrize(("text", "right", "wrong"), FOUND)
def test_a_contrast_is_found(text: str, right: str, wrong: str) -> None:
    found = contrast(text)
    assert found is not None
    assert (found.right, found.wrong) == (right, wrong)


@pytest.mark.parametrize("text", NONE)
def test_what_contrasts_nothing(text: str) -> None:
    assert contrast(text) is None


def test_a_contrast_without_a_pause_is_distinguished_from_one_with_it() -> None:
    result = [contrast(text) for text in ("it is 8081, not 8080", "it is 8081 not 8080")]
    assert [found.is_set_off for found in result if found] == [True, False]


def test_both_sides_of_a_specific_one_have_a_number_or_a_name() -> None:
    result = [contrast(text) for text in ("it is 8081, not 8080", "it is red, not green", "he is Ben, not my uncle")]
    assert [found.is_specific for found in result if found] == [True, False, False]


def test_what_is_asserted_is_the_sentence_without_what_is_wrong() -> None:
    assert asserted("The port is 8081, not 8080.") == "The port is 8081"
    assert asserted("It isn't Lyon but Nantes") == "It is Nantes"
    assert asserted("The exam is not on 3 December, it is on 28 November.") == "The exam is on 28 November"
    assert asserted("It does not work.") == "It does not work."


@given(st.text(st.sampled_from("a not pas, no. but-is 8A’é"), max_size=60))
def test_both_sides_stand_in_the_text(text: str) -> None:
    found = contrast(text)
    if found is not None:
        assert found.wrong
        assert found.wrong in text
        assert found.right in text


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("The blog runs on Astro instead of Hugo.", "Hugo"),
        ("We migrated the database from Postgres 15 to Postgres 16.", "Postgres 15"),
        ("Pasamos de Postgres 15 a Postgres 16", "Postgres 15"),
        ("The train goes from Oslo to Bergen.", ""),
        ("Use this instead.", ""),
    ],
)
def test_the_value_of_before_is_named(text: str, before: str) -> None:
    assert left_behind(text) == before
