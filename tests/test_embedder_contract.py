"""What every embedder keeps, real or fake."""

import asyncio
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from pi_memory.config import Config
from pi_memory.embedding import reading
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.embedding.none import NoEmbedder
from pi_memory.embedding.recent import RecentEmbedder
from pi_memory.embedding.sentence_transformers import SentenceTransformersEmbedder, installed
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors
from tests.fakes import FakeEmbedder, FakeReader
from tests.gguf_bert import bundled_or_skip, export_minilm_or_skip, write_bert_gguf

TEXTS = [
    "water the tomatoes",
    "",
    "def parse(line: str) -> dict[str, int]: ...",
    "Fünf süße Äpfel, 한국어, 日本語, and 👩‍👩‍👧",
    "nul \x00, half a surrogate \ud83d, bell \x07",
    "   \n\t  ",
    "long " * 700,
    "x" * 5000,
    "water the tomatoes",
]


KINDS = ["fake", "reader", "recent", "none", "gguf-tiny", "gguf-minilm", "gguf-adapted", "sentence-transformers"]
Opener = Callable[[], Embedder]


@pytest.fixture(scope="session", params=KINDS)
def opener(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opener:
    folder = tmp_path_factory.mktemp("models")
    match request.param:
        case "fake":
            return FakeEmbedder
        case "reader":
            return FakeReader
        case "recent":
            return lambda: RecentEmbedder(FakeEmbedder())
        case "none":
            return NoEmbedder
        case "gguf-tiny":
            return partial(GgufEmbedder.open, write_bert_gguf(folder / "tiny-bert.gguf"))
        case "gguf-minilm":
            return partial(GgufEmbedder.open, export_minilm_or_skip(folder))
        case "gguf-adapted":
            adapters = Config().folder("adapters")
            return partial(GgufEmbedder.open, export_minilm_or_skip(folder), adapters=adapters)
        case _:
            return sentence_transformers()


def sentence_transformers() -> Opener:
    if not installed():
        pytest.skip("sentence-transformers is not installed: pip install 'pi-memory[sentence-transformers]'")
    return partial(SentenceTransformersEmbedder.open, bundled_or_skip())


@pytest.fixture(scope="session")
def embedder(opener: Opener) -> Embedder:
    return opener()


def test_vectors_are_float32_in_the_order_of_the_texts(embedder: Embedder) -> None:
    vectors = asyncio.run(embedder.embed(TEXTS))
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[0], vectors[-1], atol=1e-3)


def test_vectors_have_unit_length(embedder: Embedder) -> None:
    lengths = np.linalg.norm(asyncio.run(embedder.embed(TEXTS)), axis=1)
    np.testing.assert_allclose(lengths, 1 if embedder.dimensions else 0, atol=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert asyncio.run(embedder.embed([])).shape == (0, embedder.dimensions)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    async def both() -> tuple[Vectors, Vectors]:
        together = await embedder.embed(TEXTS[:5])
        alone = [await embedder.embed([text]) for text in TEXTS[:5]]
        return together, np.concatenate(alone)

    together, alone = asyncio.run(both())
    np.testing.assert_allclose(np.sum(together * alone, axis=1), 1 if embedder.dimensions else 0, atol=1e-3)


def test_callers_at_the_same_time_get_their_own_vectors(embedder: Embedder) -> None:
    async def many() -> list[Vectors]:
        return await asyncio.gather(*(embedder.embed([text, text]) for text in TEXTS[:3]))

    expected = asyncio.run(embedder.embed(TEXTS[:3]))
    for pair, vector in zip(asyncio.run(many()), expected, strict=True):
        np.testing.assert_allclose(pair, np.stack([vector, vector]), atol=0.02)


def test_the_id_names_the_space_and_not_the_object(opener: Opener, embedder: Embedder) -> None:
    again = opener()
    assert embedder.id
    assert (again.id, again.dimensions) == (embedder.id, embedder.dimensions)
    asyncio.run(again.close())


def test_closing_twice_is_closing_once(opener: Opener) -> None:
    async def close_twice() -> None:
        one = opener()
        await one.embed(["text"])
        await one.close()
        await one.close()

    asyncio.run(close_twice())


def test_pairs_are_read_in_their_order_or_not_at_all(embedder: Embedder) -> None:
    given = [(text, "The pump is in the cellar.") for text in TEXTS]
    found = asyncio.run(reading.read(embedder, given, "pairs"))
    if found is None:
        return
    assert found.shape == (len(TEXTS), embedder.dimensions)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[0], found[-1], atol=1e-3)
    none = asyncio.run(reading.read(embedder, [], "pairs"))
    assert none is not None
    assert none.shape == (0, embedder.dimensions)


def test_by_its_words_a_text_has_a_unit_vector_and_is_near_to_itself(embedder: Embedder) -> None:
    found = asyncio.run(reading.by_words(embedder, TEXTS))
    assert found.shape == (len(TEXTS), embedder.dimensions)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), float(embedder.dimensions > 0), atol=1e-3)
    np.testing.assert_allclose(found[0], found[-1], atol=1e-2)
    if not isinstance(embedder, reading.ReadingEmbedder):
        np.testing.assert_allclose(found, asyncio.run(embedder.embed(TEXTS)), atol=0.02)
