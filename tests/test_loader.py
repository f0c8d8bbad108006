"""A part that loads in the background, or fails to."""

import asyncio

import pytest

from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import ModelError
from pi_memory.loader import Loader
from tests.fakes import FakeEmbedder


def test_it_serves_the_fallback_until_the_part_is_there() -> None:
    async def main() -> None:
        gate, part = asyncio.Event(), FakeEmbedder()

        async def load() -> FakeEmbedder:
            await gate.wait()
            return part

        loader: Loader[FakeEmbedder | NoEmbedder] = Loader(load, fallback=NoEmbedder())
        loader.start()
        assert (loader.state, loader.now.id) == ("loading", "none")
        gate.set()
        assert await loader.ready() is part
        assert (loader.state, loader.problem) == ("ok", None)
        await loader.close()

    asyncio.run(main())


@pytest.mark.parametrize("error", [ModelError("No file", hint="Make one."), RuntimeError("odd")])
def test_a_part_that_fails_leaves_the_fallback_and_says_why(error: Exception) -> None:
    async def main() -> None:
        async def load() -> NoEmbedder:
            raise error

        loader = Loader(load, fallback=NoEmbedder())
        loader.start()
        assert (await loader.ready()).id == "none"
        assert loader.state == "degraded"
        assert str(error) in str(loader.problem)
        await loader.close()

    asyncio.run(main())
