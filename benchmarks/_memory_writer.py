"""A process that only writes memories, so that what it writes can be counted: FOLDER said|learned|stated COUNT.

`said` only stores what `learned` learns from.
"""

import asyncio
import json
import sys
import time
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._facts import facts
from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.learning.learner import Learner
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.merging.neighbours import NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.retrieval.ram_index import RamIndex
from pi_memory.retrieval.search import SearchRequest
from pi_memory.store import exchanges
from pi_memory.store.database import Database
from pi_memory.store.memories import Filter
from pi_memory.types import Exchange, Recalled, Vectors
from pi_memory.worker import Worker

SESSION = 25
"""Facts that a session teaches; what it taught is committed as one group."""
DIMENSIONS = 384


class RandomEmbedder:
    """Vectors of MiniLM's size that mean nothing, to each text its own: equal ones would mean the same."""

    id = "random"
    dimensions = DIMENSIONS

    async def embed(self, texts: "list[str] | tuple[str, ...]") -> Vectors:
        drawn = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=DIMENSIONS) for text in texts]
        vectors = np.array(drawn, np.float32).reshape(len(texts), DIMENSIONS)
        normal: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return normal

    async def close(self) -> None:
        pass


async def _load() -> Embedder:
    return RandomEmbedder()  # type: ignore[return-value]


async def _nothing(request: SearchRequest) -> list[Recalled]:
    return []


async def write(folder: Path, how: str, count: int) -> dict[str, int]:
    db = await Database.open(folder / "memory.db", commit_seconds=3600)
    loader = Loader(_load, fallback=await _load())
    scale = Scale(loader)
    memories = Memories(db, clock=time.time)
    worker, loaded = Worker("compute"), asyncio.Event()
    loaded.set()
    learning = Learner(
        memories,
        NeighbourSearch(memories, RamIndex(), scale, worker=worker),
        recall=_nothing,
        loaded=loaded,
        heads=Config().folder("heads"),
        embedder=loader,
        worker=worker,
    )
    said = facts(count)
    if how == "stated":
        for fact in said:
            await learning.state(notice(f"Remember that {fact[0].lower()}{fact[1:]}"), project="home")
    else:
        told = [Exchange("c", fact, "Good.", time.time(), project="home") for fact in said]
        numbered = [(await db.write(partial(exchanges.add, exchange=each)), each) for each in told]
        await db.flush()
        for start in range(0, count if how == "learned" else 0, SESSION):
            await learning.learn(numbered[start : start + SESSION])
            await db.flush()
    kept, stored = await memories.listed(Filter(valid=None), limit=count)
    await db.checkpoint()
    await db.close()
    texts = sum(len(memory.content.encode()) + len(memory.quote.encode()) for memory in kept)
    return {"memories": stored, "payload": texts + stored * (DIMENSIONS + 4)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))))
