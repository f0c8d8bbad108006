"""Periodic work: ends expired conversations, fades topics and memories, erases old transcripts.

A Pi is switched off for days, so daily work is due by the stored time of the last run.
"""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from functools import partial

from pi_memory import heap
from pi_memory.background.reflection import Reflection
from pi_memory.clock import Moved, SteadyClock
from pi_memory.conversation.window import ConversationWindows
from pi_memory.decay import DAY
from pi_memory.errors import RequestError, StoreError
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.memories.memories import Memories
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.settings import MemorySettings
from pi_memory.store import conversations, erasure, exchanges, message_fts, restamp, state
from pi_memory.store.database import Database
from pi_memory.store.events import Event
from pi_memory.store.restamp import LAST_DAILY
from pi_memory.tasks import BackgroundWorker
from pi_memory.text.intent import only_asks

SWEEP_SECONDS = 30.0
KEPT_DAYS = 365
"""Days that topic events and sessions are kept."""

logger = logging.getLogger(__name__)


class Housekeeping:
    """Ends conversations and sessions, from which `reflection` then learns, and does the daily work."""

    def __init__(
        self,
        db: Database,
        windows: ConversationWindows,
        focus: RecentFocus,
        memories: Memories,
        message_index: MessageIndex,
        reflection: Reflection,
        *,
        settings: MemorySettings,
        clock: SteadyClock,
    ) -> None:
        self._db = db
        self._windows = windows
        self._focus = focus
        self._memories = memories
        self._message_index = message_index
        self._reflection = reflection
        self._settings = settings
        self._clock = clock
        self._worker = BackgroundWorker("Housekeeping", self._tidy_up, every=SWEEP_SECONDS)
        self._healing = BackgroundWorker("Housekeeping", self._after_refusals)
        self._mending: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._worker.start()
        self._healing.start()

    async def stop(self) -> None:
        await self._healing.stop()
        await self._worker.stop()
        if self._mending:
            await asyncio.wait(self._mending)
        if not self._settings.transcript_days:
            with suppress(StoreError):  # the database has logged it
                await self._erase_transcripts(self._clock())

    async def end(self, conversation_id: str) -> bool:
        """End a conversation, or the session of an agent elsewhere. Returns whether it existed."""
        self._windows.end(conversation_id)
        was_there = await self._db.write(partial(conversations.close, name=conversation_id, at=self._clock()))
        if was_there:
            await self._focus.end_sessions([conversation_id])
            self._reflection.soon(anew=True)
        return was_there

    async def sweep(self) -> None:
        """End conversations that expired or were evicted, and idle sessions of agents; give free memory back."""
        now = self._clock()
        over = [conversation.id for conversation in self._windows.sweep(now)]
        if self._settings.ttl_minutes:
            over += self._focus.idle_sessions(now - self._settings.ttl_minutes * 60)
        await self._ended(over)
        if self._focus.problem:  # there may be room by now
            await self._focus.write_file()
        if not self._settings.transcript_days:
            await self._erase_transcripts(now)
        await asyncio.to_thread(heap.trim)

    async def daily(self) -> None:
        """Once a day: fade topics and memories, erase old transcripts, move the log into the database's file."""
        now = self._clock()
        last = await self._db.read(lambda db: state.get(db, LAST_DAILY))
        if last is not None and 0 <= now - float(last) < DAY:
            return
        faded = await self._focus.fade()
        closed = await self._memories.prune(now)
        # What fades is taken back if the clock was wrong after all, what is erased is not. So as long as the system
        # does not vouch for the time, that is done a day later.
        sure = now if self._clock.is_sure else min(now, float(last or now))
        erased = await self._erase_transcripts(sure)
        await self._db.write(partial(erasure.prune, before=sure - KEPT_DAYS * DAY))
        await self._db.write(lambda db: state.put(db, LAST_DAILY, str(now)))
        await self._db.checkpoint()
        logger.info("Daily work: %d topics and %d memories faded, %d exchanges erased", faded, closed, erased)

    def put_right(self, moved: Moved) -> None:
        """The clock was set: correct the timestamps in the database, and restore what had faded too early.

        The write precedes all later ones; nothing is awaited.
        """
        stamped = self._db.write(partial(restamp.restamp, right=moved.right, now=moved.now))
        task = asyncio.create_task(self._take_back(stamped))
        self._mending.add(task)
        task.add_done_callback(self._mending.discard)

    async def _take_back(self, stamped: Awaitable[Sequence[Event]]) -> None:
        """Undo fades. `stamped` has their events by kind, newest first; what was changed since stays so."""
        with suppress(StoreError):  # the database has logged it
            await self._return(await stamped)

    async def _return(self, faded: Sequence[Event]) -> None:
        if not faded:
            return
        await self._focus.return_faded([event.subject for event in faded if event.kind == "topic.faded"])
        for event in faded:
            if event.kind == "memory.faded":
                with suppress(RequestError):
                    await self._memories.undo(event.id, origin="time")
        logger.warning("The clock was wrong: %d topics and memories that had faded are back", len(faded))

    async def _erase_transcripts(self, now: float) -> int:
        kept = self._settings.transcript_days * DAY
        idle = max(kept, self._settings.ttl_minutes * 60, DAY)
        prune = partial(exchanges.prune, before=now - kept, idle_since=now - idle)
        erased = await self._db.write(prune)
        if await self._trim(now) or erased:
            await self._message_index.erased()
            if not kept:
                # Nothing is to be left, and there is little to write anew.
                await self._db.write(message_fts.merge)
                await self._db.scrub()
        return erased

    async def _trim(self, now: float) -> bool:
        """Erase old replies and questions; whether there were any."""
        kept = self._settings.reply_days * DAY
        trim = partial(exchanges.trim, before=now - kept, idle_since=now - max(kept, DAY), only_asks=only_asks)
        return bool(await self._db.write(trim))

    async def _ended(self, ids: list[str]) -> None:
        now = self._clock()
        names = list(dict.fromkeys(ids))
        for name in names:
            self._db.write(partial(conversations.close, name=name, at=now))
        if names:
            await self._focus.end_sessions(names)
            self._reflection.soon(anew=True)

    async def _after_refusals(self) -> None:
        """Tidy up as soon as the database can be written again: what failed beside it may be possible too."""
        while True:
            await self._db.refused()
            await self._db.writable()
            self._worker.wake()

    async def _tidy_up(self) -> None:
        await self.daily()
        await self.sweep()
