"""A part that loads in the background, or fails to."""

import asyncio
import threading

import pytest

from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import ModelError
from pi_memory.loader import Loader, in_thread
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


def test_what_still_loads_does_not_hold_up_the_end() -> None:
    never = threading.Event()

    async def main() -> None:
        async def load() -> NoEmbedder:
            await in_thread(never.wait)
            raise AssertionError

        loader = Loader(load, fallback=NoEmbedder())
        loader.start()
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            await loader.close()
        assert loader.state == "loading"

    asyncio.run(main())
    never.set()


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
