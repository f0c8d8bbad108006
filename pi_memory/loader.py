"""Loads a slow part (a model file, an embedder) in the background while the daemon serves."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Generic, Literal, Protocol, TypeVar

from pi_memory.errors import PiMemoryError

State = Literal["loading", "ok", "degraded"]

logger = logging.getLogger(__name__)


class Part(Protocol):
    async def close(self) -> None: ...


T = TypeVar("T")
P = TypeVar("P", bound=Part)
"""The type of the loaded part."""


class Loader(Generic[P]):
    """Loads a part in the background. If that fails, `fallback` is used and `problem` says why."""

    def __init__(self, load: Callable[[], Awaitable[P]], *, fallback: P) -> None:
        self._load = load
        self._part = fallback
        self._task: asyncio.Task[None] | None = None
        self.state: State = "loading"
        self.problem: str | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def ready(self) -> P:
        """The part, or its fallback. Waits until loading is over."""
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task})
        return self._part

    @property
    def now(self) -> P:
        """The part if it is loaded, else the fallback. Does not wait."""
        return self._part

    async def close(self) -> None:
        """Close the part. A load under way is left to its daemon thread, which ends with the process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._part.close()

    async def _run(self) -> None:
        try:
            self._part = await self._load()
            self.state = "ok"
        except PiMemoryError as error:
            self._degrade(f"{error.message}. {error.hint}".strip())
        except Exception as error:
            # The edge of a background job: whatever it is, the daemon goes on.
            logger.debug("While loading", exc_info=error)
            self._degrade(f"{type(error).__name__}: {error}")

    def _degrade(self, problem: str) -> None:
        self.state = "degraded"
        self.problem = problem
        logger.error("%s", problem)


async def in_thread(load: Callable[[], T]) -> T:
    """Run the blocking `load` on a daemon thread, which does not delay the end of the process."""
    loaded: Future[T] = Future()

    def run() -> None:
        try:
            loaded.set_result(load())
        except Exception as error:  # noqa: BLE001 - raised again where it is awaited
            loaded.set_exception(error)

    threading.Thread(target=run, name="load", daemon=True).start()
    return await asyncio.shield(asyncio.wrap_future(loaded))
