"""Fit the small judges of learning on `benchmarks/texts/`; prints how they do on authors they were not fitted on.

`scripts/fit-heads` writes `config/heads/*.npz`.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.judges.heads import VECTOR_SCALE
from pi_memory.judges.replacement import Replacement, Said, pair_vector
from pi_memory.judges.worth import Worth

ROOT = Path(__file__).parents[1]
TEXTS, HEADS = ROOT / "benchmarks" / "texts", ROOT / "config" / "heads"
EMBEDDER = Path(".venv/share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf")
Floats = npt.NDArray[np.float64]
STEPS = 12


def fit(rows: Floats, labels: Floats, *, penalty: float) -> Floats:
    """Weights and, last, the bias of a logistic regression with an L2 penalty, by Newton's method."""
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    weights, ridge = np.zeros(rows.shape[1]), np.full(rows.shape[1], penalty)
    ridge[-1] = 1e-6
    for _ in range(STEPS):
        chances = _chances(rows, weights)
        curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(curvature, rows.T @ (chances - labels) + ridge * weights)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def held_out(rows: Floats, labels: Floats, groups: Sequence[str], *, penalty: float) -> Floats:
    """The chance of each row by weights that were fitted without its group."""
    found, group_of = np.zeros(len(labels)), np.array(groups)
    for group in sorted(set(groups)):
        of_it = group_of == group
        weights = fit(rows[~of_it], labels[~of_it], penalty=penalty)
        found[of_it] = _chances(np.hstack([rows[of_it], np.ones((int(of_it.sum()), 1))]), weights)
    return found


def _chances(rows: Floats, weights: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
    return found


def report(name: str, chances: Floats, labels: Floats) -> None:
    wrong = np.sort(chances[labels == 0])[::-1]
    for share in (0.02, 0.05, 0.1):
        threshold = wrong[int(share * len(wrong))]
        kept = np.mean(chances[labels == 1] > threshold)
        print(f"{name:28} kept {kept:.3f} at {share:.2f} false (from {threshold:.2f})")


def save(path: Path, signs: Floats, vectors: Floats, labels: Floats, *, penalty: float) -> None:
    mean, deviation = signs.mean(0), signs.std(0) + 1e-6
    scaled = (signs - mean) / deviation
    alone, both = (
        fit(scaled, labels, penalty=penalty),
        fit(np.hstack([scaled, VECTOR_SCALE * vectors]), labels, penalty=penalty),
    )
    count = signs.shape[1]
    np.savez_compressed(
        path, space="all-MiniLM-L6-v2", mean=mean.astype(np.float32), deviation=deviation.astype(np.float32),
        signs=alone[:-1].astype(np.float32), signs_bias=alone[-1], both_signs=both[:count].astype(np.float32),
        both_vector=both[count:-1].astype(np.float16), both_bias=both[-1],
    )  # fmt: skip


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TEXTS / name).read_text(encoding="utf-8").splitlines()]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print the figures, write nothing")
    options = parser.parse_args()
    embedder = GgufEmbedder.open(EMBEDDER, threads=2)
    sentences = rows("sentences.jsonl")
    texts = [row["text"] for row in sentences]
    vectors = (await embedder.embed(texts)).astype(np.float64)
    signs = Worth(HEADS).signs(texts).astype(np.float64)
    labels = np.array([row["label"] == "fact" for row in sentences], np.float64)
    authors = [row["voice"].partition(":")[0] for row in sentences]
    scaled = (signs - signs.mean(0)) / (signs.std(0) + 1e-6)
    report("worth, signs alone", held_out(scaled, labels, authors, penalty=3), labels)
    report(
        "worth, with vectors",
        held_out(np.hstack([scaled, VECTOR_SCALE * vectors]), labels, authors, penalty=10),
        labels,
    )
    pairs = rows("pairs.jsonl")
    new = await embedder.embed([row["new"] for row in pairs])
    old = await embedder.embed([row["old"] for row in pairs])
    judge = Replacement(HEADS)
    of_pairs = np.array(
        [judge.signs(Said(r["new"], n), Said(r["old"], o)) for r, n, o in zip(pairs, new, old, strict=True)], np.float64
    )
    both = np.array([pair_vector(n, o) for n, o in zip(new, old, strict=True)], np.float64)
    ends = np.array([row["label"] == "replaces" for row in pairs], np.float64)
    authors = [row["author"] for row in pairs]
    scaled = (of_pairs - of_pairs.mean(0)) / (of_pairs.std(0) + 1e-6)
    report("replacement, signs alone", held_out(scaled, ends, authors, penalty=5), ends)
    report(
        "replacement, with vectors", held_out(np.hstack([scaled, VECTOR_SCALE * both]), ends, authors, penalty=5), ends
    )
    if not options.dry_run:
        save(HEADS / "worth.npz", signs, vectors, labels, penalty=10)
        save(HEADS / "replacement.npz", of_pairs, both, ends, penalty=5)
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
