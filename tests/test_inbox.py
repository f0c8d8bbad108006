"""The inbox: in order, resumed after a crash, nothing counted twice; when it is full, it takes no more."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_memory.background.inbox import Inbox, StoredExchange, after_reply
from pi_memory.background.priority import TurnPriority
from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import PiMemoryError
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus.recorder import Tagged
from pi_memory.learning.learner import Learner
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.merging.neighbours import NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.ram_index import RamIndex
from pi_memory.store import exchanges, messages
from pi_memory.store.database import Database
from pi_memory.types import Exchange
from pi_memory.worker import Worker
from tests.conftest import Client, Daemon
from tests.desk import PUMP, desk
from tests.fakes import FakeClock, already, nothing

ACTIVITY = {"session_id": "a", "user_message": "change /home/me/shop/auth/login.py"}
HISTORY = {"exchanges": [{"session_id": "h", "lines": [{"role": "user", "text": "hello"}]}]}
WAYS = {"/activity": ACTIVITY, "/history": HISTORY, "/chat": {"message": "hello"}}


def learner(db: Database, clock: FakeClock) -> Learner:
    memories, worker = Memories(db, clock=clock), Worker("compute")
    embedder: Loader[Embedder] = Loader(none, fallback=NoEmbedder())
    neighbours = NeighbourSearch(memories, RamIndex(), Scale(embedder), worker=worker)
    heads = Config().folder("heads")
    return Learner(
        memories, neighbours, recall=nothing, loaded=already(), heads=heads, embedder=embedder, worker=worker
    )


def inbox(db: Database, focus: RecentFocus, clock: FakeClock) -> Inbox:
    embedder: Loader[Embedder] = Loader(none, fallback=NoEmbedder())
    index, nobody = MessageIndex(db, embedder, worker=Worker("compute")), Nobody()
    steps = after_reply(learner(db, clock), index, focus, nobody, nobody)  # type: ignore[arg-type]
    return Inbox(db, steps, priority=TurnPriority())


class Nobody:
    """Stands in for attention and reflection."""

    async def attend(self, exchange: Exchange, tagged: Tagged) -> None: ...

    def soon(self, conversation_id: str) -> None: ...


async def none() -> Embedder:
    return NoEmbedder()


def exchange(n: int) -> Exchange:
    return Exchange("s", f"change {PUMP}", f"done {n}", float(n), source="activity")


def test_exchanges_are_worked_off_in_order(tmp_path: Path, clock: FakeClock) -> None:
    async def main() -> None:
        async with desk(tmp_path, clock) as sat:
            remember = inbox(sat.db, sat.focus, clock)
            await remember.start()
            tagged = await asyncio.gather(*(remember.put(exchange(n)) for n in range(5)))
            assert [t.written for t in tagged] == [True, False, False, False, False]
            await remember.drain()
            assert await sat.db.read(exchanges.inbox) == []
            await remember.stop()

    asyncio.run(main())


def test_what_a_crash_left_is_worked_off_at_the_next_start(tmp_path: Path, clock: FakeClock) -> None:
    async def crash() -> None:
        db = await Database.open(tmp_path / "m.db")
        for n in range(3):
            await db.write(lambda db, n=n: exchanges.add(db, exchange(n)))  # type: ignore[misc]
        await db.write(lambda db: exchanges.processed(db, 1))
        await db.close()

    async def restart() -> None:
        async with desk(tmp_path, clock) as sat:
            remember = inbox(sat.db, sat.focus, clock)
            await remember.start()
            await remember.drain()
            (topic,) = sat.focus.all()
            assert (topic.touch_count, topic.last_touched_at) == (1, 1.0), "the second, as the first was processed"
            assert await sat.db.read(exchanges.inbox) == []
            await remember.stop()

    asyncio.run(crash())
    asyncio.run(restart())


def test_what_was_stated_before_a_crash_is_linked_to_its_exchange_after_it(tmp_path: Path, clock: FakeClock) -> None:
    said = replace(exchange(0), user="Remember that the valve sticks.", source="chat")

    async def crash() -> None:
        db = await Database.open(tmp_path / "m.db")
        await learner(db, clock).state(notice(said.user))
        await db.write(lambda db: exchanges.add(db, said))
        await db.close()

    async def restart() -> list[int | None]:
        async with desk(tmp_path, clock) as sat:
            remember = inbox(sat.db, sat.focus, clock)
            await remember.start()
            await remember.drain()
            await remember.stop()
            found, _ = await Memories(sat.db, clock=clock).listed()
            return [memory.exchange_id for memory in found]

    asyncio.run(crash())
    assert asyncio.run(restart()) == [1]


class Stubborn:
    """A focus that cannot tag one exchange."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def tag(self, exchange: Exchange, *, exchange_id: int) -> Tagged:
        if exchange_id == 1:
            raise self._error
        return Tagged("fine")


