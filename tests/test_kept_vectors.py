"""The vectors of words and sentences: embedded once, of one embedder, not more than are kept."""

import asyncio
from collections.abc import Sequence

import numpy as np

from pi_memory.embedding.kept_vectors import KeptVectors
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
        embedder, known = Counting("a"), KeptVectors(9)
        first = await known.of(["pump", "shed"], embedder)
        again = await known.of(["shed", "pump", "shed"], embedder)
        assert embedder.embedded == ["pump", "shed"]
        assert np.array_equal(again, first[[1, 0, 1]])
        assert np.allclose(first, await embedder.embed(["pump", "shed"]), atol=1e-3)

    asyncio.run(main())


def test_another_embedder_has_its_own() -> None:
    async def main() -> None:
        one, other, known = Counting("a"), Counting("b"), KeptVectors(9)
        await known.of(["pump"], one)
        await known.of(["pump"], other)
        assert other.embedded == ["pump"]

    asyncio.run(main())


def test_the_words_asked_for_longest_ago_go() -> None:
    async def main() -> None:
        embedder, known = Counting("a"), KeptVectors(2)
        for word in ("pump", "shed", "pump", "hose", "pump", "shed"):
            await known.of([word], embedder)
        assert embedder.embedded == ["pump", "shed", "hose", "shed"]

    asyncio.run(main())


def test_no_words_have_no_vectors() -> None:
    embedder = FakeEmbedder()
    assert asyncio.run(KeptVectors(9).of([], embedder)).shape == (0, embedder.dimensions)


def test_what_is_let_go_while_it_is_embedded_is_not_kept() -> None:
    class Slow(Counting):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            known.let_go()
            return await super().embed(texts)

    embedder, known = Slow("a"), KeptVectors(9)
    asyncio.run(known.of(["pump"], embedder))
    asyncio.run(known.of(["pump"], embedder))
    assert embedder.embedded == ["pump", "pump"]


def test_what_others_put_out_meanwhile_is_still_found() -> None:
    async def main() -> None:
        embedder, known = Counting("a"), KeptVectors(2)
        await known.of(["pump"], embedder)
        pairs = [["pump", "shed"], ["hose", "tap"], ["pump", "well"]]
        found = await asyncio.gather(*(known.of(pair, embedder) for pair in pairs))
        assert [len(each) for each in found] == [2, 2, 2]

    asyncio.run(main())
