"""What is stored already that is like a text: by its words, and by its meaning when there is an embedder."""

import logging
from collections.abc import Awaitable, Callable, Sequence

from pi_memory.embedding.calibration import NEVER, Calibration, calibrate
from pi_memory.errors import EmbedderError
from pi_memory.focus.nearest import Nearest
from pi_memory.knowledge import words
from pi_memory.knowledge.dedup import Neighbour
from pi_memory.knowledge.memories import Memories
from pi_memory.knowledge.vectors import pack
from pi_memory.loader import Loader
from pi_memory.store.memories import Embedding
from pi_memory.turn import Embedder, Memory

MOST = 24
"""Memories that a text is compared with."""

logger = logging.getLogger(__name__)


class Neighbourhood:
    """`similar` finds ids of memories by their meaning."""

    def __init__(self, memories: Memories, embedder: Loader[Embedder]) -> None:
        self.scale: Calibration = NEVER
        self.similar: Callable[[str], Awaitable[Sequence[int]]] = _none
        self._memories = memories
        self._embedder = embedder
        self._nearest: Nearest | None = None

    async def measure(self) -> None:
        """Have meanings compared from now on, if there is an embedder: its scale takes it some seconds on a Pi."""
        embedder = self._embedder.now
        if self._nearest is not None or not embedder.dimensions:
            return
        try:
            self.scale = await calibrate(embedder)
            self._nearest = Nearest(embedder, related=self.scale.related, same=self.scale.same)
        except EmbedderError as error:
            logger.warning("Memories are compared by their words: %s", error)

    async def of(self, text: str) -> list[Memory]:
        """Memories that share words or meaning with `text`, the best first, also those that no longer hold."""
        match = " OR ".join(map(words.quoted, words.terms(text)))
        found = await self._memories.search_words(match, limit=MOST) if match else []
        ids = dict.fromkeys([*(number for number, _ in found), *await self.similar(text)])
        known = {memory.id: memory for memory in await self._memories.several(list(ids))}
        return [known[number] for number in ids if number in known]

    async def compared(self, text: str, memories: Sequence[Memory]) -> list[Neighbour]:
        """Memories with how near in meaning they are to `text`; without that while the embedder fails."""
        cosines: dict[str, float] = {}
        try:
            if self._nearest is not None:
                vector = await self._nearest.vector(text)
                cosines = await self._nearest.cosines(vector, {str(m.id): m.content for m in memories if m.content})
        except EmbedderError as error:
            logger.warning("Memories are compared by their words: %s", error)
        return [Neighbour(memory, cosines.get(str(memory.id))) for memory in memories]

    async def vector(self, text: str) -> Embedding | None:
        """What a memory's row keeps of the meaning of its content; it follows later if there is no embedder yet."""
        embedder = self._embedder.now
        if not embedder.dimensions:
            return None
        try:
            return Embedding(embedder.id, pack(await embedder.embed([text])).to_bytes())
        except EmbedderError as error:
            logger.warning("A memory's vector follows later: %s", error)
            return None


async def _none(text: str) -> Sequence[int]:
    return ()
