"""Work that nobody waits for: whatever it raises is logged, and it is done again, as the daemon has to go on."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator

from pi_memory.errors import PiMemoryError

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0
"""Seconds until work that failed is done again; twice as many each time."""

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def logged(what: str) -> Iterator[None]:
    """At the edge of a background job: what it raises is logged and goes no further."""
    try:
        yield
    except PiMemoryError as error:
        logger.error("%s failed: %s", what, error)
    except Exception:
        logger.exception("%s failed", what)


async def until_done(what: str, work: Callable[[], Awaitable[None]]) -> None:
    """Do `work` until it raises nothing, with a longer pause after each failure."""
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
