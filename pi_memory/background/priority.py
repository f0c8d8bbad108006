"""Who comes first: a reply that somebody waits for, before the work that nobody waits for. Pure."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE = 0.05
"""Seconds that a piece of work stands back at most: a model may take minutes for a reply, and work must go on."""


class TurnPriority:
    """Work in the background takes the event loop for milliseconds at a time: in between it lets turns pass."""

    def __init__(self) -> None:
        self._turns = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Around a turn."""
        self._turns += 1
        self._none.clear()
        try:
            yield
        finally:
            self._turns -= 1
            if not self._turns:
                self._none.set()

    @property
    def busy(self) -> bool:
        """Whether a turn is under way."""
        return self._turns > 0

    async def let_pass(self) -> None:
        """Wait until no turn is under way, but not for long."""
        if self._turns:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._none.wait()
