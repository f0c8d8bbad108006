"""Moves the vector of a question to where its answers lie: an embedder of sentences puts texts of the same meaning next
to each other, and a question does not mean what answers it.

A learned matrix of low rank: q + (q down) up. `scripts/fit-heads` fits it on people's facts and how they ask for them.
"""

import base64
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from pi_memory.types import Vectors


class Move(Struct, frozen=True):
    """What is added to a question's vector: `down`, shape (dimensions, rank), then `up`, shape (rank, dimensions), for
    embedders whose id begins with `space`. `less` is by how much less near answers are to a question that is moved.
    """

    space: str
    less: float
    down: Vectors
    up: Vectors

    @classmethod
    def load(cls, path: Path) -> "Move":
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(kept["space"], kept["less"], unpacked(kept["down"]), unpacked(kept["up"]))


class Questions:
    """`folder` has `questions.json`, which is read when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def moved(self, question: Vectors, embedder: str) -> tuple[Vectors, float]:
        """The vector of a question where its answers are, of length 1, and what its cosines lack of those of a vector
        that is not moved; as it is, for an embedder that nothing was fitted for.
        """
        move = self._move
        if not embedder.startswith(move.space):
            return question, 0.0
        moved = question + (question @ move.down) @ move.up
        unit: Vectors = (moved / np.linalg.norm(moved)).astype(np.float32)
        return unit, move.less

    @cached_property
    def _move(self) -> Move:
        return Move.load(self._folder / "questions.json")


def unpacked(kept: dict[str, Any]) -> Vectors:
    """A matrix as `packed` made it: whole numbers of a byte each, with a scale for each column."""
    numbers = np.frombuffer(base64.b64decode(kept["int8"]), np.int8)
    scales = np.array(kept["scales"], np.float32)
    matrix: Vectors = numbers.reshape(-1, len(scales)).astype(np.float32) * scales
    return matrix


def packed(matrix: Vectors) -> dict[str, Any]:
    """A matrix as `questions.json` has it."""
    scales = np.maximum(np.abs(matrix).max(0), 1e-9) / 127
    numbers = np.round(matrix / scales).astype(np.int8)
    return {"int8": base64.b64encode(numbers.tobytes()).decode(), "scales": [float(f"{x:.6g}") for x in scales]}
