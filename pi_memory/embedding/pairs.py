"""What an embedder makes of two texts that it reads as one: how one bears on the other, which the vectors of both do
not say (Nogueira and Cho, 2019, "Passage re-ranking with BERT").
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

Pair = tuple[str, str]


@runtime_checkable
class PairReader(Embedder, Protocol):
    """An embedder that reads pairs too."""

    async def read(self, pairs: Sequence[Pair]) -> Vectors | None:
        """Float32, shape (len(pairs), dimensions); None if it was not fitted for that. Raises `EmbedderError`."""
        ...


async def read(embedder: Embedder, pairs: Sequence[Pair]) -> Vectors | None:
    """What an embedder makes of pairs; None of one that reads none. Raises `EmbedderError`."""
    return await embedder.read(pairs) if isinstance(embedder, PairReader) else None
