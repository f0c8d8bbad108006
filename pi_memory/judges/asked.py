"""Whether a message asks for what only its user can have told: `where's the ladder?`, and not `why is the sky blue?`.

Both are near to something that was told, as all that is about houses, meals and work is; so what answers the second has
to be nearer by far (`gate.py`).
"""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from pi_memory.judges.heads import Reading, Signs
from pi_memory.text.intent import Wish, intent_of, names_only, tells_past
from pi_memory.text.language import pattern
from pi_memory.text.sentences import is_question
from pi_memory.types import Vectors

SIGNS = (
    "own_world", "definite", "general", "looks_up", "needs_help", "request", "ends_asking", "asks_time", "asks_number",
    "asks_place", "asks_person", "asks_birthday", "asks_phone", "name_inside", "follows_on", "finite", "at_present",
)  # fmt: skip
"""Names of expressions of `config/language`."""
LONG = 12
"""Words of a message that is long."""
MOST_WORDS = 24
"""Words of a message that may ask though no rule says so."""
LEAST_CHANCE = 0.5
"""How likely such a message asks, from which on it does: of 33 people 17 of 24 questions that the rules do not
know, and 1 of some 1,200 messages that ask nothing.
"""


class Asked:
    """Judges messages that ask. `folder` has `asked-read.json` for what an embedder reads in them, and `asked.json` for
    their signs, where none does; `asks-read.json` for whether they ask.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def own(self, message: str, read: Vectors | None = None) -> float:
        """How likely it asks for something of the user's own world, from 0 to 1. `read` is what an embedder reads in
        it, shape (1, dimensions).
        """
        (chance,) = self._signs.chances(self.signs([message])) if read is None else self._reading.chances(read)
        return float(chance)

    def asks(self, read: Vectors) -> bool:
        """Whether a message asks, such as `game I play with Bo`. `read` is as in `own`."""
        return bool(self._asking.chances(read)[0] >= LEAST_CHANCE)

    def signs(self, messages: Sequence[str]) -> Vectors:
        """Signs of each message, shape (n, signs)."""
        rows = [[*_forms(text), *(float(bool(pattern(name).search(text))) for name in SIGNS)] for text in messages]
        return np.array(rows, np.float32).reshape(len(messages), -1)

    @cached_property
    def _signs(self) -> Signs:
        return Signs.load(self._folder / "asked.json")

    @cached_property
    def _reading(self) -> Reading:
        return Reading.load(self._folder / "asked-read.json")

    @cached_property
    def _asking(self) -> Reading:
        return Reading.load(self._folder / "asks-read.json")


def may_ask(message: str) -> bool:
    """Whether a message that asks by no rule is short enough to ask something, and gives no number itself."""
    tells = bool(pattern("tells_event").match(message) or re.search(r"\d", message))
    tells = tells or pattern("gives_now").search(message) is not None
    tells = tells or any(pattern(name).match(message) for name in ("several_first", "mistaken", "tells_of"))
    tells = tells or tells_past(message) or pattern("laughs").search(message) is not None
    return len(message.split()) <= MOST_WORDS and intent_of(message).kind is Wish.STATEMENT and not tells


def _forms(text: str) -> tuple[float, ...]:
    is_long = min(len(text.split()), LONG) / LONG
    return is_long, float(is_question(text)), float(names_only(text)), float("?" in text), float(text[:1].isupper())
