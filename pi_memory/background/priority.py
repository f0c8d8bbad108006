"""Priority of turns: background work pauses while somebody waits for a reply. Pure."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE = 0.05
"""Longest pause of background work in seconds: a model may take minutes for a reply, and work must progress."""


class TurnPriority:
    """Lets background work, which takes the event loop for milliseconds at a time, pause for turns."""

    def __init__(self) -> None:
        self._turns = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A context manager around a turn."""
        self._turns += 1
        self._none.clear()
        try:
            yield
        finally:
            self._turns -= 1
            if not self.busy:
                self._none.set()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A context manager in which a turn waits for background work, which goes on meanwhile."""
        self._turns -= 1
        if not self.busy:
            self._none.set()
        try:
            yield
        finally:
            self._turns += 1
            if self.busy:
                self._none.clear()

    @property
    def busy(self) -> bool:
        """Whether a turn is under way."""
        return self._turns > 0

    async def let_pass(self) -> None:
        """Wait until no turn is under way, at most PATIENCE."""
        if self.busy:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._none.wait()
