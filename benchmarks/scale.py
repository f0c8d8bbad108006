"""A store of 1,000, 10,000 and 100,000 memories: time of a search, RAM and file, and what int8 vectors cost in recall.

`p50_ms` is that of recall's own search, by words and meaning, in a database on disk, with an embedder that takes hardly
any time; `found` is how often the memory that the query's words are from is among the ten results.

`vectors_p50_ms` is that of the ten nearest vectors, in RAM, and the ratio that of the product with all vectors, int8
over float32. The vectors lie in clusters, as texts do. Times are of one thread with cold caches, as a query finds them
after a reply of the model: between two searches, other memory is read. `warm` are those right after each other.
"""

import asyncio
import contextlib
import gc
import itertools
import os
import re
import statistics
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

# Read when numpy is imported: one thread for both sides.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import sqlite_utils

from benchmarks import _measure as measure
from benchmarks._bag import BagOfWords
from benchmarks._facts import facts
from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.quantized import Ids, Matrix, pack
from pi_memory.learning.learner import Learner
from pi_memory.loader import Loader
from pi_memory.memories import changes, namespaces
from pi_memory.memories.changes import Cause
from pi_memory.memories.memories import Memories
from pi_memory.merging.neighbours import NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.search import Search, SearchRequest
from pi_memory.store.database import Database
from pi_memory.store.memories import Embedding
from pi_memory.tagging.tagger import EvidenceTagger
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import Candidate, Vectors
from pi_memory.worker import Worker

SIZES = (1_000, 10_000, 100_000)
GROWS = ("p50_ms", "vectors_p50_ms", "bytes_per_memory_ram", "file_bytes_per_memory")
DIMENSIONS, K = 384, 10
QUERIES = 60
CLUSTER = 20
"""Texts about the same thing."""
SPREAD = 0.7
"""How far a text lies from the middle of its cluster, by which the cosine in a cluster is 0.67 in the mean."""
CACHE = 64 * 2**20
AT_ONCE = 1_000
ASKED = 6
"""Words of a fact that a query has."""


