"""Signs of a statement and older ones."""

import numpy as np

from pi_memory.config import Config
from pi_memory.judges.pair_signs import FIRST_SIGNS, PairSigns, Said
from pi_memory.judges.parsed import Parser

SIGNS = PairSigns(Parser(Config().folder("heads") / "replacement.toml"))


def test_the_first_signs_are_in_their_places() -> None:
    """What is judged by its place is what it is named after."""
    kinds = {"weekday": ("Tuesday", "Friday"), "times": ("at 3pm", "at 4pm"), "money": ("for £45", "for £38")}
    for kind, (new, old) in kinds.items():
        (signs,) = SIGNS.of(Said(f"The bus goes {new}."), [Said(f"The bus goes {old}.")])
        assert signs[FIRST_SIGNS.index(kind)] == 1.0, kind
    (signs,) = SIGNS.of(Said("The bus is red."), [Said("The bus is old.")])
    assert not signs[: len(FIRST_SIGNS)].any()


def test_signs_are_numbers_whatever_the_text() -> None:
    for text in ("", "?", "…", "a" * 5_000, "1 2 3", "É"):
        assert np.isfinite(SIGNS.of(Said(text, np.ones(384, np.float32)), [Said("The key is in the shed.")])).all()
        assert np.isfinite(SIGNS.of(Said(text), [Said(""), Said("The key is in the shed.")])).all()
