"""Which sentences of a message are facts worth keeping, where no rule says so. Pure, but for the weights it reads.

Jokes, moods, questions, hypotheses, hearsay and what is true for a moment only are not. A remark that is kept by
mistake costs little, as it fades; a fact that is lost costs more.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from pi_memory.judges.heads import Reading, Signs, patterns
from pi_memory.text.language import pattern
from pi_memory.types import Vectors


class Worth:
    """Judges sentences. `folder` has `worth.toml`, `worth-read.json` for what an embedder reads in them, and
    `worth.json` for their signs, where none does.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def chances(self, sentences: Sequence[str], read: Vectors | None) -> Vectors:
        """How likely each sentence is a fact to keep, shape (n,), from 0 to 1. `read` is what an embedder reads in
        them, shape (n, dimensions); None without one that reads.
        """
        if not sentences:
            return np.zeros(0, np.float32)
        return self._signs.chances(self.signs(sentences)) if read is None else self._reading.chances(read)

    def refers_back(self, sentence: str) -> bool:
        """Whether its subject stands in the sentence before; `there is` that says where, or who, stands alone."""
        sentence = pattern("idle_it").sub("", sentence)
        if self._back.match(sentence) is None or any(pattern(n).match(sentence) for n in ("generic_they", "expletive")):
            return False
        says_itself = pattern("at_place").search(sentence) or re.search(", (?=[A-ZÄÖÜÉ])", sentence)
        return not pattern("existential").match(sentence) or says_itself is None

    def signs(self, sentences: Sequence[str]) -> Vectors:
        """Signs of each sentence, shape (n, signs)."""
        found = patterns(self._folder / "worth.toml")
        rows = [[*_length(text), *(float(bool(sign.search(text))) for sign in found)] for text in sentences]
        return np.array(rows, np.float32).reshape(len(sentences), -1)

    @cached_property
    def _back(self) -> re.Pattern[str]:
        table = tomllib.loads((self._folder / "worth.toml").read_text(encoding="utf-8"))
        return re.compile(table["context"]["refers_back"], re.IGNORECASE)

    @cached_property
    def _signs(self) -> Signs:
        return Signs.load(self._folder / "worth.json")

    @cached_property
    def _reading(self) -> Reading:
        return Reading.load(self._folder / "worth-read.json")


def _length(text: str) -> tuple[float, float]:
    words = len(text.split())
    return min(words, 40) / 20, float(words < 4)
