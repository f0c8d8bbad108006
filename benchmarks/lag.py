"""Lag of the event loop while the model reads a prompt and generates, and while a large store is searched."""

import argparse
import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

from benchmarks import _engine as bench
from benchmarks import _measure as measure
from benchmarks import scale
from benchmarks._bag import BagOfWords
from benchmarks._facts import facts
from pi_memory.learning.statements import notice
from pi_memory.memories import namespaces
from pi_memory.model.local import LocalModel
from pi_memory.retrieval.search import SearchRequest
from pi_memory.service import pause_shortly
from pi_memory.types import Exchange

CONTEXT, TICK = 2048, 0.001


async def watch(lags: list[float]) -> None:
    """Ask for a millisecond's sleep over and over; note by how much each was too long."""
    while True:
        start = time.perf_counter()
        await asyncio.sleep(TICK)
        lags.append(time.perf_counter() - start - TICK)


@contextlib.asynccontextmanager
async def watched(lags: list[float]) -> AsyncIterator[None]:
    task = asyncio.create_task(watch(lags))
    await asyncio.sleep(0)
    try:
        yield
        await asyncio.sleep(2 * TICK)  # else what held it up to the end is not noted
    finally:
        task.cancel()


async def of_a_store(count: int, folder: Path, rounds: int) -> dict[str, list[float]]:
    """The lags while memories are searched, while one is stated and compared, and while a long text is tagged."""
    said, embedder, chance = facts(count), BagOfWords(), random.Random(0)
    await scale.written(said, folder / "memory.db", embedder)
    searching, comparing, tagging = list[float](), list[float](), list[float]()
    async with scale.opened(folder / "memory.db", embedder, count) as store:
        request = partial(SearchRequest, k=10, scope=namespaces.scope(None), now=0.0)
        await store.recall.search(request("the first one measures the scale"))
        for fact in chance.sample(said, rounds):
            async with watched(searching):
                await store.recall.search(request(fact))
            async with watched(comparing):
                await store.learning.state(notice(f"Remember that {fact[:-1]} or so."))
            long = Exchange("c", " ".join(chance.sample(said, 100)), fact, 0.0)
            async with watched(tagging):
                await store.tagger.tag(long, topics=(), current=None, working_directory=None)
    return {"searching": searching, "comparing": comparing, "tagging": tagging}


async def measured(options: argparse.Namespace) -> bench.Figures:
    words, most, rounds = (200, 32, 2) if options.quick else (300, 96, 4)
    model = LocalModel.open(bench.model_file(options), context_tokens=CONTEXT, temperature=0)
    chance = random.Random(0)
    idle, reading, generating = list[float](), list[float](), list[float]()
    async with watched(idle):
        await asyncio.sleep(1)
    for _ in range(rounds):
        pieces = model.generate([bench.message(chance, words)], max_tokens=most)
        async with watched(reading):
            await anext(pieces)
        async with watched(generating):
            async for _ in pieces:
                pass
    await model.close()
    with measure.folder() as folder:
        of_store = await of_a_store(1_000 if options.quick else 100_000, folder, 10 * rounds)
    figures: dict[str, float | int | str] = {"shape": options.shape, "ticks": len(reading) + len(generating)}
    for name, lags in {"generating": generating, "reading": reading, "idle": idle, **of_store}.items():
        figures[f"p99_ms_{name}"] = bench.quantile(lags, 0.99) * 1_000
    return {**figures, "p99_ms": bench.quantile(reading + generating, 0.99) * 1_000, "max_ms": max(generating) * 1_000}


def main() -> None:
    pause_shortly()  # as in the daemon
    given = bench.parser(__doc__, shape="qwen2.5-0.5b").parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
