"""Work that is done to its end, whoever waits for it and leaves."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Tasks:
    """Runs work in tasks of its own. `finish` waits for all of them: a stop calls it before anything is closed."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` returns; it goes on when this is cancelled."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        while self._running:
            await asyncio.wait(self._running)
