"""Fit the small judges of learning on `benchmarks/texts/`; prints how they do on authors they were not fitted on.

`scripts/fit-heads` writes `config/heads/*.npz`.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Sample:
    """What a judge is fitted on: signs, vectors and labels of its rows, and who wrote each."""

    signs: Floats
    vectors: Floats
    labels: Floats
    authors: list[str]

    def report(self, name: str, *, penalty: float) -> None:
        scaled = (self.signs - self.signs.mean(0)) / (self.signs.std(0) + 1e-6)
        both = np.hstack([scaled, VECTOR_SCALE * self.vectors])
        for how, given in (("signs alone", scaled), ("with vectors", both)):
            report(f"{name}, {how}", held_out(given, self.labels, self.authors, penalty=penalty), self.labels)

    def save(self, path: Path, *, penalty: float) -> None:
        save(path, self.signs, self.vectors, self.labels, penalty=penalty)


async def of_sentences(embedder: GgufEmbedder) -> Sample:
    given = rows("sentences.jsonl")
    texts = [row["text"] for row in given]
    return Sample(
        Worth(HEADS).signs(texts).astype(np.float64),
        (await embedder.embed(texts)).astype(np.float64),
        np.array([row["label"] == "fact" for row in given], np.float64),
        [row["voice"].partition(":")[0] for row in given],
    )


async def of_pairs(embedder: GgufEmbedder) -> Sample:
    given, judge = rows("pairs.jsonl"), Replacement(HEADS)
    new = await embedder.embed([row["new"] for row in given])
    old = await embedder.embed([row["old"] for row in given])
    pairs = list(zip(given, new, old, strict=True))
    return Sample(
        np.array([judge.signs(Said(row["new"], n), Said(row["old"], o)) for row, n, o in pairs], np.float64),
        np.array([pair_vector(n, o) for _, n, o in pairs], np.float64),
        np.array([row["label"] == "replaces" for row in given], np.float64),
        [row["author"] for row in given],
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print the figures, write nothing")
    parser.add_argument("--quick", action="store_true", help="write the weights, print no figures")
    options = parser.parse_args()
    embedder = GgufEmbedder.open(EMBEDDER, threads=2)
    judged = {"worth": (await of_sentences(embedder), 10), "replacement": (await of_pairs(embedder), 5)}
    for name, (sample, penalty) in judged.items():
        if not options.quick:
            sample.report(name, penalty=penalty)
        if not options.dry_run:
            sample.save(HEADS / f"{name}.npz", penalty=penalty)
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
