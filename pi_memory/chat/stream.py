"""Turns under way. Each runs in a task of its own, which can be stopped and finished whoever is listening.

A response generator must own nothing: when its client leaves it is cancelled, and an `await` in its `finally` is
cancelled again.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import aclosing

import numpy as np

from pi_memory.background.priority import TurnPriority
from pi_memory.chat.turn import Assistant
from pi_memory.errors import PiMemoryError, Unavailable, no_memory
from pi_memory.types import Delta, Done, Turn

TurnEvent = Delta | Done
FIRSTS = 50
"""The last turns of which the time to the first piece is known."""

logger = logging.getLogger(__name__)


class Stream:
    """The events of a turn, for one listener."""

    def __init__(self, assistant: Assistant, turn: Turn, priority: TurnPriority, *, seconds: float) -> None:
        self.conversation_id = turn.conversation_id
        self._events: asyncio.Queue[TurnEvent | PiMemoryError | None] = asyncio.Queue()
        self._seconds = seconds
        self._begun = time.monotonic()
        self.first_after: float | None = None
        """Seconds until the reply's first piece, with the wait for other turns; None before it."""
        self.task = asyncio.create_task(self._run(assistant, turn, priority))
        self.task.add_done_callback(self._end)

    async def __aiter__(self) -> AsyncIterator[TurnEvent]:
        """The turn's events. Raises what the turn raised, `Unavailable` when the daemon stopped it."""
        while (event := await self._events.get()) is not None:
            if isinstance(event, PiMemoryError):
                raise event
            yield event

    def leave(self) -> None:
        """The client has left: stop the model. The part of the reply that has arrived is remembered."""
        self.task.cancel()

    async def _run(self, assistant: Assistant, turn: Turn, priority: TurnPriority) -> None:
        try:
            with priority.turn():
                await self._in_time(assistant, turn)
        except PiMemoryError as error:
            self._events.put_nowait(error)
        except MemoryError:
            logger.error("A turn failed: there is too little memory for it")
            self._events.put_nowait(no_memory())
        except Exception:
            logger.exception("A turn failed")
            self._events.put_nowait(PiMemoryError("The turn failed", hint="The daemon's log says why."))

    async def _in_time(self, assistant: Assistant, turn: Turn) -> None:
        try:
            async with asyncio.timeout(self._seconds) as deadline:
                await self._follow(assistant, turn)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise Unavailable(
                f"The turn took longer than {self._seconds:g} s and was stopped",
                hint="Ask for less, choose a smaller model, or raise PI_MEMORY_TURN_SECONDS.",
            ) from error

    async def _follow(self, assistant: Assistant, turn: Turn) -> None:
        async with aclosing(assistant.turn(turn)) as events:
            async for event in events:
                if self.first_after is None:
                    self.first_after = time.monotonic() - self._begun
                self._events.put_nowait(event)

    def _end(self, task: asyncio.Task[None]) -> None:
        # Not in a `finally`: a task that is cancelled before its first step has none.
        if task.cancelled():
            self._events.put_nowait(Unavailable("The turn was stopped", hint="The daemon is stopping; try again soon."))
        self._events.put_nowait(None)


class Streams:
    """Starts turns, at most `most` at a time, each for at most `seconds`, and stops them all when the daemon stops.

    `begun` counts them.
    """

    def __init__(self, assistant: Assistant, *, most: int, seconds: float, priority: TurnPriority) -> None:
        self._assistant = assistant
        self._priority = priority
        self._most = most
        self._seconds = seconds
        self._streams: set[Stream] = set()
        self.begun = 0
        self._first_after: deque[float] = deque(maxlen=FIRSTS)
        self._stopping = False

    def start(self, turn: Turn) -> Stream:
        """Begin a turn. Raises `Unavailable` when too many are waiting, or the inbox is full, or the daemon is
        stopping.
        """
        if self._stopping:
            raise Unavailable("The daemon is stopping", hint="Try again when it is up.")
        if len(self._streams) >= self._most:
            raise Unavailable(
                f"{self._most} turns are under way or waiting",
                hint="Try again in a few seconds, or raise PI_MEMORY_MAX_WAITING.",
            )
        self._assistant.admit()
        stream = Stream(self._assistant, turn, self._priority, seconds=self._seconds)
        self.begun += 1
        self._streams.add(stream)
        stream.task.add_done_callback(lambda _: self._ended(stream))
        return stream

    @property
    def under_way(self) -> int:
        """Turns under way or waiting."""
        return len(self._streams)

    @property
    def first_after(self) -> float | None:
        """The median of the seconds until the first piece of the last replies; None before the first."""
        return float(np.median(self._first_after)) if self._first_after else None

    def _ended(self, stream: Stream) -> None:
        self._streams.discard(stream)
        if stream.first_after is not None:
            self._first_after.append(stream.first_after)

    async def stop(self) -> None:
        """Accept no more turns and stop those under way; returns when the last has been remembered. Idempotent."""
        self._stopping = True
        tasks = [stream.task for stream in self._streams]
        for stream in list(self._streams):
            stream.leave()
        if tasks:
            await asyncio.wait(tasks)
