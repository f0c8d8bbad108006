"""Step 6 of a turn and after it: the exchange goes to the durable inbox, and through the steps of `after_reply`.

The inbox is every stored exchange behind a cursor. The cursor moves in the same transaction as what an exchange
changed, so that a crash neither loses an exchange nor counts one twice.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from pi_memory.attention.tracker import Attention
from pi_memory.background.priority import TurnPriority
from pi_memory.background.reflection import Reflection
from pi_memory.errors import NotSaved, PiMemoryError, StoreError, Unavailable
from pi_memory.event_bus import Events, ExchangeProcessed
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus.recorder import Tagged
from pi_memory.learning.learner import Learner
from pi_memory.learning.statements import notice
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.store import exchanges, imports
from pi_memory.store.database import Database
from pi_memory.tasks import BackgroundWorker
from pi_memory.types import Exchange

MOST, MOST_CHARACTERS = 1_000, 8_000_000
"""Exchanges in the inbox, and their characters, above which it accepts no more. One request is accepted whole: its own
limit bounds it.
"""

CATCH_UP_SECONDS = 5.0
"""Longest that a message that asks or states something waits for what was said just before it."""

logger = logging.getLogger(__name__)


class InboxItem(Struct):
    """An exchange in the inbox: its id once it is stored, whether it can be recalled yet, and its tag once it is
    processed.
    """

    exchange: Exchange
    stored: asyncio.Future[int]
    tagged: asyncio.Future[Tagged]
    recallable: asyncio.Event = field(default_factory=asyncio.Event)


class StoredExchange(Struct):
    """An exchange that is being worked off, and its id; `tagged` once that is known. `recallable` is set when its facts
    and its messages can be found.
    """

    id: int
    exchange: Exchange
    recallable: asyncio.Event
    tagged: Tagged | None = None


Step = Callable[[StoredExchange], Awaitable[None]]


def after_reply(
    learner: Learner, message_index: MessageIndex, focus: RecentFocus, attention: Attention, reflection: Reflection
) -> tuple[Step, ...]:
    """The steps of an exchange after its reply, in this order."""

    async def link_statements(stored: StoredExchange) -> None:
        """Set the exchange as the source of memories stated in it. An agent's user's statements are stored only now."""
        exchange = stored.exchange
        if exchange.source == "activity":
            name = exchange.conversation_id
            found = [s for s in notice(exchange.user) if s.kind != "undo"]  # said of the agent's work
            await learner.state(found, session=name, project=exchange.project, exchange_id=stored.id)
        else:
            await learner.link_statements(stored.id, exchange)

    async def index_messages(stored: StoredExchange) -> None:
        aside = await learner.aside(stored.exchange)
        await message_index.index(stored.id, stored.exchange, aside=aside)

    async def keep_facts(stored: StoredExchange) -> None:
        if not learner.is_ready:
            stored.recallable.set()  # by its words, until then
        await learner.keep(stored.id, stored.exchange)
        stored.recallable.set()

    async def tag(stored: StoredExchange) -> None:
        """Find the topic; it is stored in one transaction with the inbox's cursor."""
        stored.tagged = await focus.tag(stored.exchange, exchange_id=stored.id)

    async def attend(stored: StoredExchange) -> None:
        if stored.tagged is not None:
            await attention.attend(stored.exchange, stored.tagged)

    async def schedule_reflection(stored: StoredExchange) -> None:
        reflection.soon(stored.exchange.conversation_id)

    return link_statements, index_messages, keep_facts, tag, attend, schedule_reflection


def announcing(events: Events) -> Step:
    """The last step: publish that an exchange has been processed."""

    async def announce(stored: StoredExchange) -> None:
        topic = stored.tagged.topic if stored.tagged is not None else None
        await events.publish(ExchangeProcessed(stored.id, stored.exchange.conversation_id, topic))

    return announce


