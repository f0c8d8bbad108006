"""What happens when nobody waits: one failure does not hold up the rest."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from pi_memory.background.priority import TurnPriority
from pi_memory.background.reflection import Reflection
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.window import ConversationWindows
from pi_memory.event_bus import Events
from pi_memory.loader import Loader
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.protocols import Model
from pi_memory.store import conversations, exchanges
from pi_memory.store.database import Database
from pi_memory.types import Exchange, Numbered
from pi_memory.worker import Worker


class Ahead:
    """Counts how often what conversations begin with is evaluated."""

    def __init__(self) -> None:
        self.warmed: list[None] = []

    async def warm(self) -> None:
        self.warmed.append(None)

    def look_ahead(self, conversation_id: str) -> None: ...


@pytest.mark.breaks
def test_a_lesson_that_fails_holds_up_no_other_and_is_tried_after_the_next_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "m.db"
    assert asyncio.run(learned(path, ended=("first", "second"), broken="first", times=3)) == ["second"]
    assert caplog.text.count("could not be learned from") == 1
    assert asyncio.run(learned(path)) == ["first"]


async def learned(path: Path, *, ended: Sequence[str] = (), broken: str = "", times: int = 1) -> list[str]:
    """End conversations, reflect; what was said in those that have been learned from."""
    db, memory = await Database.open(path), ConversationWindows(ttl=0, max_conversations=9)
    for name in ended:
        await db.write(partial(exchanges.add, exchange=Exchange(name, name, "yes", 1.0)))
        await db.write(partial(conversations.close, name=name, at=2.0))
    seen = []

    async def learn(said: Sequence[Numbered], before: Sequence[Numbered]) -> None:
        for _, exchange in said:
            if exchange.user == broken:
                raise ValueError(broken)
            seen.append(exchange.user)

    async def load() -> Model:
        return ExtractiveModel()

    model: Loader[Model] = Loader(load, fallback=ExtractiveModel())
    compaction = Compaction(db, memory, max_turns=8, max_tokens=100, worker=Worker("compute"))
    reflect = Reflection(
        db,
        memory,
        compaction=compaction,
        model=model,
        learn=learn,
        prefill=Ahead(),
        priority=TurnPriority(),
        events=Events(),
    )
    reflect.start()
    for _ in range(times):
        reflect.soon()
        await reflect.drain()
    await reflect.stop()
    await db.close()
    return seen


def test_nothing_is_evaluated_ahead_inside_the_turn_that_changed_it() -> None:
    async def run() -> None:
        db, memory, turns = await Database.open(None), ConversationWindows(ttl=0, max_conversations=9), TurnPriority()
        ahead = Ahead()
        async with reflecting(db, memory, turns, ahead) as reflect:
            with turns.turn():
                reflect.soon(anew=True)
                await reflect.drain()
                assert not ahead.warmed
            reflect.soon("c")  # the turn's exchange
            await reflect.drain()
            assert ahead.warmed
        await db.close()

    asyncio.run(run())


@contextlib.asynccontextmanager
async def reflecting(
    db: Database, memory: ConversationWindows, turns: TurnPriority, ahead: Ahead
) -> AsyncIterator[Reflection]:
    async def load() -> Model:
        return ExtractiveModel()

    async def learn(said: Sequence[Numbered], before: Sequence[Numbered]) -> None:
        pass

    compaction = Compaction(db, memory, max_turns=8, max_tokens=100, worker=Worker("compute"))
    model: Loader[Model] = Loader(load, fallback=ExtractiveModel())
    reflect = Reflection(
        db, memory, compaction=compaction, model=model, learn=learn, prefill=ahead, priority=turns, events=Events()
    )
    reflect.start()
    await reflect.drain()
    yield reflect
    await reflect.stop()
