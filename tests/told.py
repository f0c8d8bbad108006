"""Somebody who tells an assistant things, with a real database: what is found of that, and what is shown."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.loader import Loader
from pi_memory.memories import namespaces
from pi_memory.memories.memories import Memories
from pi_memory.protocols import Embedder
from pi_memory.recall.prompt_blocks import PromptRoom
from pi_memory.recall.recall import Recall
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.search import Search, SearchRequest
from pi_memory.store import exchanges
from pi_memory.store.database import Database
from pi_memory.types import Exchange, Recalled, Source
from pi_memory.worker import Worker
from tests.fakes import FakeClock

GLOBAL = namespaces.scope(None)
REPLY = (
    "Gladly! There is much to say about {0}. Many people ask me about {0}, on Thursday or in the morning, about a blue "
    "bicycle, a fence or a landlord, and what matters with {0} is patience. First, think about what you want of {0}. "
    "Then look at how others went about {0}, at six or at nine. In the end {0} will be what you make of them."
)
"""What an assistant says at length about something."""


@dataclass
class Told:
    """What somebody has told, and what is found of it."""

    search: Search
    recall: Recall
    memories: Memories
    passages: MessageIndex
    db: Database
    clock: FakeClock

    async def say(self, *said: tuple[str, str], conversation: str = "old", source: Source = "chat") -> None:
        """Exchanges, a minute apart."""
        for user, reply in said:
            self.clock.pass_time(minutes=1)
            exchange = Exchange(conversation, user, reply, self.clock(), source=source)
            number = await self.db.write(partial(exchanges.add, exchange=exchange))
            await self.passages.index(number, exchange)

    async def shown(self, message: str, *, window: PromptWindow | None = None) -> list[str]:
        room = PromptRoom(500, lambda text: len(text.split()), in_prompt=window)
        _, chosen = await self.recall.for_turn(SearchRequest(message, GLOBAL, self.clock()), room)
        return [result.content for result in chosen]

    async def found(self, query: str, *, k: int = 5) -> Sequence[Recalled]:
        return await self.search.search(SearchRequest(query, k=k, scope=GLOBAL, now=self.clock()))


@asynccontextmanager
async def told(embedder: Embedder | None = None) -> AsyncIterator[Told]:
    async def load() -> Embedder:
        return embedder or NoEmbedder()

    loader: Loader[Embedder] = Loader(load, fallback=NoEmbedder())
    clock = FakeClock()
    loader.start()
    await loader.ready()
    db = await Database.open(None)
    worker = Worker("compute")
    memories, passages = Memories(db, clock=clock), MessageIndex(db, loader, worker=worker)
    index = MemoryIndex(memories, loader)
    heads = Config().folder("heads")
    scale = Scale(loader)
    search = Search(db, memory_index=index, message_index=passages, scale=scale, worker=worker)
    recall = Recall(db, search, scale=scale, worker=worker, heads=heads)
    await search.start()
    await passages.ready()
    try:
        yield Told(search, recall, memories, passages, db, clock)
    finally:
        await search.stop()
        await db.close()
