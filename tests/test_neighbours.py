"""What is like a text: by its words, and by its meaning on a scale that is measured once."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pi_memory.embedding.calibration import UNRELATED, Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.embedding.quantized import Matrix, pack
from pi_memory.embedding.reading import Purpose, Text
from pi_memory.errors import EmbedderError
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.merging.neighbours import Nearby, NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.retrieval.ram_index import Item, RamIndex
from pi_memory.store.database import Database
from pi_memory.types import Candidate, Vectors
from pi_memory.worker import Worker
from tests.fakes import FakeClock, FakeEmbedder, FakeReader

OF_NO_TERMS = "it is the one of them"
"""Only words that no search looks for."""


class Counting(FakeEmbedder):
    """Keeps what it embeds, and fails when told to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.embedded: list[str] = []
        self._fails = fails

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self._fails:
            raise EmbedderError("broken", hint="")
        self.embedded += texts
        return await super().embed(texts)


async def loaded(embedder: Embedder) -> Loader[Embedder]:
    async def load() -> Embedder:
        return embedder

    loader: Loader[Embedder] = Loader(load, fallback=NoEmbedder())
    loader.start()
    await loader.ready()
    return loader


def around(folder: Path, embedder: Embedder, query: str) -> Nearby:
    """What is found in a store of two memories, of which one has its vector."""

    async def run() -> Nearby:
        db = await Database.open(folder / "memory.db")
        memories, index = Memories(db, clock=FakeClock()), RamIndex()
        for content in (OF_NO_TERMS, "the valve leaks"):
            await memories.add(Candidate(content), origin="api")
        index.matrix = Matrix(FakeEmbedder.dimensions)
        index.put([Item(1, 1, "user", 10, pack(await FakeEmbedder().embed([OF_NO_TERMS])))])
        found = await NeighbourSearch(memories, index, Scale(await loaded(embedder)), worker=Worker("compute")).of(
            query
        )
        await db.close()
        return found

    return asyncio.run(run())


def test_what_shares_no_term_is_found_by_its_meaning(tmp_path: Path) -> None:
    embedder = Counting()
    found = around(tmp_path, embedder, OF_NO_TERMS)
    (neighbour,) = found.neighbours
    assert neighbour.cosine is not None
    assert found.scale.same <= neighbour.cosine
    assert found.embedding is not None
    assert np.isclose(neighbour.cosine, 1.0, atol=0.02)
    assert embedder.embedded.count(OF_NO_TERMS) == 1


def test_what_has_no_vector_is_found_by_its_words(tmp_path: Path) -> None:
    found = around(tmp_path, Counting(), "a valve")
    assert {n.memory.id: n.cosine is None for n in found.neighbours} == {1: False, 2: True}


def test_words_serve_without_an_embedder_and_while_it_fails(tmp_path: Path) -> None:
    for embedder in (NoEmbedder(), Counting(fails=True)):
        folder = tmp_path / type(embedder).__name__
        folder.mkdir()
        found = around(folder, embedder, "the valve")
        assert [(n.memory.id, n.cosine) for n in found.neighbours] == [(2, None)]
        assert found.embedding is None


class FailingReader(FakeReader):
    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        raise EmbedderError("broken", hint="")


def test_pairs_are_read_by_an_embedder_that_can_and_by_no_other() -> None:
    async def read(embedder: Embedder) -> list[str]:
        search = NeighbourSearch(None, RamIndex(), Scale(await loaded(embedder)), worker=Worker("compute"))  # type: ignore[arg-type]
        return [*await search.read("the valve is new", ["the valve is old", "the pump"])]

    assert asyncio.run(read(FakeReader())) == ["the valve is old", "the pump"]
    for embedder in (FakeEmbedder(), NoEmbedder(), FailingReader()):
        assert asyncio.run(read(embedder)) == []


def test_the_scale_is_measured_once_for_all() -> None:
    embedder = Counting()

    async def run() -> None:
        scale = Scale(await loaded(embedder))
        first, second = await asyncio.gather(scale.measured(), scale.measured())
        assert first is second

    asyncio.run(run())
    assert embedder.embedded.count(UNRELATED[0]) == 1
