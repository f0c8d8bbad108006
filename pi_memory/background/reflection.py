"""Work between turns: compacts long conversations and learns from closed windows.

Both may take a model a while, so they do not hold up the inbox. Lessons wait in the store, where a crash leaves them;
learning the same twice changes nothing.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from pi_memory.background.priority import TurnPriority
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.window import ConversationWindows
from pi_memory.errors import StoreError
from pi_memory.event_bus import Events, FocusEdited, MemoryChanged
from pi_memory.loader import Loader
from pi_memory.protocols import Model
from pi_memory.store import conversations
from pi_memory.store.conversations import Lesson
from pi_memory.store.database import Database
from pi_memory.tasks import BackgroundWorker
from pi_memory.types import Numbered

Learn = Callable[[Sequence[Numbered], Sequence[Numbered]], Awaitable[object]]
"""Learns from exchanges of one session, with their ids; the second ones came before and were learned from."""


logger = logging.getLogger(__name__)


class Prefills(Protocol):
    """Has the model evaluate prompts ahead. Implementation: `chat/prefill.py`."""

    async def warm(self) -> None: ...
    def look_ahead(self, conversation_id: str) -> None: ...


class Reflection:
    """`prefill` evaluates ahead what a compacted conversation goes on with, and, when a memory has changed or the focus
    was edited, what new conversations begin with.
    """

    def __init__(
        self,
        db: Database,
        windows: ConversationWindows,
        *,
        compaction: Compaction,
        model: Loader[Model],
        learn: Learn,
        prefill: Prefills,
        priority: TurnPriority,
        events: Events,
    ) -> None:
        self._db = db
        self._windows = windows
        self._compaction = compaction
        self._learn = learn
        self._prefill = prefill
        self._priority = priority
        self._model = model
        self._grown: dict[str, None] = {}
        self._anew = False
        self._failed: set[int] = set()
        self._worker = BackgroundWorker("Reflection", self._reflect)
        events.subscribe(MemoryChanged, lambda _: self.soon(anew=True))
        events.subscribe(FocusEdited, lambda _: self.soon(anew=True))

    def start(self) -> None:
        """Learn from lessons of an earlier run, then from new ones."""
        self._worker.start()

    def soon(self, conversation_id: str | None = None, *, anew: bool = False) -> None:
        """Queue background work and return: compact the conversation; learn from closed windows; with `anew`, prefill
        the prefix of new conversations.
        """
        if conversation_id is not None:
            self._grown[conversation_id] = None
        self._anew |= anew
        self._worker.wake()

    async def drain(self) -> None:
        """Wait until all queued work is done."""
        await self._worker.drain()

    async def stop(self) -> None:
        """Stop at once; the rest is done after the next start."""
        await self._worker.stop()

    async def _reflect(self) -> None:
        await self._compact()
        await self._lessons()
        await self._begin_anew()

    async def _compact(self) -> None:
        while self._grown:
            conversation_id = next(iter(self._grown))
            del self._grown[conversation_id]
            await self._priority.let_pass()
            conversation = self._windows.last(conversation_id)
            if conversation is not None and await self._compaction.compact(conversation, await self._model.ready()):
                self._prefill.look_ahead(conversation_id)

    async def _begin_anew(self) -> None:
        # Not inside the turn that changed it: the exchange that follows asks again.
        if self._anew and not self._priority.busy:
            self._anew = False
            await self._prefill.warm()

    async def _lessons(self) -> None:
        for lesson in await self._db.read(conversations.lessons):
            if lesson.id not in self._failed:
                await self._priority.let_pass()
                await self._learn_from(lesson)

    async def _learn_from(self, lesson: Lesson) -> None:
        said = await self._db.read(partial(conversations.said_in, lesson=lesson))
        before = await self._db.read(partial(conversations.said_before, lesson=lesson))
        try:
            if said:
                await self._learn(said, before)
        except StoreError:
            raise
        except Exception:
            # One lesson must not hold up the others; it is tried again after the next start.
            logger.exception("A conversation could not be learned from")
            self._failed.add(lesson.id)
        else:
            await self._db.write(partial(conversations.learned, lesson=lesson))
