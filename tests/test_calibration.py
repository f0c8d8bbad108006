"""Thresholds that are measured: they hold for texts that were not measured."""

import asyncio
import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from pi_memory.config import Config
from pi_memory.embedding.calibration import NEVER, PARAPHRASES, UNRELATED, Calibration, calibrate
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.embedding.none import NoEmbedder
from pi_memory.types import Vectors
from tests.gguf_bert import export_minilm_or_skip

HELD_OUT_PARAPHRASES = [
    ("fix the failing test in the parser", "repair the parser test that does not pass"),
    ("my favourite colour is green", "green is the colour I like best"),
    ("the database file is locked by another process", "another process holds a lock on the database file"),
    ("we will meet at the station at noon", "let us meet at twelve at the train station"),
    ("the old bridge is closed for repairs", "they closed the old bridge to repair it"),
    (
        "add a button that exports the table as a spreadsheet",
        "put in a button for exporting the table to a spreadsheet",
    ),
    ("he is allergic to peanuts", "peanuts give him an allergic reaction"),
    ("the light in the kitchen is broken", "the kitchen lamp does not work"),
]


class Crowded:
    """A space where all texts are close, as in some models: here a fixed part outweighs the rest."""

    id = "crowded"
    dimensions = 64

    async def embed(self, texts: Sequence[str]) -> Vectors:
        random = np.random.default_rng(len(texts))
        vectors = random.normal(size=(len(texts), self.dimensions)) + 3
        unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    async def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Calibration, Vectors]:
    async def run() -> tuple[Calibration, Vectors]:
        embedder = GgufEmbedder.open(export_minilm_or_skip(tmp_path_factory.mktemp("minilm")))
        vectors = await embedder.embed([text for pair in HELD_OUT_PARAPHRASES for text in pair])
        calibration = await calibrate(embedder)
        await embedder.close()
        return calibration, vectors

    return asyncio.run(run())


def test_held_out_unrelated_pairs_stay_below_related(measured: tuple[Calibration, Vectors]) -> None:
    calibration, vectors = measured
    cosines = [float(a @ b) for a, b in combinations(vectors[0::2], 2)]
    assert max(cosines) < calibration.related


def test_held_out_paraphrases_reach_same(measured: tuple[Calibration, Vectors]) -> None:
    calibration, vectors = measured
    cosines = np.sum(vectors[0::2] * vectors[1::2], axis=1)
    assert min(cosines) > calibration.related
    assert np.mean(cosines > calibration.same) >= 0.75


def test_thresholds_are_in_order(measured: tuple[Calibration, Vectors]) -> None:
    calibration, _ = measured
    assert 0 < calibration.unrelated_mean < calibration.related < calibration.same < calibration.paraphrase_mean < 1


def test_in_a_space_where_meaning_does_not_show_nothing_matches() -> None:
    calibration = asyncio.run(calibrate(Crowded()))
    assert calibration.unrelated_mean > 0.8
    assert calibration.related == calibration.same > 0.99


def test_without_dimensions_nothing_ever_matches() -> None:
    assert asyncio.run(calibrate(NoEmbedder())) == NEVER
    assert math.inf in (NEVER.related, NEVER.same)


def test_the_built_in_phrases_are_distinct_and_not_the_held_out_ones() -> None:
    built_in = [*UNRELATED, *(text for pair in PARAPHRASES for text in pair)]
    held_out = [text for pair in HELD_OUT_PARAPHRASES for text in pair]
    assert len(set(built_in + held_out)) == len(built_in) + len(held_out)


def test_an_answer_is_held_to_what_answers_are_near_in_this_space(tmp_path: Path) -> None:
    """With the adapter that is shipped questions are nearer to answers, and to all else: more is asked of them."""
    scales = []
    for adapters in (None, Config().folder("adapters")):
        embedder = GgufEmbedder.open(export_minilm_or_skip(tmp_path), adapters=adapters)
        scales.append(asyncio.run(calibrate(embedder)).answer_scale)
        asyncio.run(embedder.close())
    assert 0.5 < scales[1] < scales[0] < 2
    assert asyncio.run(calibrate(Crowded())).answer_scale == 1
