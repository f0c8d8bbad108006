"""What is stored already that is like a text: by its words, and by its meaning when there is an embedder."""

import logging
from dataclasses import dataclass

from pi_memory.embedding.calibration import NEVER, Calibration, Scale
from pi_memory.errors import EmbedderError
from pi_memory.knowledge import words
from pi_memory.knowledge.dedup import Neighbour
from pi_memory.knowledge.memories import Memories
from pi_memory.knowledge.shelf import Shelf
from pi_memory.knowledge.vectors import pack
from pi_memory.store.memories import Embedding
from pi_memory.turn import Vectors

MOST = 24
"""Memories that a text is compared with for its words, and as many for its meaning."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Around:
    """The memories that are like a text, also those that no longer hold, and what a row keeps of its own meaning.

    `scale` tells what their cosines mean. `embedding` is None without an embedder: then it follows later.
    """

    neighbours: tuple[Neighbour, ...]
    scale: Calibration = NEVER
    embedding: Embedding | None = None


class Neighbourhood:
    """`shelf` has the vectors of the memories that hold."""

    def __init__(self, memories: Memories, shelf: Shelf, scale: Scale) -> None:
        self._memories = memories
        self._shelf = shelf
        self._scale = scale

    async def of(self, text: str, *, quote: str = "") -> Around:
        """What is like `text`; `quote` are other words for it. Raises `StoreError`."""
        match = " OR ".join(map(words.quoted, words.terms(f"{text} {quote}")))
        found = await self._memories.search_words(match, limit=MOST) if match else []
        scale, vector, embedding = await self._meaning(text)
        cosines = {} if vector is None else self._cosines(vector)
        related = (number for number, cosine in cosines.items() if cosine >= scale.related)
        near = sorted(related, key=lambda number: -cosines[number])[:MOST]
        known = await self._memories.several([*dict.fromkeys([*(number for number, _ in found), *near])])
        return Around(tuple(Neighbour(m, cosines.get(m.id)) for m in known), scale, embedding)

    async def _meaning(self, text: str) -> tuple[Calibration, Vectors | None, Embedding | None]:
        embedder = self._scale.embedder.now
        if not embedder.dimensions:
            return NEVER, None, None
        try:
            vectors = await embedder.embed([text])
            return await self._scale.measured(), vectors[0], Embedding(embedder.id, pack(vectors).to_bytes())
        except EmbedderError as error:
            logger.warning("Memories are compared by their words, and their vectors follow later: %s", error)
            return NEVER, None, None

    def _cosines(self, vector: Vectors) -> dict[int, float]:
        matrix = self._shelf.matrix
        if matrix is None or matrix.dimensions != len(vector):
            return {}
        return dict(zip(matrix.ids.tolist(), matrix.cosines(vector).tolist(), strict=True))
