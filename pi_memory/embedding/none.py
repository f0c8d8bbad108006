"""No embedder: words must do."""

from collections.abc import Sequence

import numpy as np

from pi_memory.types import Vectors


class NoEmbedder:
    """Keeps the contract of an embedder whose space has no dimensions."""

    id = "none"
    dimensions = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 0)."""
        return np.empty((len(texts), 0), dtype=np.float32)

    async def close(self) -> None:
        pass
