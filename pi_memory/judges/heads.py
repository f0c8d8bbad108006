"""Small learned judges: logistic regression over signs of a text and, where there are, its vectors. Numpy alone.

`scripts/fit-heads` fits the weights on `benchmarks/texts/` and writes them beside the patterns they belong to.
"""

import functools
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from pi_memory.types import Vectors

VECTOR_SCALE = 8.0
"""Components of a unit vector are small beside signs, which are 0 or 1."""

ARRAYS = ("mean", "deviation", "signs", "both_signs", "both_vector")


class Head(Struct, frozen=True):
    """Weights for signs, shape (signs,), and for vectors, shape (dimensions,); each set with its own bias.

    `space` is the beginning of the id of the embedder whose vectors the weights are for.
    """

    space: str
    biases: tuple[float, float]
    """For signs alone, and for both."""
    mean: Vectors
    deviation: Vectors
    signs: Vectors
    both_signs: Vectors
    both_vector: Vectors

    @classmethod
    def load(cls, path: Path) -> "Head":
        kept = json.loads(path.read_text(encoding="utf-8"))
        arrays = {name: np.array(kept[name], np.float32) for name in ARRAYS}
        return cls(kept["space"], (kept["signs_bias"], kept["both_bias"]), **arrays)

    def fits(self, embedder: str) -> bool:
        return embedder.startswith(self.space)

    def chances(self, signs: Vectors, vectors: Vectors | None) -> Vectors:
        """From 0 to 1 for each row of `signs`, shape (n, signs). `vectors`, shape (n, dimensions), are of `space`."""
        scaled = (signs - self.mean) / self.deviation
        if vectors is None:
            return _sigmoid(scaled @ self.signs + self.biases[0])
        return _sigmoid(scaled @ self.both_signs + VECTOR_SCALE * (vectors @ self.both_vector) + self.biases[1])


@functools.cache
def patterns(path: Path) -> tuple[re.Pattern[str], ...]:
    """The signs of a table, compiled when they are first needed."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))["signs"]
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in table.values())


def _sigmoid(values: npt.NDArray[np.floating]) -> Vectors:
    found: Vectors = (1 / (1 + np.exp(-np.clip(values, -30, 30)))).astype(np.float32)
    return found
