"""The learned judges: weights of signs, of vectors of the embedder that they were fitted on, and of what it reads."""

import asyncio
import json
from pathlib import Path

import numpy as np

from benchmarks import fit_heads
from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.judges.heads import Reading, Signs, SignsAndVectors
from tests.test_conflicts import MINILM, NEEDS_MINILM

HEADS = Config().folder("heads")


def test_vectors_of_another_embedder_are_not_judged_by() -> None:
    head = SignsAndVectors.load(HEADS / "replacement.json")
    assert head.fits(f"{head.space}-1a2b3c4d")
    assert not head.fits("all-MiniLM-L6-v2-1a2b3c4d")


@NEEDS_MINILM
def test_the_judges_are_fitted_for_the_embedder_with_its_adapters() -> None:
    embedder = GgufEmbedder.open(MINILM, adapters=Config().folder("adapters"))
    assert SignsAndVectors.load(HEADS / "replacement.json").fits(embedder.id)
    for name, purpose, texts in (
        ("pairs", "pairs", ("the pump", "a pump")),
        ("worth-read", "sentences", ("the pump",)),
        ("asked-read", "sentences", ("which pump?",)),
    ):
        read = asyncio.run(embedder.read([texts], purpose))  # type: ignore[arg-type]
        assert read is not None
        assert Reading.load(HEADS / f"{name}.json").chances(read).shape == (1,)
    asyncio.run(embedder.close())


def test_chances_lie_between_0_and_1_with_and_without_vectors() -> None:
    head = SignsAndVectors.load(HEADS / "replacement.json")
    signs = np.eye(len(head.signs), dtype=np.float32) * 100
    vectors = np.ones((len(signs), len(head.vector)), np.float32)
    reading = Reading(head.vector, 0.5)
    for chances in (head.chances(signs, None), head.chances(signs, vectors), reading.chances(vectors * 100)):
        assert chances.shape == (len(signs),)
        assert ((chances >= 0) & (chances <= 1)).all()


def test_weights_are_read_as_they_were_fitted(tmp_path: Path) -> None:
    signs = np.random.default_rng(1).integers(0, 2, (40, 3)).astype(np.float64)
    labels, rows = signs[:, 0], signs.astype(np.float32)
    fit_heads.save(tmp_path / "signs.json", fit_heads.Sample(signs, labels, ["ada"] * 40), penalty=1.0, space="")
    assert "space" not in json.loads((tmp_path / "signs.json").read_text())
    both = fit_heads.Corrections(signs, labels, ["ada"] * 40, None, signs[:, :2], signs)
    fit_heads.save(tmp_path / "both.json", both, penalty=1.0, space="tiny")
    head = SignsAndVectors.load(tmp_path / "both.json")
    of_signs = Signs.load(tmp_path / "signs.json").chances(rows)
    for chances in (of_signs, head.chances(rows, None), head.chances(rows, rows[:, :2])):
        assert ((chances > 0.5) == (labels == 1)).all()
