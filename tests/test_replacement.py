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


ALIKE, ALMOST, APART = vector(1, 0.1), vector(1, 0.2), vector(0, 0, 1)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The spare key is now at Anna's.", "The spare key is in the shed."),
        ("The vet has changed, we now go to Doctor Brandt instead.", "Our vet is Doctor Ellis."),
    ],
)
def test_a_newer_value_ends_the_older_one(new: str, old: str) -> None:
    assert JUDGE.ends(Said(new, ALIKE), Said(old, ALMOST), embedder="all-MiniLM-L6-v2") >= LEAST_CHANCE


def test_what_is_about_something_else_ends_nothing() -> None:
    new, old = Said("The meeting is on Friday now.", APART), Said("The spare key is in the shed.", ALIKE)
    assert JUDGE.ends(new, old, embedder="all-MiniLM-L6-v2") == 0.0


def test_without_vectors_nothing_ends() -> None:
    assert JUDGE.ends(Said("The key is now at Anna's."), Said("The key is in the shed.")) == 0.0


def test_signs_are_numbers_whatever_the_text() -> None:
    for text in ("", "?", "…", "a" * 5_000, "1 2 3", "É"):
        assert np.isfinite(JUDGE.signs(Said(text, ALIKE), Said("The key is in the shed.", ALMOST))).all()