class Inbox:
    """Processes the inbox in the background: each exchange goes through `steps`, one exchange after the other."""

    def __init__(
        self,
        db: Database,
        steps: Sequence[Step],
        *,
        priority: TurnPriority,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds = dict.fromkeys((step.__name__ for step in steps), 0.0)
        """What each step has taken since the start."""
        self._timer = timer
        self._db = db
        self._steps = steps
        self._priority = priority
        self._items: deque[InboxItem] = deque()
        self._worker = BackgroundWorker("Working off the inbox", self._work_off)

    async def start(self) -> None:
        """Process what a crash or a power cut left in the inbox, then what comes."""
        await self._resume()
        self._worker.start()

    def admit(self) -> None:
        """Raises `Unavailable` when the inbox is full."""
        if len(self._items) >= MOST or sum(_characters(item.exchange) for item in self._items) >= MOST_CHARACTERS:
            raise Unavailable(
                f"{len(self._items)} exchanges wait to be worked off", hint="Send this again when they have been."
            )

    def put(self, exchange: Exchange, *, refs: Sequence[int] = ()) -> asyncio.Future[Tagged]:
        """Store an exchange and queue it. Never blocks, never fails; the future resolves to its tag.

        `refs` are the lines of a log that it was made from, recorded with it; if one of them has been recorded since,
        nothing is stored.
        """
        add = partial(imports.add_recorded, refs=refs) if refs else exchanges.add
        stored = self._db.put(lambda db: add(db, exchange))
        return self._queue(exchange, stored)

    def restamp(self, right: Callable[[float], float]) -> None:
        """Correct times stamped by a wrong clock."""
        for waiting in self._items:
            waiting.exchange = replace(waiting.exchange, at=right(waiting.exchange.at))

    async def reread(self, exchange_ids: Collection[int]) -> None:
        """Go on with what is left of these exchanges after texts were forgotten."""
        left = await self._db.read(partial(exchanges.several, ids=exchange_ids))
        for waiting in self._items:
            if waiting.stored.done() and (number := waiting.stored.result()) in exchange_ids:
                waiting.exchange = left.get(number) or _emptied(waiting.exchange)

    @property
    def waiting(self) -> int:
        """Exchanges that wait."""
        return len(self._items)

    async def caught_up(self) -> None:
        """Wait, at most CATCH_UP_SECONDS, until what has been said can be recalled, or could not be written."""
        if self._items:
            with self._priority.aside(), suppress(TimeoutError):
                async with asyncio.timeout(CATCH_UP_SECONDS):
                    await self._items[-1].recallable.wait()

    async def drain(self) -> None:
        """Wait until the inbox is empty."""
        await self._worker.drain()

    async def stop(self) -> None:
        """Stop at the next exchange; the rest stays in the inbox for the next start."""
        await self._worker.stop()

    def _queue(self, exchange: Exchange, stored: asyncio.Future[int]) -> asyncio.Future[Tagged]:
        tagged: asyncio.Future[Tagged] = asyncio.get_running_loop().create_future()
        self._items.append(InboxItem(exchange, stored, tagged))
        self._worker.wake()
        return tagged

    async def _resume(self) -> None:
        left = await self._db.read(exchanges.inbox)
        for exchange_id, exchange in left:
            stored: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            stored.set_result(exchange_id)
            self._queue(exchange, stored)
        if left:
            logger.info("Resuming the inbox: %d exchanges", len(left))

    async def _work_off(self) -> None:
        while self._items:
            if not await self._process(self._items[0]):
                await self._db.writable()
                continue
            self._items.popleft()

    async def _process(self, waiting: InboxItem) -> bool:
        """Take an exchange through all steps.

        False while the disk refuses writes: the caller retries all steps, which are idempotent.
        """
        try:
            stored = StoredExchange(await waiting.stored, waiting.exchange, waiting.recallable)
            for step in self._steps:
                await self._priority.let_pass()
                stored.exchange = waiting.exchange  # texts may have been forgotten since
                began = self._timer()
                await _run(step, stored)
                self.seconds[step.__name__] += self._timer() - began
        except NotSaved:
            waiting.tagged.cancel()  # who waits for it need not wait for the disk
            return False
        except StoreError:
            waiting.tagged.cancel()  # the database has logged it
            return True
        finally:
            waiting.recallable.set()
        if stored.tagged is None:
            waiting.tagged.cancel()
        elif not waiting.tagged.done():
            waiting.tagged.set_result(stored.tagged)
        return True


async def _run(step: Step, stored: StoredExchange) -> None:
    """A step that fails holds up neither the next ones nor the other exchanges. Raises `NotSaved`."""
    try:
        await step(stored)
    except NotSaved:
        raise
    except StoreError:
        pass  # the database has logged it
    except PiMemoryError as error:
        logger.error("After a reply: %s failed: %s", step.__name__, error)
    except Exception:
        # The edge of a background job.
        logger.exception("After a reply: %s failed", step.__name__)


def _emptied(exchange: Exchange) -> Exchange:
    return replace(exchange, user="", reply="", tool_calls=(), file_paths=(), stated=())


def _characters(exchange: Exchange) -> int:
    calls = sum(len(str(call.arguments)) for call in exchange.tool_calls)
    return len(exchange.user) + len(exchange.reply) + calls + sum(map(len, exchange.file_paths))
