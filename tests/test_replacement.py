"""How likely a newer statement makes an older one untrue."""

import numpy as np
import pytest

from pi_memory.config import Config
from pi_memory.judges.replacement import LEAST_CHANCE, Replacement, Said
from pi_memory.types import Vectors

JUDGE = Replacement(Config().folder("heads"))


def vector(*components: float) -> Vectors:
    """A unit vector that begins so."""
    made = np.zeros(384, np.float32)
    made[: len(components)] = components
    unit: Vectors = made / np.linalg.norm(made)
    return unit


KEY, VET = Said("The spare key is in the shed.", vector(1, 0.2)), Said("Our vet is Doctor Ellis.", vector(0, 1))
HERE = "all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("new", "ended"),
    [
        (Said("The spare key is now at Anna's.", vector(1, 0.1)), KEY),
        (Said("The vet has changed, we now go to Doctor Brandt instead.", vector(0.1, 1)), VET),
    ],
)
def test_a_newer_value_ends_the_nearest_older_one(new: Said, ended: Said) -> None:
    chances = JUDGE.chances(new, [KEY, VET], embedder=HERE)
    assert [chance >= LEAST_CHANCE for chance in chances] == [each is ended for each in (KEY, VET)]


def test_what_is_about_something_else_ends_nothing() -> None:
    new = Said("The meeting is on Friday now.", vector(0, 0, 1))
    assert JUDGE.chances(new, [KEY, VET], embedder=HERE).max() < LEAST_CHANCE


def test_without_a_word_of_change_only_another_value_of_the_same_kind_ends() -> None:
    bins = Said("The bins go out on Tuesday.", vector(1, 0.2))
    assert JUDGE.chances(Said("The bins go out on Thursday.", vector(1, 0.1)), [bins, VET], embedder=HERE)[0] >= 0.8
    assert JUDGE.chances(Said("The bins are green.", vector(0.6, 0, 1)), [bins, VET], embedder=HERE)[0] < LEAST_CHANCE


def chance(new: str, old: str, *, nearness: float = 0.65) -> float:
    """Of two statements about the same, beside one about something else."""
    said = Said(new, vector(1, 0.1)), Said(old, vector(nearness, (1 - nearness**2) ** 0.5))
    return float(JUDGE.chances(said[0], [said[1], VET], embedder=HERE)[0])


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The sledge is in the loft.", "The sledge is stored at Uncle Bert's."),
        ("The drill is back, it's hanging in the shed.", "Our drill is at Mona Reed's at the moment."),
        ("Our accountant is Ida Moss.", "Our accountant is Paul Crane."),
        ("Ned gets 9 pounds for walking the dog now.", "A boy called Ned walks our dog. He gets 7 pounds."),
        ("Max plays in Ludlow now.", "My son is called Max. He plays in Bewdley."),
        ("Box 5 is on shelf 16.", "Box 5 is on shelf 12."),
        ("I parked the car on level 7 today.", "I parked the car on level 3."),
    ],
)
def test_another_place_person_or_amount_ends_the_older_one(new: str, old: str) -> None:
    assert chance(new, old) >= LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Ada has moved to Ludlow.", "Ada's son lives in Ludlow."),
        ("The blue sledge is in the loft.", "The red sledge is in the shed."),
        ("Next Monday the class is in room 9.", "The class is in room 4 on Mondays."),
        ("The drill used to be in the cellar.", "The drill is in the shed."),
        ("The sledge needs new ropes.", "The sledge is in the shed."),
        ("If it rains we meet in the barn.", "We meet in the yard."),
        ("Rosa may stay up until nine on Saturdays.", "Rosa has ballet on Tuesdays."),
        ("I parked the van on level 3.", "The van needs 5W-30 oil."),
        ("In the pump project, migrations are run by hand.", "We deploy the pump project with Helm."),
        ("I keep the spare key of the loft in box 12.", "I keep the spare key of the shed in box 9."),
        ("Box 12 is on shelf 16.", "Box 5 is on shelf 12."),
        ("Key 7 opens the shed.", "Key 3 opens the shed."),
        ("Schrank 3 ist für die Farben.", "Schrank 2 ist für die Schrauben."),
        ("The code for the gate is 4417.", "The code for the back door is 5820."),
        ("The oven has tripped again.", "If the oven trips, flip breaker 6 and wait a minute."),
        ("Lena is allergic to shellfish.", "Lena is allergic to nuts."),
        ("Lena plays the flute.", "Lena plays the drums."),
    ],
)
def test_what_may_hold_beside_an_older_one_does_not_end_it(new: str, old: str) -> None:
    assert chance(new, old) < LEAST_CHANCE


def test_what_no_refers_to_is_not_what_follows_it() -> None:
    older = Said("We rehearse on Wednesdays at eight in the cellar.", vector(0.4, 0, 1))
    new = Said("No, the rehearsal is on Mondays, not Wednesdays.", vector(1, 0.1))
    assert JUDGE.chances(new, [older, VET], embedder=HERE)[0] >= LEAST_CHANCE


def test_a_value_that_is_denied_ends_the_only_one_that_has_it() -> None:
    stools, lamp = (
        Said("Four stools for Anna, 26 inches to the seat.", vector(1)),
        Said("The lamp is 26 inches.", vector(0, 1)),
    )
    new = Said("She measured wrong: seats at 29, not 26.", vector(0.3, 0.1, 1))
    assert JUDGE.chances(new, [stools, VET], embedder=HERE)[0] >= LEAST_CHANCE
    assert JUDGE.chances(Said("I have 3, not 26.", vector(0, 0, 1)), [stools, lamp], embedder=HERE).max() < LEAST_CHANCE


def test_what_somebody_left_is_over_and_what_happens_on_a_condition_is_not() -> None:
    home, queue = Said("Casimir lives in Trondheim.", vector(1)), Said("The board of the heron queue is 57.", vector(1))
    moved = Said("Casimir has moved from Trondheim to Aarhus.", vector(0.6, 0, 1))
    assert JUDGE.chances(moved, [home, VET], embedder=HERE)[0] >= LEAST_CHANCE
    drained = Said("Drain the heron service, else jobs are lost.", vector(0.4, 0, 1))
    assert JUDGE.chances(drained, [queue, VET], embedder=HERE)[0] < LEAST_CHANCE


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The sitter charges 9.50 an hour now.", "The sitter charges 8 an hour, in cash if possible."),
        ("The washing slot is on Friday now.", "The washing slot is on Sunday, nobody else wanted it."),
    ],
)
def test_what_is_no_condition_for_what_was_said_can_end(new: str, old: str) -> None:
    assert chance(new, old) >= LEAST_CHANCE


def test_by_words_alone_what_names_the_thing_and_a_change_ends() -> None:
    old = [Said("The blog runs on Hugo."), Said("The cat is called Minka.")]
    chances = JUDGE.chances(Said("The blog now runs on Astro instead of Hugo."), old)
    assert chances[0] >= LEAST_CHANCE > chances[1]


def test_signs_are_numbers_whatever_the_text() -> None:
    for text in ("", "?", "…", "a" * 5_000, "1 2 3", "É"):
        assert np.isfinite(JUDGE.signs(Said(text, vector(1)), [KEY])).all()
        assert np.isfinite(JUDGE.signs(Said(text), [Said(""), KEY])).all()
    assert JUDGE.chances(KEY, []).shape == (0,)
