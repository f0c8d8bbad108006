"""Texts that are embedded once though several ask for them."""

import asyncio
from collections.abc import Sequence

import numpy as np

from pi_memory.embedding.recent import KEPT, RecentEmbedder
from pi_memory.embedding.token_codes import NO_TOKENS
from pi_memory.types import Vectors
from tests.fakes import FakeEmbedder, FakeReader, FakeTokenEmbedder


class CountingTokens(FakeTokenEmbedder):
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return await super().embed(texts)


class Counting(FakeEmbedder):
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return await super().embed(texts)


def test_a_text_is_embedded_once() -> None:
    async def main() -> None:
        real = Counting()
        recent = RecentEmbedder(real)
        await recent.embed(["the pump"])
        vectors = await recent.embed(["the valve", "the pump", "the valve"])
        assert real.asked == ["the pump", "the valve"]
        np.testing.assert_array_equal(vectors, await real.embed(["the valve", "the pump", "the valve"]))

    asyncio.run(main())


def test_tokens_and_vectors_of_a_text_are_one_evaluation() -> None:
    async def main() -> None:
        real = CountingTokens()
        recent = RecentEmbedder(real)
        await recent.embed(["the valve"])
        vectors, tokens = await recent.embed_tokens(["the pump", "the valve"])
        again, same = await recent.embed_tokens(["the valve"])
        assert real.asked == ["the valve", "the pump"]
        assert [each.words for each in tokens] == [("the", "pump"), ("the", "valve")]
        assert same[0] is tokens[1]
        np.testing.assert_array_equal(again[0], vectors[1])
        np.testing.assert_array_equal((await recent.embed(["the pump"]))[0], vectors[0])

    asyncio.run(main())


def test_an_embedder_without_tokens_gives_none() -> None:
    vectors, tokens = asyncio.run(RecentEmbedder(FakeEmbedder()).embed_tokens(["the pump"]))
    assert vectors.shape == (1, FakeEmbedder.dimensions)
    assert tokens == [NO_TOKENS]


def test_the_last_texts_are_remembered_and_no_batch() -> None:
    async def main() -> None:
        real = Counting()
        recent = RecentEmbedder(real)
        await recent.embed(["first"])
        await recent.embed([f"text {number}" for number in range(KEPT + 1)])
        await recent.embed(["first"])
        assert real.asked.count("first") == 1
        for number in range(KEPT):
            await recent.embed([f"other {number}"])
        await recent.embed(["first"])
        assert real.asked.count("first") == 2

    asyncio.run(main())


def test_pairs_are_read_by_the_embedder_if_it_reads_any() -> None:
    pairs = [("the pump is old", "the pump is new")]
    assert asyncio.run(RecentEmbedder(FakeEmbedder()).read(pairs, "pairs")) is None
    np.testing.assert_array_equal(
        asyncio.run(RecentEmbedder(FakeReader()).read(pairs, "pairs")), asyncio.run(FakeReader().read(pairs, "pairs"))
    )
