"""Lag of the event loop while the model reads a prompt and generates."""

import argparse
import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator

from benchmarks import _engine as bench
from pi_memory.model.local import LocalModel

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
    try:
        yield
    finally:
        task.cancel()


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
    figures: dict[str, float | int | str] = {"shape": options.shape, "ticks": len(reading) + len(generating)}
    for name, lags in (("generating", generating), ("reading", reading), ("idle", idle)):
        figures[f"p99_ms_{name}"] = bench.quantile(lags, 0.99) * 1_000
    return {**figures, "p99_ms": bench.quantile(reading + generating, 0.99) * 1_000, "max_ms": max(generating) * 1_000}


def main() -> None:
    given = bench.parser(__doc__, shape="qwen2.5-0.5b").parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
