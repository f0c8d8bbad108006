"""The move of a question's vector: towards its answers, and only for the embedder that it was fitted for."""

import asyncio

import numpy as np
import pytest

from benchmarks import _question_vectors
from benchmarks._question_vectors import Household
from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.embedding.questions import Questions, packed, unpacked
from pi_memory.types import Vectors
from tests.test_conflicts import MINILM, NEEDS_MINILM

QUESTIONS = Questions(Config().folder("heads"))
HOUSEHOLD = (
    ("The fuse box is behind the coats in the hall.", "The lights went out, where do I look?"),
    ("Ines takes half a tablet of Levanol with breakfast.", "What medicine must my wife not forget in the morning?"),
    ("The chimney sweep comes on the ninth of March.", "When does the man come who cleans the flue?"),
    ("Our landlady is Mrs. Bracegirdle, she lives in Truro.", "Who do we rent from?"),
    ("The good scissors are in the drawer under the phone.", "I want to cut wrapping paper, what with?"),
    ("Freight goes with Holloway, they collect at four.", "Who fetches the parcels in the afternoon?"),
    ("The dishwasher needs descaling every six weeks.", "How often does the machine for the plates want cleaning?"),
    ("My shoes are a wide 43.", "What size do I wear on my feet?"),
)


def unit(size: int, seed: int) -> Vectors:
    made = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    found: Vectors = made / np.linalg.norm(made)
    return found


def test_a_question_is_moved_for_the_embedder_that_it_was_fitted_for() -> None:
    question = unit(384, 1)
    moved, less = QUESTIONS.moved(question, "all-MiniLM-L6-v2-1a2b3c4d")
    assert np.linalg.norm(moved) == pytest.approx(1, abs=1e-5)
    assert 0.5 < float(moved @ question) < 0.999
    assert 0 <= less < 0.1
    same, nothing = QUESTIONS.moved(question, "bge-small-en")
    assert (same is question, nothing) == (True, 0.0)


@NEEDS_MINILM
def test_answers_lie_nearer_to_where_questions_are_moved() -> None:
    async def margins() -> list[float]:
        embedder = GgufEmbedder.open(MINILM, threads=1)
        facts = await embedder.embed([fact for fact, _ in HOUSEHOLD])
        asked = await embedder.embed([question for _, question in HOUSEHOLD])
        await embedder.close()
        found = []
        for questions in (asked, np.stack([QUESTIONS.moved(each, embedder.id)[0] for each in asked])):
            cosines = questions @ facts.T
            right = np.diag(cosines).copy()
            np.fill_diagonal(cosines, -1)
            found.append(float((right - cosines.max(1)).mean()))
        return found

    before, after = asyncio.run(margins())
    assert after > before


def test_the_matrix_is_kept_in_a_byte_a_number() -> None:
    matrix = np.stack([unit(40, seed) for seed in range(5)], axis=1)
    kept = packed(matrix)
    from_kept = unpacked(kept)
    assert np.abs(from_kept - matrix).max() <= max(kept["scales"])


def test_what_is_fitted_brings_questions_to_their_facts() -> None:
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(12, 12)))[0].astype(np.float32)
    known = []
    for seed in range(4):
        facts = np.stack([unit(12, 100 * seed + number) for number in range(8)])
        questions = facts @ (np.eye(12, dtype=np.float32) + 2.0 * turn)
        questions /= np.linalg.norm(questions, axis=1, keepdims=True)
        known.append(Household(str(seed), facts, questions, np.arange(8)))
    matrix = _question_vectors.fitted(known[:3])
    before, after = _question_vectors.places(known[3:]), _question_vectors.places(known[3:], matrix)
    assert after.mean() < before.mean()
    assert _question_vectors.nearness(known[3:], matrix) > _question_vectors.nearness(known[3:])
