"""A thread for computation: it never blocks the event loop, and never runs two calls at once.

Each embedder has one for its model. All other computation shares one: several would only wait for each other.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from pi_memory.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


class Worker:
    """Runs calls one after another, first come first served. After `close` it raises `error`."""

    def __init__(self, name: str, *, error: type[Unavailable] = Unavailable) -> None:
        self._name = name
        self._error = error
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._closed = False

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `call`, or what it raises."""
        if self._closed:
            raise self._error(f"{self._name} is closed", hint="The daemon is stopping; start it again.")
        return await asyncio.get_running_loop().run_in_executor(self._executor, lambda: call(*args, **kwargs))

    async def close(self, free: Callable[[], None] = lambda: None) -> None:
        """Finish what is queued, call `free` on the thread, and end it. Idempotent."""
        if self._closed:
            return
        self._closed = True
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, free)
        finally:
            self._executor.shutdown(wait=False)
