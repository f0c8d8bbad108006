"""Fit how the vector of a question moves to where its answers lie, on `questions.jsonl` and `asked.jsonl` of
`benchmarks/texts`.

For the one, ten authors wrote six households each: forty facts as one tells them, how one asks for each in other words
weeks later, twice and as a spoken fragment, and what nobody told. The other asks so for a hundred statements of each of
fifteen authors. Each question has to choose its fact among those of its household
and others, by a softmax of the cosines; the matrix is held near nothing, and what is left of it is of low rank.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pi_memory.embedding.questions import packed
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

TEXTS = Path(__file__).parent / "texts"
SHARPNESS, HOLD, RATE, STEPS = 20.0, 0.02, 0.001, 30
OTHERS = 100
"""Facts of other households that each question is held against besides, anew in each step."""
RANK, PARTS = 32, 4
Labels = npt.NDArray[np.int64]


@dataclass
class Household:
    """Vectors of its facts, shape (facts, dimensions), and of the questions, with the fact that answers each."""

    author: str
    facts: Vectors
    questions: Vectors
    answers: Labels


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TEXTS / name).read_text(encoding="utf-8").splitlines()]


def asked() -> dict[str, list[dict[str, Any]]]:
    """Facts with their questions, by household; its first letter, or the author's name, says who wrote it."""
    worlds: dict[str, list[dict[str, Any]]] = {}
    for row in rows("questions.jsonl"):
        if "says" in row:
            worlds.setdefault(row["world"], []).append(row)
    sentences = rows("sentences.jsonl")
    for row in rows("asked.jsonl"):
        said = sentences[row["sentence"]]
        worlds.setdefault(said["voice"], []).append({**row, "says": said["text"]})
    return worlds


async def households(embedder: Embedder) -> list[Household]:
    found = []
    for world, facts in asked().items():
        wordings = [(text, number) for number, row in enumerate(facts) for text in (*row["questions"], row["spoken"])]
        said = await embedder.embed([row["says"] for row in facts])
        questions = await embedder.embed([text for text, _ in wordings])
        author = world.partition("-")[0].partition(":")[0]
        found.append(Household(author, said, questions, np.array([number for _, number in wordings])))
    return found


def fitted(known: Sequence[Household]) -> Vectors:
    """The matrix that is added to a question, shape (dimensions, dimensions), by Adam."""
    size = known[0].facts.shape[1]
    matrix, mean, square = (np.zeros((size, size), np.float32) for _ in range(3))
    every, chance = np.concatenate([each.facts for each in known]), np.random.default_rng(0)
    count = sum(len(each.questions) for each in known)
    for step in range(1, STEPS + 1):
        others = every[chance.choice(len(every), OTHERS)]
        slope = HOLD * matrix
        for each in known:
            facts = np.concatenate([each.facts, others])
            likely = SHARPNESS * (each.questions + each.questions @ matrix) @ facts.T
            likely = np.exp(likely - likely.max(1, keepdims=True))
            likely /= likely.sum(1, keepdims=True)
            likely[np.arange(len(likely)), each.answers] -= 1
            slope += SHARPNESS * each.questions.T @ (likely @ facts) / count
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        matrix -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return matrix


def of_low_rank(matrix: Vectors) -> tuple[Vectors, Vectors]:
    """Its two factors, shapes (dimensions, RANK) and (RANK, dimensions)."""
    left, sizes, right = np.linalg.svd(matrix)
    root = np.sqrt(sizes[:RANK])
    return left[:, :RANK] * root, root[:, None] * right[:RANK]


def moved(questions: Vectors, matrix: Vectors) -> Vectors:
    found = questions + questions @ matrix
    unit: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def places(known: Sequence[Household], matrix: Vectors | None = None) -> Labels:
    """The place of each question's answer among the facts of its household, from 0."""
    found = []
    for each in known:
        cosines = (each.questions if matrix is None else moved(each.questions, matrix)) @ each.facts.T
        right = cosines[np.arange(len(cosines)), each.answers]
        found.append((cosines > right[:, None]).sum(1))
    return np.concatenate(found)


def nearness(known: Sequence[Household], matrix: Vectors | None = None) -> float:
    """The mean cosine of a question and its answer."""
    every = [
        ((each.questions if matrix is None else moved(each.questions, matrix)) * each.facts[each.answers]).sum(1)
        for each in known
    ]
    return float(np.concatenate(every).mean())


def report(known: Sequence[Household]) -> None:
    """How often the answer is the nearest fact and among three, by authors that nothing was fitted on."""
    found = [places(of_it, fitted_without) for of_it, fitted_without in _parts(known)]
    for name, places_of in (("as embedded", places(known)), ("moved", np.concatenate(found))):
        print(
            f"{f'questions, {name}':28} nearest {(places_of < 1).mean():.3f}, among three {(places_of < 3).mean():.3f}"
        )


def _parts(known: Sequence[Household]) -> Iterator[tuple[list[Household], Vectors]]:
    """A quarter of the authors at a time, with the matrix that is fitted on the others."""
    authors = sorted({each.author for each in known})
    for part in (set(authors[start::PARTS]) for start in range(PARTS)):
        down, up = of_low_rank(fitted([each for each in known if each.author not in part]))
        yield [each for each in known if each.author in part], down @ up


def lost(known: Sequence[Household]) -> float:
    """By how much less near answers are to questions that are moved, of authors that nothing was fitted on."""
    before, after = zip(*((nearness(each), nearness(each, matrix)) for each, matrix in _parts(known)), strict=True)
    return float(np.mean(before) - np.mean(after))


async def run(embedder: Embedder, *, path: Path | None, quick: bool) -> None:
    """Print the figures, unless it is to be `quick`, and write the matrix to `path`, if any."""
    known = await households(embedder)
    if not quick:
        report(known)
    if path is not None:
        save(path, known)


def save(path: Path, known: Sequence[Household]) -> None:
    down, up = of_low_rank(fitted(known))
    less = round(lost(known), 3)
    kept = {"space": "all-MiniLM-L6-v2", "less": less, "down": packed(down), "up": packed(up)}
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in kept.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
