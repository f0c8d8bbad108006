"""Small learned judges: logistic regression over signs of a text, its vectors, or what an embedder reads in it. Numpy
alone.

`scripts/fit-heads` fits the weights on `benchmarks/texts/` and writes them beside the patterns they belong to.
"""

import functools
import json
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from pi_memory.types import Vectors

Chances = TypeVar("Chances", float, Vectors)

VECTOR_SCALE = 8.0
"""Components of a unit vector are small beside signs, which are 0 or 1."""


class Signs(Struct, frozen=True):
    """Weights for signs of a text, shape (signs,), with a bias."""

    mean: Vectors
    deviation: Vectors
    weights: Vectors
    bias: float

    @classmethod
    def load(cls, path: Path) -> "Signs":
        return cls.of(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def of(cls, kept: dict[str, Any]) -> "Signs":
        mean, deviation, weights = (np.array(kept[name], np.float32) for name in ("mean", "deviation", "signs"))
        return cls(mean, deviation, weights, kept["signs_bias"])

    def chances(self, signs: Vectors) -> Vectors:
        """From 0 to 1 for each row of `signs`, shape (n, signs)."""
        return _sigmoid(self.scaled(signs) @ self.weights + self.bias)

    def scaled(self, signs: Vectors) -> Vectors:
        found: Vectors = (signs - self.mean) / self.deviation
        return found


class SignsAndVectors(Struct, frozen=True):
    """Weights for signs alone, and for signs, shape (signs,), with vectors, shape (dimensions,); each with its bias.

    `space` is the beginning of the id of the embedder whose vectors the weights are for.
    """

    space: str
    alone: Signs
    signs: Vectors
    vector: Vectors
    bias: float

    @classmethod
    def load(cls, path: Path) -> "SignsAndVectors":
        kept = json.loads(path.read_text(encoding="utf-8"))
        signs, vector = (np.array(kept[name], np.float32) for name in ("both_signs", "both_vector"))
        return cls(kept["space"], Signs.of(kept), signs, vector, kept["both_bias"])

    def fits(self, embedder: str) -> bool:
        return embedder.startswith(self.space)

    def chances(self, signs: Vectors, vectors: Vectors | None) -> Vectors:
        """From 0 to 1 for each row of `signs`, shape (n, signs). `vectors`, shape (n, dimensions), are of `space`."""
        if vectors is None:
            return self.alone.chances(signs)
        return _sigmoid(self.alone.scaled(signs) @ self.signs + VECTOR_SCALE * (vectors @ self.vector) + self.bias)


class Reading(Struct, frozen=True):
    """Weights, shape (dimensions,), and bias for what an embedder reads (`embedding/reading.py`)."""

    weights: Vectors
    bias: float

    @classmethod
    def load(cls, path: Path) -> "Reading":
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(np.array(kept["weights"], np.float32), kept["bias"])

    def odds(self, read: Vectors) -> Vectors:
        """Log-odds of each row of what was read, shape (n, dimensions)."""
        found: Vectors = read @ self.weights + np.float32(self.bias)
        return found

    def chances(self, read: Vectors) -> Vectors:
        """The same from 0 to 1."""
        return _sigmoid(self.odds(read))


@functools.cache
def patterns(path: Path) -> tuple[re.Pattern[str], ...]:
    """The signs of a table, compiled when they are first needed."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))["signs"]
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in table.values())


def by_odds(chances: Chances, odds: Chances | float) -> Chances:
    """Chances that are likelier by a factor of their odds."""
    return odds * chances / (1 + (odds - 1) * chances)


def _sigmoid(values: npt.NDArray[np.floating]) -> Vectors:
    found: Vectors = (1 / (1 + np.exp(-np.clip(values, -30, 30)))).astype(np.float32)
    return found