def texts(count: int, chance: np.random.Generator) -> Vectors:
    """Unit vectors in clusters, in some directions more than in others: as for all-MiniLM-L6-v2, half of the variance
    lies in about thirty, and no dimension stands out.
    """
    strength = (1 / np.sqrt(1 + np.arange(DIMENSIONS) / 12)).astype(np.float32)
    turned = strength[:, None] * np.linalg.qr(chance.standard_normal((DIMENSIONS, DIMENSIONS)))[0].astype(np.float32)
    middles = chance.standard_normal((max(1, count // CLUSTER), DIMENSIONS), np.float32)
    found = middles[chance.integers(0, len(middles), count)]
    found += SPREAD * chance.standard_normal((count, DIMENSIONS), np.float32)
    return _unit(found @ turned)


def one(count: int, chance: np.random.Generator) -> dict[str, float]:
    vectors = texts(count, chance)
    noise = chance.standard_normal((QUERIES, DIMENSIONS), np.float32)
    queries = _unit(vectors[chance.integers(0, count, QUERIES)] + 0.03 * noise)
    matrix = Matrix(DIMENSIONS)
    matrix.append(np.arange(count, dtype=np.int32), pack(vectors))
    exact = [set(np.argsort(-(vectors @ query), kind="stable")[:K].tolist()) for query in queries]
    found = [set(nearest(matrix, query).tolist()) for query in queries]
    other = np.ones(CACHE // 8)
    # In turns, so that what else the machine does meets both.
    cold = [(_ms(vectors.__matmul__, q, before=other.sum), _ms(matrix.cosines, q, before=other.sum)) for q in queries]
    warm = [(_ms(vectors.__matmul__, q), _ms(matrix.cosines, q)) for q in queries]
    whole = [_ms(partial(nearest, matrix), q, before=other.sum) for q in queries]
    return {
        "vectors_p50_ms": statistics.median(whole),
        "ratio_to_float32_matvec": _ratio(cold),
        "ratio_to_float32_matvec_warm": _ratio(warm),
        "recall_at_10_vs_float32": statistics.mean(len(a & b) / K for a, b in zip(exact, found, strict=True)),
        "bytes_per_memory_ram": matrix.bytes / count,
    }


@dataclass(frozen=True)
class Store:
    """A store that is open, all of it in RAM."""

    remembered: MemoryIndex
    recall: Search
    learning: Learner
    tagger: EvidenceTagger


@contextlib.asynccontextmanager
async def opened(path: Path, embedder: Embedder, count: int) -> AsyncIterator[Store]:
    """A store of `count` memories, when all its vectors are in RAM."""

    async def load() -> Embedder:
        return embedder

    db, loader = await Database.open(path), Loader[Embedder](load, fallback=embedder)
    loader.start()
    await loader.ready()
    memories, worker = Memories(db, clock=time.time), Worker("compute")
    remembered, measured = MemoryIndex(memories, loader), Scale(loader)
    recall = Search(
        db,
        memory_index=remembered,
        message_index=MessageIndex(db, loader, worker=worker),
        scale=measured,
        worker=worker,
    )
    await recall.start()
    while remembered.ram_index.matrix is None or len(remembered.ram_index.matrix) < count:  # noqa: ASYNC110 - when it comes
        await asyncio.sleep(0.001)
    learning = Learner(
        memories,
        NeighbourSearch(memories, remembered.ram_index, measured, worker=worker),
        recall=recall.search,
        loaded=remembered.loaded,
        heads=Config().folder("heads"),
        embedder=loader,
        worker=worker,
    )
    tagger = EvidenceTagger(load_patterns(Config().file("topics.toml")), worker=worker)
    yield Store(remembered, recall, learning, tagger)
    await recall.stop()
    await db.close()


async def in_a_store(count: int, folder: Path, chance: np.random.Generator) -> dict[str, float]:
    """A store of `count` memories is written, opened again, and searched."""
    said, embedder = facts(count), BagOfWords()
    await written(said, folder / "memory.db", embedder)

    before, start = _rss(), time.perf_counter()
    async with opened(folder / "memory.db", embedder, count) as store:
        load_ms = (time.perf_counter() - start) * 1_000
        recall = store.recall
        await recall.search(_request("the first one measures the scale"))
        times, found = [], 0
        for content in (said[number] for number in chance.integers(0, count, QUERIES)):
            words, start = _some_words(content, chance), time.perf_counter()
            results = await recall.search(_request(words))
            times.append((time.perf_counter() - start) * 1_000)
            found += content in [result.content for result in results]
        grown = _rss() - before
    return {
        "p50_ms": statistics.median(times),
        "p95_ms": statistics.quantiles(times, n=20)[-1],
        "found": found / len(times),
        "load_ms": load_ms,
        "file_bytes_per_memory": sum(file.stat().st_size for file in _files(folder)) / count,
        "process_bytes_per_memory": grown / count,
    }


async def written(contents: list[str], path: Path, embedder: BagOfWords) -> None:
    db = await Database.open(path)
    for start in range(0, len(contents), AT_ONCE):
        some = contents[start : start + AT_ONCE]
        await db.write(partial(_learned, contents=some, packed=pack(await embedder.embed(some)).to_bytes()))
        await db.flush()
    await db.close()


def _request(query: str) -> SearchRequest:
    return SearchRequest(query, k=K, scope=namespaces.scope(None), now=time.time())


def _some_words(fact: str, chance: np.random.Generator) -> str:
    """Its number, and other words of it."""
    number = re.findall(r"\d+", fact)[0]
    return " ".join([number, *chance.choice(fact.split(), ASKED - 1, replace=False)])


def _files(folder: Path) -> list[Path]:
    return [*folder.glob("memory.db*")]


def _learned(db: sqlite_utils.Database, *, contents: list[str], packed: bytes) -> None:
    size = len(packed) // len(contents)
    for number, content in enumerate(contents):
        embedding = Embedding(BagOfWords.id, packed[number * size : (number + 1) * size])
        candidate = Candidate(content, "semantic", "user/facts", source="discovery", quote=content)
        changes.add(db, candidate, Cause("extraction", time.time()), embedding=embedding)


def _rss() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def nearest(matrix: Matrix, query: Vectors) -> Ids:
    """The ids of the `K` nearest, nearest first."""
    cosines = matrix.cosines(query)
    rows = np.argpartition(cosines, -K)[-K:]
    return matrix.ids[rows[np.argsort(-cosines[rows])]]


def _ms(search: Callable[[Vectors], Any], query: Vectors, *, before: Callable[[], Any] = int) -> float:
    before()
    start = time.perf_counter()
    search(query)
    return (time.perf_counter() - start) * 1_000


def _ratio(times: list[tuple[float, float]]) -> float:
    floats, ours = zip(*times, strict=True)
    return float(statistics.median(ours) / statistics.median(floats))


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def main() -> None:
    parser = measure.parser(__doc__)
    options = parser.parse_args()
    chance = np.random.default_rng(0)
    figures: dict[str, float] = {}
    for count in SIZES:
        with measure.folder() as folder:
            found = asyncio.run(in_a_store(count, folder, chance)) | one(count, chance)
        figures |= {f"{name}_{count}": value for name, value in found.items()}
        gc.collect()
    for size, larger in itertools.pairwise(SIZES):
        for name in GROWS:
            figures[f"growth_{name}_{size}_to_{larger}"] = figures[f"{name}_{larger}"] / figures[f"{name}_{size}"]
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
