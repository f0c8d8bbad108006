"""Events: what has happened in one room, for those in others that follow it."""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from msgspec import Struct

from pi_memory.types import Memory


class MemoryChanged(Struct, frozen=True):
    """A memory was added or changed, and is stored."""

    memory: Memory


class TextForgotten(Struct, frozen=True):
    """Texts were forgotten. The database has them no more; whoever holds a copy lets go of it.

    `clean` takes a text, and the question that it answers, and returns it without them. `exchange_ids` are those of
    exchanges that were rewritten or erased, `erased` the conversations, times and messages of those that went whole.
    """

    clean: Callable[..., str]
    exchange_ids: tuple[int, ...] = ()
    erased: tuple[tuple[str, float, str], ...] = ()


class FocusEdited(Struct, frozen=True):
    """The user edited the focus; `line` says how, as prompts say it."""

    line: str


class FocusFileRead(Struct, frozen=True):
    """An edit of RECENT_FOCUS.md was taken in."""


class ExchangeProcessed(Struct, frozen=True):
    """An exchange has gone through all steps after its reply. `topic` is None for chatter."""

    id: int
    conversation_id: str
    topic: str | None


BusEvent = MemoryChanged | TextForgotten | FocusEdited | FocusFileRead | ExchangeProcessed
E = TypeVar("E", bound=BusEvent)


class Events:
    """Calls the listeners of an event, in the order in which they subscribed."""

    def __init__(self) -> None:
        self._listeners: defaultdict[type, list[Callable[[Any], Awaitable[None] | None]]] = defaultdict(list)

    def subscribe(self, kind: type[E], listener: Callable[[E], Awaitable[None] | None]) -> None:
        """Have `listener` called with each event of a kind."""
        self._listeners[kind].append(listener)

    async def publish(self, event: BusEvent) -> None:
        """Wait until every listener has followed. What one of them raises is raised, and ends it."""
        for listener in self._listeners[type(event)]:
            following = listener(event)
            if following is not None:
                await following
