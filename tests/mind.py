"""A user whose sessions have attention, with a real database."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from pi_memory.attention.tracker import Attention
from pi_memory.config import Config
from pi_memory.focus.recorder import Tagged
from pi_memory.store import exchanges, topics
from pi_memory.store.database import Database
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import Exchange, Topic
from pi_memory.worker import Worker
from tests.fakes import FakeClock

PATTERNS = load_patterns(Config().file("topics.toml"))
KNOWN = {"garden", "auth", "shop"}


@dataclass
class Mind:
    """The attention of one user, its clock and its database."""

    attention: Attention
    db: Database
    clock: FakeClock

    async def work(self, topic: str | None, *files: str, session: str = "s", project: str | None = None) -> None:
        exchange = Exchange(session, "change it", "done", self.clock(), project=project, source="activity")
        await self.attention.attend(exchange, Tagged(topic, files))

    def weights(self, session: str = "s") -> dict[str, float]:
        return {name: round(w, 4) for name, w in self.attention.session(session).weights.items()}

    async def worked_together(self, *names: str, sessions: int) -> None:
        """Some earlier sessions in which these topics were worked on."""
        for number in range(sessions):
            exchange = Exchange(f"{names}-{number}", "x", "y", self.clock(), source="activity")
            await self.db.write(lambda db, e=exchange: exchanges.add(db, e))  # type: ignore[misc]
            for name in names:
                topic = Topic(name, self.clock(), self.clock())
                await self.db.write(lambda db, t=topic: topics.save(db, t))  # type: ignore[misc]
                await self.db.write(
                    lambda db, n=name, s=exchange.conversation_id: topics.join_session(db, n, s)  # type: ignore[misc]
                )


@contextlib.asynccontextmanager
async def mind(folder: Path, clock: FakeClock, *, crash: bool = False) -> AsyncIterator[Mind]:
    db = await Database.open(folder / "m.db", now=clock())
    attention = Attention(
        db,
        PATTERNS,
        knows=KNOWN.__contains__,
        called=lambda name: "garden" if name == "yard" else name,
        clock=clock,
        worker=Worker("compute"),
    )
    await attention.start()
    yield Mind(attention, db, clock)
    if not crash:
        await attention.close()
    await db.close()


def thinking(folder: Path, clock: FakeClock, *works: Callable[[Mind], Awaitable[None]], crash: bool = False) -> None:
    """Run each of `works`, with a restart in between; with `crash` not a clean one."""

    async def main() -> None:
        for work in works:
            async with mind(folder, clock, crash=crash) as user:
                await work(user)

    asyncio.run(main())
