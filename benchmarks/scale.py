"""The search for vectors in RAM at 1,000, 10,000 and 100,000 memories: time, memory, and what int8 costs in recall.

The ratio is of the product with all vectors, int8 over float32; `p50_ms` is that of the search, the ten nearest sorted.

The vectors lie in clusters, as texts do. Times are of one thread with cold caches, as a query finds them after a reply
of the model: between two searches, other memory is read. `warm` are those of searches right after each other.
"""

import gc
import itertools
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

# Read when numpy is imported: one thread for both sides.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from benchmarks import _measure as measure
from pi_memory.knowledge.vectors import Ids, Matrix, pack
from pi_memory.turn import Vectors

SIZES = (1_000, 10_000, 100_000)
DIMENSIONS, K = 384, 10
QUERIES = 60
CLUSTER = 20
"""Texts about the same thing."""
SPREAD = 0.7
"""How far a text lies from the middle of its cluster, by which the cosine in a cluster is 0.67 in the mean."""
CACHE = 64 * 2**20


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
        "p50_ms": statistics.median(whole),
        "ratio_to_float32_matvec": _ratio(cold),
        "ratio_to_float32_matvec_warm": _ratio(warm),
        "recall_at_10_vs_float32": statistics.mean(len(a & b) / K for a, b in zip(exact, found, strict=True)),
        "bytes_per_memory_ram": matrix.bytes / count,
    }


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
        figures |= {f"{name}_{count}": value for name, value in one(count, chance).items()}
        gc.collect()
    for size, larger in itertools.pairwise(SIZES):
        figures[f"growth_p50_{size}_to_{larger}"] = figures[f"p50_ms_{larger}"] / figures[f"p50_ms_{size}"]
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
