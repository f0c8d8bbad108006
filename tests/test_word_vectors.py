"""The vectors of single words: embedded once, of one embedder, not more than are kept."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from pi_memory.embedding import word_vectors
from pi_memory.embedding.word_vectors import WordVectors
from pi_memory.types import Vectors
from tests.fakes import FakeEmbedder


class Counting(FakeEmbedder):
    """Notes what it has embedded."""

    def __init__(self, space: str) -> None:
        super().__init__()
        self.id = space
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return await super().embed(texts)


def test_a_word_is_embedded_once() -> None:
    async def main() -> None:
        embedder, known = Counting("a"), WordVectors()
        first = await known.of(["pump", "shed"], embedder)
        again = await known.of(["shed", "pump", "shed"], embedder)
        assert embedder.embedded == ["pump", "shed"]
        assert np.array_equal(again, first[[1, 0, 1]])
        assert np.allclose(first, await embedder.embed(["pump", "shed"]), atol=1e-3)

    asyncio.run(main())


def test_another_embedder_has_its_own() -> None:
    async def main() -> None:
        one, other, known = Counting("a"), Counting("b"), WordVectors()
        await known.of(["pump"], one)
        await known.of(["pump"], other)
        assert other.embedded == ["pump"]

    asyncio.run(main())


def test_the_words_asked_for_longest_ago_go(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        monkeypatch.setattr(word_vectors, "KEPT", 2)
        embedder, known = Counting("a"), WordVectors()
        for word in ("pump", "shed", "pump", "hose", "pump", "shed"):
            await known.of([word], embedder)
        assert embedder.embedded == ["pump", "shed", "hose", "shed"]

    asyncio.run(main())


def test_no_words_have_no_vectors() -> None:
    embedder = FakeEmbedder()
    assert asyncio.run(WordVectors().of([], embedder)).shape == (0, embedder.dimensions)
