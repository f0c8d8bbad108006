"""An embedder that costs next to nothing: the sum of its words' vectors, which are random and always the same."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from pi_memory.types import Vectors

DIMENSIONS = 384
SHARED = 0.3
"""What all texts have in common, as with real embedders."""


class BagOfWords:
    id = "bag-of-words"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._words: dict[str, Vectors] = {}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._embedded(text) for text in texts])

    async def close(self) -> None:
        pass

    def _embedded(self, text: str) -> Vectors:
        found: Vectors = np.sum([self._word(word) for word in re.findall(r"\w+", text.lower())], axis=0)
        found = found / np.linalg.norm(found) + SHARED * self._word("")
        return (found / np.linalg.norm(found)).astype(np.float32)

    def _word(self, word: str) -> Vectors:
        if word not in self._words:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
            vector = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
            self._words[word] = vector / np.linalg.norm(vector)
        return self._words[word]
