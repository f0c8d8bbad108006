"""Live events: what changes, as it changes, for those who watch."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct

from pi_memory.event_bus import Events, ExchangeProcessed, FocusEdited, FocusFileRead, MemoryChanged, TextForgotten

BACKLOG = 200
"""Events that a listener may be behind; then it only learns that it has missed some."""
MISSED = "missed"
HERE = "here"


class LiveEvent(Struct, frozen=True):
    """`id` is that of the last change. `kind` is `memory`, `forgotten`, `topics` or `exchange`; `here` at the
    beginning; `missed` where changes were missed.
    """

    id: str
    kind: str
    data: dict[str, Any]


class LiveEvents:
    """Passes every change to all listeners. Nothing is kept: a listener who comes back with the id of the last event
    learns whether they have missed something.
    """

    def __init__(self, events: Events) -> None:
        self._run = secrets.token_hex(4)
        self._count = 0
        self._listeners: set[asyncio.Queue[LiveEvent | None]] = set()
        self._stopped = False
        events.subscribe(MemoryChanged, lambda e: self._pass("memory", id=e.memory.id, is_valid=e.memory.is_valid))
        events.subscribe(TextForgotten, lambda e: self._pass("forgotten", exchanges=list(e.exchange_ids)))
        events.subscribe(FocusEdited, lambda e: self._pass("topics"))
        events.subscribe(FocusFileRead, lambda e: self._pass("topics"))
        events.subscribe(
            ExchangeProcessed,
            lambda e: self._pass("exchange", id=e.id, conversation_id=e.conversation_id, topic=e.topic),
        )

    async def listen(self, last_id: str = "") -> AsyncIterator[LiveEvent]:
        """Every change from now on, until the daemon stops. `last_id` is that of the last event that was seen."""
        queue: asyncio.Queue[LiveEvent | None] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield self._event(MISSED if last_id and last_id != self.last_id else HERE, {})
            while not self._stopped and (event := await queue.get()) is not None:
                if queue.qsize() > BACKLOG:
                    while not queue.empty():
                        queue.get_nowait()
                    event = self._event(MISSED, {})
                yield event
        finally:
            self._listeners.discard(queue)

    def stop(self) -> None:
        """End all listening."""
        self._stopped = True
        for queue in self._listeners:
            queue.put_nowait(None)

    @property
    def last_id(self) -> str:
        """The id of the last change."""
        return f"{self._run}-{self._count}"

    def _event(self, kind: str, data: dict[str, Any]) -> LiveEvent:
        return LiveEvent(self.last_id, kind, data)

    def _pass(self, kind: str, **data: Any) -> None:
        self._count += 1
        for queue in self._listeners:
            queue.put_nowait(self._event(kind, data))
