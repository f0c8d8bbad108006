"""The index of memories in RAM, in step with every change.

Missing vectors, and those of another embedder, are computed in the background.
"""

import asyncio
from functools import partial

from pi_memory.embedding.quantized import Matrix, pack, unpack
from pi_memory.event_bus import MemoryChanged
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.protocols import Embedder
from pi_memory.retrieval.ram_index import Item, RamIndex
from pi_memory.store.memories import Embedding, Outline, is_findable
from pi_memory.tasks import BackgroundWorker, until_done
from pi_memory.text.persons import by_user

LOADED_AT_ONCE = 500
MADE_AT_ONCE = 16


class MemoryIndex:
    """`ram_index` is the index that a search reads. Each memory is a thread of its own, without neighbours.

    `unindexed`: there may be memories whose words are not in the full-text index yet. `loaded` is set when the vectors
    are in RAM, or there is no embedder.
    """

    def __init__(self, memories: Memories, embedder: Loader[Embedder]) -> None:
        self.ram_index = RamIndex()
        self.unindexed = True
        self._memories = memories
        self._embedder = embedder
        self._pending: set[int] = set()
        self.loaded = asyncio.Event()
        self._embedding = BackgroundWorker("Making the vectors of memories", self._embed_changed)
        memories.events.subscribe(MemoryChanged, self._follow)

    async def start(self) -> None:
        """Index every memory by its words; by its vector once the embedder is ready."""
        last = 0
        while found := await self._memories.outlines(after=last, limit=LOADED_AT_ONCE):
            self.ram_index.put([_item(outline) for outline in found])
            last = found[-1].id
        self._embedding.start()

    async def stop(self) -> None:
        await self._embedding.stop()

    def _follow(self, event: MemoryChanged) -> None:
        memory = event.memory
        if is_findable(memory):
            over = not memory.is_valid
            self.ram_index.put(
                [_item(Outline(memory.id, memory.namespace, memory.type, memory.priority, len(memory.content), over))]
            )
            self.unindexed = True
            self._pending.add(memory.id)
            self._embedding.wake()
        else:
            self.ram_index.remove([memory.id])

    async def _embed_changed(self) -> None:
        embedder = await self._embedder.ready()
        if not embedder.dimensions:
            self._pending.clear()
            self.loaded.set()
            return
        if not self.loaded.is_set():
            await until_done("Loading the vectors of memories", partial(self._load, embedder))
            self.loaded.set()
        await self._catch_up(embedder)
        await self._fill(embedder)

    async def _load(self, embedder: Embedder) -> None:
        """Load all vectors into RAM."""
        self.ram_index.matrix, last = Matrix(embedder.dimensions), 0
        while found := await self._memories.vectors(embedder.id, after=last, limit=LOADED_AT_ONCE):
            packed = unpack(b"".join(kept for _, kept in found), embedder.dimensions)
            self.ram_index.load([number for number, _ in found], packed)
            last = found[-1][0]

    async def _catch_up(self, embedder: Embedder) -> None:
        """Index the memories that were stored with a vector."""
        while self._pending:
            number = self._pending.pop()
            for found, packed in await self._memories.vectors(embedder.id, after=number - 1, limit=1):
                if found == number:
                    self._embed(number, packed, embedder)

    def _embed(self, number: int, packed: bytes, embedder: Embedder) -> None:
        if self.ram_index.matrix is not None:
            self.ram_index.matrix.remove([number])
        self.ram_index.embed(number, unpack(packed, embedder.dimensions))

    async def _fill(self, embedder: Embedder) -> None:
        """Compute missing vectors a few at a time: a chat's query need not wait, and what is done is found."""
        while missing := await self._memories.without_vector(embedder.id, limit=MADE_AT_ONCE):
            vectors = await embedder.embed([by_user(content) for _, content in missing])
            for (number, content), vector in zip(missing, vectors, strict=True):
                packed = pack(vector[None]).to_bytes()
                if await self._memories.embedded(number, Embedding(embedder.id, packed), content=content):
                    self._embed(number, packed, embedder)


def _item(memory: Outline) -> Item:
    """A memory in the index. What was superseded has no labels: those of what holds in its place may be others."""
    labels = () if memory.is_over else (memory.type, memory.priority)
    return Item(memory.id, memory.id, memory.namespace, memory.length, aside=bool(memory.is_over), labels=labels)
