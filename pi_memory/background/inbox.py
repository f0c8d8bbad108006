"""Step 6 of a turn, after the reply: the exchange goes to the durable inbox and is worked off in order.

The inbox is every stored exchange behind a cursor. The cursor moves in the same transaction as what an exchange
changed, so that a crash neither loses an exchange nor counts one twice.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from pi_memory.background.priority import TurnPriority
from pi_memory.errors import NotSaved, PiMemoryError, StoreError, Unavailable
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
"""Exchanges in the inbox, and their characters, before it takes no more. What a request brings at once it takes whole:
that is bounded by the request."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InboxItem:
    """An exchange in the inbox: its id once it is stored, and what became of it once it is processed."""

    exchange: Exchange
    stored: asyncio.Future[int]
    tagged: asyncio.Future[Tagged]


class Inbox:
    """Works the inbox off in the background, one exchange after the other.

    Each that was tagged is told to `attend`, and each at its end to `on_processed`.
    """

    def __init__(
        self, db: Database, focus: RecentFocus, *, passages: MessageIndex, learning: Learner, precedence: TurnPriority
    ) -> None:
        self.on_processed: Callable[[Exchange], None] = lambda exchange: None
        self.attend: Callable[[Exchange, Tagged], Awaitable[None]] = _nobody
        self._db = db
        self._focus = focus
        self._passages = passages
        self._learning = learning
        self._precedence = precedence
        self._inbox: deque[InboxItem] = deque()
        self._characters = 0
        self._worker = BackgroundWorker("Working off the inbox", self._work_off)

    async def start(self) -> None:
        """Work off what a crash or a power cut left in the inbox, then what comes."""
        await self._resume()
        self._worker.start()

    def admit(self) -> None:
        """Raises `Unavailable` when so much waits in the inbox that it must not become more."""
        if len(self._inbox) >= MOST or self._characters >= MOST_CHARACTERS:
            raise Unavailable(
                f"{len(self._inbox)} exchanges wait to be worked off", hint="Send this again when they have been."
            )

    def put(self, exchange: Exchange, *, refs: Sequence[int] = ()) -> asyncio.Future[Tagged]:
        """Store an exchange and queue it. Never blocks, never fails; the future tells what it was about.

        `refs` are the lines of a log that it was made from, recorded with it; if one of them has been recorded since,
        nothing is stored.
        """
        stored = self._db.put(lambda db: imports.add_recorded(db, exchange, refs=refs))
        return self._queue(exchange, stored)

    def restamp(self, right: Callable[[float], float]) -> None:
        """Put the times right that a wrong clock has stamped."""
        self._inbox = deque(
            replace(waiting, exchange=replace(waiting.exchange, at=right(waiting.exchange.at)))
            for waiting in self._inbox
        )

    async def drain(self) -> None:
        """Wait until the inbox is empty."""
        await self._worker.drain()

    async def stop(self) -> None:
        """Stop at the next exchange; the rest stays in the inbox for the next start."""
        await self._worker.stop()

    def _queue(self, exchange: Exchange, stored: asyncio.Future[int]) -> asyncio.Future[Tagged]:
        tagged: asyncio.Future[Tagged] = asyncio.get_running_loop().create_future()
        self._inbox.append(InboxItem(exchange, stored, tagged))
        self._characters += _characters(exchange)
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
        while self._inbox:
            if not await self._process(self._inbox[0]):
                await self._db.writable()
                continue
            done = self._inbox.popleft()
            self._characters -= _characters(done.exchange)

    async def _process(self, waiting: InboxItem) -> bool:
        """Whether it is done with; not while it cannot be written. Then all steps are taken once more: what has been
        done of them changes nothing.
        """
        try:
            exchange_id = await waiting.stored
            exchange = waiting.exchange
            if exchange.source == "activity":  # with us it was done before the reply
                await self._learning.state(
                    notice(exchange.user),
                    session=exchange.conversation_id,
                    project=exchange.project,
                    exchange_id=exchange_id,
                )
            else:
                await self._learning.found_in(exchange_id, exchange)
            await self._precedence.let_pass()
            await self._passages.index(exchange_id, exchange)
            await self._precedence.let_pass()
            tagged = await self._focus.tag(exchange, exchange_id=exchange_id)
            await self._precedence.let_pass()
            await self.attend(waiting.exchange, tagged)
        except NotSaved:
            waiting.tagged.cancel()  # who waits for it need not wait for the disk
            return False
        except StoreError:
            waiting.tagged.cancel()  # the database has logged it
        except PiMemoryError as error:
            logger.error("An exchange could not be tagged: %s", error)
            waiting.tagged.cancel()
        except Exception:
            # The edge of a background job: one exchange must not hold up the rest.
            logger.exception("An exchange could not be tagged")
            waiting.tagged.cancel()
        else:
            if not waiting.tagged.done():
                waiting.tagged.set_result(tagged)
        self.on_processed(waiting.exchange)
        return True


def _characters(exchange: Exchange) -> int:
    calls = sum(len(str(call.arguments)) for call in exchange.tool_calls)
    return len(exchange.user) + len(exchange.reply) + calls + sum(map(len, exchange.file_paths))


async def _nobody(exchange: Exchange, tagged: Tagged) -> None:
    pass
