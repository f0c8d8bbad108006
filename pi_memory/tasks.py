"""Background work in tasks of its own: it runs to its end, or is retried, although its caller leaves."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar

from pi_memory.errors import NotSaved, PiMemoryError

T = TypeVar("T")


class Tasks:
    """Runs work in tasks of its own. `finish` waits for all of them; a stop calls it before anything is closed."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, which continues when this call is cancelled."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        while self._running:
            await asyncio.wait(self._running)


class BackgroundWorker:
    """Does `work` in a task of its own: at the start, when it is woken, and after `every` seconds, if these are given.

    Work that fails is logged as `what`, and done again when it is woken next; `stop` cancels it.
    """

    def __init__(self, what: str, work: Callable[[], Awaitable[None]], *, every: float | None = None) -> None:
        self._what = what
        self._work = work
        self._every = every
        self._woken = asyncio.Event()
        self._idle = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Have the work done, once more if it is being done now. Awaits nothing."""
        self._idle.clear()
        self._woken.set()

    async def drain(self) -> None:
        """Wait until the work has been done since it was woken last."""
        await self._idle.wait()

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            with logged(self._what), contextlib.suppress(NotSaved):  # the database has logged that
                await self._work()
            if not self._woken.is_set():
                self._idle.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._woken.wait()


FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0
"""Seconds until failed work is retried; the pause doubles each time up to the second one."""

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def logged(what: str) -> Iterator[None]:
    """A context manager for the edge of a background job: logs an exception and suppresses it."""
    try:
        yield
    except PiMemoryError as error:
        logger.error("%s failed: %s", what, error)
    except MemoryError:
        logger.error("%s failed: there is too little memory for it", what)
    except Exception:
        logger.exception("%s failed", what)


async def until_done(what: str, work: Callable[[], Awaitable[None]]) -> None:
    """Retry `work` until it raises nothing, with a longer pause after each failure."""
    pause = FIRST_PAUSE
    while not await _succeeds(what, work):
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _succeeds(what: str, work: Callable[[], Awaitable[None]]) -> bool:
    done = False
    with logged(what):
        await work()
        done = True
    return done  # noqa: RET504 - `logged` may have ended the block above
