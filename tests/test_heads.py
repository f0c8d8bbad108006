"""The learned judges: weights of signs, and of vectors where they are those of the embedder they were fitted on."""

import asyncio
from pathlib import Path

import numpy as np

from benchmarks import fit_heads
from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.judges.heads import Head
from tests.test_conflicts import MINILM, NEEDS_MINILM

HEADS = Config().folder("heads")


def test_vectors_of_another_embedder_are_not_judged_by() -> None:
    head = Head.load(HEADS / "worth.json")
    assert head.fits(f"{head.space}-1a2b3c4d")
    assert not head.fits("all-MiniLM-L6-v2-1a2b3c4d")


@NEEDS_MINILM
def test_the_judges_are_fitted_for_the_embedder_with_its_adapter() -> None:
    embedder = GgufEmbedder.open(MINILM, adapters=Config().folder("adapters"))
    asyncio.run(embedder.close())
    assert all(Head.load(HEADS / f"{name}.json").fits(embedder.id) for name in ("worth", "replacement"))


def test_chances_lie_between_0_and_1_with_and_without_vectors() -> None:
    head = Head.load(HEADS / "worth.json")
    signs = np.eye(len(head.mean), dtype=np.float32) * 100
    vectors = np.ones((len(signs), len(head.both_vector)), np.float32)
    for chances in (head.chances(signs, None), head.chances(signs, vectors)):
        assert chances.shape == (len(signs),)
        assert ((chances >= 0) & (chances <= 1)).all()


def test_weights_are_read_as_they_were_fitted(tmp_path: Path) -> None:
    signs = np.random.default_rng(1).integers(0, 2, (40, 3)).astype(np.float64)
    sample = fit_heads.Sample(signs, signs[:, :2], signs[:, 0], ["ada"] * 40, signs_alone=signs)
    fit_heads.save(tmp_path / "kept.json", sample, penalty=1.0, space="tiny")
    head, rows = Head.load(tmp_path / "kept.json"), signs.astype(np.float32)
    for chances in (head.chances(rows, None), head.chances(rows, rows[:, :2])):
        assert ((chances > 0.5) == (signs[:, 0] == 1)).all()