@pytest.mark.breaks
@pytest.mark.parametrize("error", [PiMemoryError("no"), ValueError("no")])
def test_an_exchange_that_cannot_be_tagged_does_not_hold_up_the_rest(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    async def main() -> None:
        db = await Database.open(tmp_path / "m.db")
        remember = inbox(db, Stubborn(error), clock)  # type: ignore[arg-type]
        await remember.start()
        first, second = remember.put(exchange(0)), remember.put(exchange(1))
        assert (await second).topic == "fine"
        assert first.cancelled()
        await remember.stop()
        await db.close()

    asyncio.run(main())
    assert "After a reply: tag failed" in caplog.text


class Slow:
    """A focus that asks a model, which takes as long as it likes."""

    def __init__(self) -> None:
        self.answered = asyncio.Event()

    async def tag(self, exchange: Exchange, *, exchange_id: int) -> Tagged:
        await self.answered.wait()
        return Tagged("fine")


def test_who_asks_waits_for_what_was_said_but_not_for_its_tag(tmp_path: Path, clock: FakeClock) -> None:
    async def main() -> None:
        db, focus = await Database.open(tmp_path / "m.db"), Slow()
        remember = inbox(db, focus, clock)  # type: ignore[arg-type]
        await remember.start()
        tagged = remember.put(exchange(0))
        async with asyncio.timeout(4):
            await remember.caught_up()
        assert await db.read(messages.ids)
        assert not tagged.done()
        focus.answered.set()
        assert (await tagged).topic == "fine"
        await remember.stop()
        await db.close()

    asyncio.run(main())


@pytest.mark.breaks
def test_a_step_that_fails_holds_up_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    taken: list[str] = []

    async def broken(stored: StoredExchange) -> None:
        raise ValueError("odd")

    async def after(stored: StoredExchange) -> None:
        taken.append(stored.exchange.reply)

    async def main() -> None:
        db = await Database.open(tmp_path / "m.db")
        remember = Inbox(db, (broken, after), priority=TurnPriority())
        await remember.start()
        for n in range(2):
            remember.put(exchange(n))
        await remember.drain()
        await remember.stop()
        await db.close()

    asyncio.run(main())
    assert taken == ["done 0", "done 1"]
    assert caplog.text.count("After a reply: broken failed") == 2


def test_what_each_step_takes_is_added_up(tmp_path: Path) -> None:
    now = [0.0]

    async def slow(stored: StoredExchange) -> None:
        now[0] += 3

    async def fast(stored: StoredExchange) -> None:
        now[0] += 1

    async def main() -> dict[str, float]:
        db = await Database.open(tmp_path / "m.db")
        steps = Inbox(db, (slow, fast), priority=TurnPriority(), timer=lambda: now[0])
        await steps.start()
        for n in range(2):
            steps.put(exchange(n))
        await steps.drain()
        await steps.stop()
        await db.close()
        return steps.seconds

    assert asyncio.run(main()) == {"slow": 6, "fast": 2}


class Held:
    """Holds the inbox up at its first exchange until `open` is called."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._gate = asyncio.Event()
        client.parts.attention.attend = self._attend  # type: ignore[method-assign]

    def open(self) -> None:
        assert self._client.portal is not None
        self._client.portal.call(self._open)
        self._client.settle()

    async def _open(self) -> None:
        self._gate.set()

    async def _attend(self, exchange: Exchange, tagged: Tagged) -> None:
        await self._gate.wait()


@pytest.mark.parametrize("path", WAYS)
def test_what_has_no_room_is_to_come_again(daemon: Daemon, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr("pi_memory.background.inbox.MOST", 5)
    client = daemon()
    held = Held(client)
    answers = [client.post("/activity", json=ACTIVITY).status_code for _ in range(20)]
    assert answers == sorted(answers), "accepted first, then refused"
    assert 5 <= answers.count(202) <= 7
    refused = client.post(path, json=WAYS[path])
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json()["type"] == "unavailable"
    held.open()
    assert client.post(path, json=WAYS[path]).is_success


def test_long_ones_fill_it_too(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_memory.background.inbox.MOST_CHARACTERS", 1_000)
    client = daemon()
    held = Held(client)
    long = {**ACTIVITY, "tool_calls": [{"name": "bash", "arguments": {"command": "x" * 2_000}}]}
    answers = [client.post("/activity", json=long).status_code for _ in range(5)]
    assert answers[-1] == 503
    held.open()
    assert client.post("/activity", json=ACTIVITY).status_code == 202


def test_nothing_that_was_accepted_is_lost(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_memory.background.inbox.MOST", 3)
    client = daemon()
    held = Held(client)
    accepted = sum(client.post("/activity", json=ACTIVITY).status_code == 202 for _ in range(10))
    held.open()
    assert client.portal is not None

    async def stored() -> int:
        return await client.parts.db.read(lambda db: int(db.execute("select count(*) from exchanges").fetchone()[0]))

    assert client.portal.call(stored) == accepted
