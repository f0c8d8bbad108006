"""A question and a statement read as one: whether the statement answers."""

import asyncio

import pytest

from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.embedding.none import NoEmbedder
from pi_memory.judges.rereading import Rereading
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors
from tests.fakes import FakeReader
from tests.test_conflicts import MINILM, NEEDS_MINILM

HEADS = Config().folder("heads")


def read(embedder: Embedder, question: str, *statements: str) -> Vectors | None:
    async def load() -> Embedder:
        return embedder

    async def main() -> Vectors | None:
        loader: Loader[Embedder] = Loader(load, fallback=NoEmbedder())
        loader.start()
        await loader.ready()
        found = await Rereading(HEADS, loader).answers(question, statements)
        await embedder.close()
        return found

    return asyncio.run(main())


@NEEDS_MINILM
@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("What is the server called?", "My server is called walnut.", "The server is in the cupboard."),
        ("Where is the server?", "The server is in the cupboard.", "My server is called walnut."),
    ],
)
def test_what_answers_is_likelier_than_what_is_about_the_same(question: str, answer: str, other: str) -> None:
    found = read(GgufEmbedder.open(MINILM, adapters=Config().folder("adapters")), question, answer, other)
    assert found is not None
    assert found.shape == (2,)
    assert found[0] > found[1] + 1


def test_nothing_is_read_without_an_embedder_that_reads_and_of_nothing() -> None:
    assert read(NoEmbedder(), "Where is it?", "It is here.") is None
    assert read(FakeReader(), "Where is it?") is None
