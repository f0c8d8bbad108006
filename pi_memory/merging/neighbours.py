"""Finds stored memories that are similar to a text, by words and, with an embedder, by vectors."""

import logging
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from pi_memory.embedding import reading
from pi_memory.embedding.calibration import NEVER, Calibration, Scale
from pi_memory.embedding.quantized import Matrix, pack
from pi_memory.errors import EmbedderError
from pi_memory.memories.memories import Memories
from pi_memory.merging.dedup import Neighbour
from pi_memory.retrieval.ram_index import RamIndex
from pi_memory.store.memories import Embedding
from pi_memory.text import query_terms
from pi_memory.text.persons import by_user
from pi_memory.types import Vectors
from pi_memory.worker import Worker

MOST = 24
"""Most similar memories by words, and as many by vectors."""

NEAREST = 12
"""Those that are nearest in meaning, however far: a correction may share little with what it corrects."""

logger = logging.getLogger(__name__)


class Nearby(Struct, frozen=True):
    """The memories that are like a text, also those that no longer hold, and what a row keeps of its own meaning.

    `unkept` is what was said that is no memory (`unkept.py`). `scale` calibrates their cosines. `vector` is that of the
    text, shape (dimensions,), and `embedding` what a row keeps of it; None without an embedder: then it follows later.
    """

    neighbours: tuple[Neighbour, ...]
    unkept: tuple[Neighbour, ...] = ()
    scale: Calibration = NEVER
    embedding: Embedding | None = None
    vector: Vectors | None = None

    @property
    def space(self) -> str:
        """The id of the embedder; "" without one."""
        return self.embedding.space if self.embedding else ""


class NeighbourSearch:
    """`index` has the vectors of the memories that hold."""

    def __init__(self, memories: Memories, index: RamIndex, scale: Scale, *, worker: Worker) -> None:
        self._memories = memories
        self._index = index
        self._scale = scale
        self._worker = worker

    async def of(self, text: str, *, quote: str = "", write: bool = True) -> Nearby:
        """The memories similar to `text`; `quote` is another wording of it. Without `write` new words are not indexed
        first.

        Raises `StoreError`.
        """
        match = " OR ".join(map(query_terms.quoted, query_terms.terms(f"{text} {quote}")))
        numbers: list[int] = []
        if match and write:
            numbers = [number for number, _ in await self._memories.search_words(match, limit=MOST)]
        elif match:
            numbers = await self._memories.like_words(match, limit=MOST)
        scale, vector, embedding = await self._meaning(text)
        cosines: dict[int, float] = {}
        vectors: dict[int, Vectors] = {}
        matrix = self._index.matrix
        if vector is not None and matrix is not None and matrix.dimensions == len(vector):
            matrix = matrix.snapshot()
            cosines = await self._worker.run(_near, matrix, vector, scale.related, numbers)
            vectors = await self._worker.run(matrix.vectors, list(cosines))
        known = await self._memories.several([*dict.fromkeys([*numbers, *cosines])])
        neighbours = tuple(Neighbour(m, cosines.get(m.id), vectors.get(m.id)) for m in known)
        return Nearby(neighbours, scale=scale, embedding=embedding, vector=vector)

    async def vectors(self, texts: Sequence[str]) -> Sequence[Vectors | None]:
        """Those of the texts, shape (dimensions,) each; None where the embedder fails."""
        try:
            return [*await self._scale.embedder.now.embed(texts)]
        except EmbedderError:
            return [None] * len(texts)

    async def read(self, new: str, olds: Sequence[str]) -> dict[str, Vectors]:
        """What the embedder reads in a text and each of some others, shape (dimensions,), by the other; none if it
        reads no pairs, or fails.
        """
        if not olds:
            return {}
        try:
            found = await reading.read(self._scale.embedder.now, [(new, old) for old in olds], "pairs")
        except EmbedderError:
            found = None
        return {} if found is None else dict(zip(olds, found, strict=True))

    async def _meaning(self, text: str) -> tuple[Calibration, Vectors | None, Embedding | None]:
        embedder = self._scale.embedder.now
        if not embedder.dimensions:
            return NEVER, None, None
        try:
            vectors = await embedder.embed([by_user(text)])
            return await self._scale.measured(), vectors[0], Embedding(embedder.id, pack(vectors).to_bytes())
        except EmbedderError as error:
            logger.warning("Memories are compared by their words, and their vectors follow later: %s", error)
            return NEVER, None, None


def _near(matrix: Matrix, vector: Vectors, related: float, others: Sequence[int]) -> dict[int, float]:
    """Cosines of the `MOST` nearest memories that are related, or are the `NEAREST`, nearest first, and of `others`."""
    ids, cosines = matrix.ids, matrix.cosines(vector)
    rows = np.argsort(-cosines, kind="stable")[:MOST]
    rows = rows[(np.arange(len(rows)) < NEAREST) | (cosines[rows] >= related)]
    rows = np.concatenate([rows, np.flatnonzero(np.isin(ids, others))])
    return dict(zip(ids[rows].tolist(), cosines[rows].tolist(), strict=True))
