"""The embedder of a daemon without one: texts are compared by words alone."""

from collections.abc import Sequence

import numpy as np

from pi_memory.types import Vectors


class NoEmbedder:
    """Satisfies the contract of an embedder whose space has no dimensions."""

    id = "none"
    dimensions = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 0)."""
        return np.empty((len(texts), 0), dtype=np.float32)

    async def close(self) -> None:
        pass
