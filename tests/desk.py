"""A user at work: a recent focus with a real database and a real file."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from pi_memory.config import Config
from pi_memory.event_bus import Events, FocusEdited
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus.recorder import Tagged
from pi_memory.store import exchanges
from pi_memory.store.database import Database
from pi_memory.tagging.tagger import EvidenceTagger, TaggerLoader
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import Exchange, ToolCall
from pi_memory.worker import Worker
from tests.fakes import FakeClock

SETTLE = 0.03
"""Seconds after which the file is taken for saved: short, so that no test waits."""

PUMP, AUTH = "/home/me/garden/pump.py", "/home/me/shop/auth/login.py"


@dataclass
class Desk:
    """`announced` are the changes by hand that were published."""

    folder: Path
    focus: RecentFocus
    db: Database
    clock: FakeClock
    tagger: EvidenceTagger
    announced: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "memory" / "RECENT_FOCUS.md"

    async def work(self, path: str, *, session: str = "s", message: str = "change this") -> Tagged:
        call = ToolCall("edit", {"file_path": path})
        exchange = Exchange(session, message, "done", self.clock(), tool_calls=(call,), source="activity")
        number = await self.db.write(lambda db: exchanges.add(db, exchange))
        return await self.focus.tag(exchange, exchange_id=number)

    def edit(self, *changes: tuple[str, str]) -> None:
        """Replace text in the file, as an editor that saves a new file over the old one."""
        text = self.file.read_text()
        for old, new in changes:
            assert old in text, f"{old!r} is not in:\n{text}"
            text = text.replace(old, new)
        saved = self.file.with_name("saved")
        saved.write_text(text)
        saved.replace(self.file)

    def names(self) -> list[str]:
        return [topic.name for topic in self.focus.active(self.clock())]


@contextlib.asynccontextmanager
async def desk(folder: Path, clock: FakeClock) -> AsyncIterator[Desk]:
    db = await Database.open(folder / "m.db", now=clock())
    tagger = EvidenceTagger(load_patterns(Config().file("topics.toml")), worker=Worker("compute"))
    file, loader, events = folder / "memory" / "RECENT_FOCUS.md", TaggerLoader(tagger), Events()
    focus = RecentFocus(db, file, tagger=loader, clock=clock, settle=SETTLE, events=events)
    sat = Desk(folder, focus, db, clock, tagger)
    events.subscribe(FocusEdited, lambda edited: sat.announced.append(edited.line))
    await focus.start()
    try:
        yield sat
    finally:
        await focus.close()
        await db.close()


def at_desk(folder: Path, clock: FakeClock, work: Callable[[Desk], Awaitable[None]]) -> None:
    async def main() -> None:
        async with desk(folder, clock) as sat:
            await work(sat)

    asyncio.run(main())
