"""Embeddings: how near in meaning a text is to descriptions of topics."""

import math
from collections.abc import Mapping

import numpy as np

from pi_memory.types import Embedder, Vectors

KEPT = 4_000
"""Most vectors of descriptions that are kept: 6 MB at 384 dimensions."""


class Nearest:
    """Keeps the vectors of descriptions, as those rarely change.

    `related` and `same` are the embedder's calibrated cosines: two texts about the same thing, two that say the same.
    """

    def __init__(self, embedder: Embedder, *, related: float, same: float) -> None:
        self._embedder = embedder
        self._related = related
        self.same = same
        self._vectors: dict[str, Vectors] = {}

    @property
    def is_blind(self) -> bool:
        """Whether no text can ever be near another: there is no embedder, or it has no scale."""
        return self._embedder.dimensions == 0 or not math.isfinite(self._related)

    async def vector(self, text: str) -> Vectors:
        """Of unit length, shape (dimensions,). Raises `EmbedderError`."""
        return np.asarray((await self._embedder.embed([text]))[0], dtype=np.float32)

    def scores(self, cosines: Mapping[str, float]) -> dict[str, float]:
        """How near each is, for those that are related: from 0.0 at `related` to 1.0 at `same`."""
        span = max(self.same - self._related, 0.01)
        return {name: (c - self._related) / span for name, c in cosines.items() if c >= self._related}

    async def cosines(self, vector: Vectors, descriptions: Mapping[str, str]) -> dict[str, float]:
        """The cosine of a text's vector to each description by name. Raises `EmbedderError`."""
        if not descriptions or self.is_blind:
            return {}
        wanted = dict.fromkeys(descriptions.values())
        missing = [text for text in wanted if text not in self._vectors]
        vectors = await self._embedder.embed(missing) if missing else ()
        if len(self._vectors) + len(missing) > KEPT:
            self._vectors = {text: vector for text, vector in self._vectors.items() if text in wanted}
        self._vectors.update(zip(missing, vectors, strict=True))
        known = np.stack([self._vectors[description] for description in descriptions.values()])
        return dict(zip(descriptions, (known @ vector).tolist(), strict=True))
