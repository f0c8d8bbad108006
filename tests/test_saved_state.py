import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import msgspec
import pytest

from pi_memory.model.engine import Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.model.sampling import Sampling
from pi_memory.model.saved_state import WRITES_A_DAY, Held, Saved, SavedStates
from pi_memory.types import Message, Usage
from tests.cold import empty
from tests.gguf_files import CHATML, write_llama

DAMAGED = 210
"""Files that are tried."""

SYSTEM = Message("system", "You are the assistant. Say hello to the world.")
FIRST = (SYSTEM, Message("user", "hello in the world"))
NEXT = Message("user", "again")
SAVED = Saved([Held([1, 2], b"state")], {"hello": [3]})


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 2, 3, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def states(folder: Path, clock: Clock, *, identity: str = "model", most_bytes: int = 10_000_000) -> SavedStates:
    return SavedStates(folder / "state", identity=identity, most_bytes=most_bytes, clock=clock)


def test_what_was_written_is_read(tmp_path: Path, clock: Clock) -> None:
    states(tmp_path, clock).write("one", "settings", SAVED)
    assert states(tmp_path, clock).read("one", "settings") == SAVED
    assert states(tmp_path, clock).read("other", "settings") == Saved()
    file = tmp_path / "state" / "one.state"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_what_is_foreign_is_not_read_and_removed(tmp_path: Path, clock: Clock) -> None:
    for identity, settings in (("other", "settings"), ("model", "other")):
        states(tmp_path, clock).write("one", "settings", SAVED)
        assert states(tmp_path, clock, identity=identity).read("one", settings) == Saved()
        assert states(tmp_path, clock).read("one", "settings") == Saved()


def test_four_writes_a_day(tmp_path: Path, clock: Clock) -> None:
    kept = states(tmp_path, clock)
    assert [kept.may_write() for _ in range(6)] == [True] * WRITES_A_DAY + [False] * 2
    clock.now += timedelta(days=1)
    assert kept.may_write()


def test_a_date_lasts_a_week(tmp_path: Path, clock: Clock) -> None:
    first = states(tmp_path, clock).since()
    clock.now += timedelta(days=6)
    assert states(tmp_path, clock).since() == first
    clock.now += timedelta(days=1)
    assert states(tmp_path, clock).since() == clock.now
    clock.now -= timedelta(days=5)  # a clock that was wrong
    assert states(tmp_path, clock).since() == clock.now


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state").write_text("not a folder")
    with caplog.at_level(logging.WARNING):
        states(tmp_path, clock).write("one", "settings", SAVED)
    assert "cannot be written" in caplog.text
    assert states(tmp_path, clock).read("one", "settings") == Saved()
    assert states(tmp_path, clock).since() == clock.now


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "tiny.gguf", context=512)


@pytest.fixture(scope="module")
def engine(path: Path) -> Iterator[Engine]:
    """One for all starts; each begins with what a new one has."""
    engine = Engine(path, ContextSize(threads=1, context_tokens=512))
    yield engine
    engine.close()


class Start:
    """The daemon's model from a start to a stop."""

    def __init__(self, engine: Engine, kept: SavedStates | None) -> None:
        empty(engine)
        now = kept.since() if kept else datetime(2026, 2, 3, tzinfo=UTC)
        self.model = LocalModel(engine, name="tiny", now=now, sampling=Sampling(temperature=0), states=kept)

    async def stop(self) -> None:
        """Without freeing the engine."""
        self.model.scheduler.close()
        await asyncio.wrap_future(self.model.scheduler.ended)

    async def say(self, *messages: Message) -> tuple[str, Usage]:
        *pieces, usage = [item async for item in self.model.generate(messages, max_tokens=12)]
        assert isinstance(usage, Usage)
        return "".join(map(str, pieces)), usage


async def first_run(engine: Engine, kept: SavedStates | None) -> tuple[list[Message], str]:
    """A conversation of one turn, saved; its messages, and what a second turn says without a restart."""
    start = Start(engine, kept)
    reply, _ = await start.say(*FIRST)
    said = [*FIRST, Message("assistant", reply)]
    start.model.prepare(said)
    while start.model.steps is not None:  # noqa: ASYNC110 - nobody is told that idle work has ended
        await asyncio.sleep(0)
    await start.model.save([SYSTEM], [said])
    expected, _ = await start.say(*said, NEXT)
    await start.stop()
    return said, expected


async def second_run(engine: Engine, kept: SavedStates | None, said: list[Message]) -> tuple[str, Usage, int]:
    start = Start(engine, kept)
    prefix = len(start.model.prompt_tokens.prefix(said))
    reply, usage = await start.say(*said, NEXT)
    await start.stop()
    return reply, usage, usage.prompt_tokens - prefix


def test_after_a_restart_only_the_new_message_is_evaluated(engine: Engine, tmp_path: Path, clock: Clock) -> None:
    said, expected = asyncio.run(first_run(engine, states(tmp_path, clock)))
    reply, usage, new = asyncio.run(second_run(engine, states(tmp_path, clock), said))
    assert reply == expected
    assert usage.evaluated_tokens - new <= 1
    # What was said is not kept longer than it takes to go on with it; what all begin with is.
    _, usage, _ = asyncio.run(second_run(engine, states(tmp_path, clock), said))
    assert 0 < usage.prompt_tokens - usage.evaluated_tokens < len(SYSTEM.content) + 10


DATED = "{{ strftime_now('Today is %d %B %Y.') }}\n" + CHATML


@pytest.mark.parametrize(("days", "date", "kept"), [(1, "03 February", True), (8, "11 February", False)])
def test_a_date_in_the_template_moves_nothing_for_a_week(
    tmp_path: Path, clock: Clock, days: int, date: str, kept: bool
) -> None:
    """Over midnight and a restart the prefix is the same; after a week it is evaluated anew, with the new date."""
    path = write_llama(tmp_path / "dated.gguf", context=512, chat_template=DATED)
    engine = Engine(path, ContextSize(threads=1, context_tokens=512))
    said, expected = asyncio.run(first_run(engine, states(tmp_path, clock)))
    clock.now += timedelta(days=days)
    start = Start(engine, states(tmp_path, clock))
    prompt = start.model.prompt_tokens.prompt([*said, NEXT])
    assert date in b"".join(map(engine.vocabulary.piece, prompt)).decode(errors="replace")
    reply, usage = asyncio.run(start.say(*said, NEXT))
    asyncio.run(start.stop())
    assert (usage.evaluated_tokens < 30) == kept == (reply == expected)
    engine.close()


def test_a_day_that_ends_while_the_daemon_runs_moves_nothing(tmp_path: Path, clock: Clock) -> None:
    path = write_llama(tmp_path / "dated.gguf", context=512, chat_template=DATED)
    engine = Engine(path, ContextSize(threads=1, context_tokens=512))
    start = Start(engine, states(tmp_path, clock))
    before = start.model.prompt_tokens.prefix(list(FIRST))
    clock.now += timedelta(days=3)
    assert start.model.prompt_tokens.prefix(list(FIRST)) == before
    asyncio.run(start.stop())
    engine.close()


def test_a_beginning_that_has_changed_a_little_is_evaluated_at_the_stop(
    engine: Engine, tmp_path: Path, clock: Clock
) -> None:
    new = Message("system", f"{SYSTEM.content} The user works on the world.")

    async def missing(ends: Message) -> int:
        start = Start(engine, states(tmp_path, clock))
        await start.say(*FIRST)
        await start.model.save([ends], [])
        await start.stop()
        start = Start(engine, states(tmp_path, clock))
        await start.stop()
        return len(start.model.prompt_tokens.prefix([ends])) - start.model.restored_tokens

    assert asyncio.run(missing(new)) == 0
    assert asyncio.run(missing(Message("system", "hi " * 60))) > 100


def test_of_a_state_larger_than_allowed_the_beginning_is_kept(engine: Engine, tmp_path: Path, clock: Clock) -> None:
    said, expected = asyncio.run(first_run(engine, states(tmp_path, clock, most_bytes=30_000)))
    assert all(path.stat().st_size < 32_000 for path in (tmp_path / "state").glob("*.state"))
    reply, usage, _ = asyncio.run(second_run(engine, states(tmp_path, clock, most_bytes=30_000), said))
    assert reply == expected
    assert 20 < usage.prompt_tokens - usage.evaluated_tokens < 60


def test_no_room_means_nothing_is_kept(engine: Engine, tmp_path: Path, clock: Clock) -> None:
    asyncio.run(first_run(engine, states(tmp_path, clock, most_bytes=0)))
    assert not list((tmp_path / "state").glob("*.state"))


def test_what_is_to_be_forgotten_is_erased_also_while_it_is_saved(engine: Engine, tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "state"
    asyncio.run(first_run(engine, states(tmp_path, clock)))
    (folder / ".beginning.state.new").write_bytes(b"half-written")
    assert len(list(folder.glob("*.state"))) == 2

    async def forget(before: int) -> None:
        start = Start(engine, states(tmp_path, clock))
        await start.say(*FIRST)
        saving = asyncio.create_task(start.model.save([SYSTEM], [FIRST]))
        for _ in range(before):
            await asyncio.sleep(0)
        start.model.unsave()
        await saving
        await start.stop()

    for before in range(1, 8):
        asyncio.run(forget(before))
        assert [path.name for path in folder.iterdir() if "state" in path.name] == []


def test_what_begins_all_is_written_when_it_changed_only(engine: Engine, tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "state" / "beginning.state"
    asyncio.run(first_run(engine, states(tmp_path, clock)))
    before = file.stat().st_ino
    asyncio.run(first_run(engine, states(tmp_path, clock)))
    assert file.stat().st_ino == before


def test_conversations_are_saved_four_times_a_day_and_a_new_beginning_always(
    engine: Engine, tmp_path: Path, clock: Clock
) -> None:
    folder = tmp_path / "state"

    async def stopped(number: int) -> tuple[bool, bytes]:
        start = Start(engine, states(tmp_path, clock))
        system = Message("system", f"{SYSTEM.content} {number}")
        reply, _ = await start.say(system, FIRST[1])
        await start.model.save([system], [[system, FIRST[1], Message("assistant", reply)]])
        await start.stop()
        return (folder / "conversations.state").exists(), (folder / "beginning.state").read_bytes()

    saved = [asyncio.run(stopped(number)) for number in range(6)]
    assert [conversations for conversations, _ in saved] == [True] * WRITES_A_DAY + [False] * 2
    assert len({beginning for _, beginning in saved}) == 6
    assert asyncio.run(stopped(5)) == (False, saved[-1][1])


def damages(content: bytes, count: int) -> Iterator[bytes]:
    """Truncated, with bits flipped, ranges zeroed, moved or doubled; empty; and well-formed ones with lies in them."""
    random = Random(0)
    yield b""
    yield content + b"\x00"
    yield content[::-1]
    for _ in range(count - 3):
        at, size = random.randrange(len(content)), random.randrange(1, 4096)
        bit = 1 << random.randrange(8)
        yield random.choice(
            [
                content[:at],
                content[at:],
                content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :],
                content[:at] + bytes(min(size, len(content) - at)) + content[at + size :] + b"\x01",
                content[: at // 2] + content[at:],
                content[:at] + content[at // 2 :],
            ]
        )


def test_damaged_files_mean_a_cold_start_and_the_same_reply(engine: Engine, tmp_path: Path, clock: Clock) -> None:
    said, expected = asyncio.run(first_run(engine, states(tmp_path, clock)))
    folder = tmp_path / "state"
    whole = {name: (folder / name).read_bytes() for name in ("beginning.state", "conversations.state")}
    ids = msgspec.msgpack.decode(whole["conversations.state"][50:])["saved"]["replies"]

    async def run(contents: dict[str, bytes]) -> None:
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        start = Start(engine, states(tmp_path, clock))
        start.model.prompt_tokens.recall(ids)  # the same ids: what is compared is the evaluation
        assert start.model.restored_tokens == 0
        reply, usage = await start.say(*said, NEXT)
        await start.stop()
        assert (reply, usage.evaluated_tokens) == (expected, usage.prompt_tokens)

    tried = 0
    for contents in zip(*(damages(content, DAMAGED // 2) for content in whole.values()), strict=True):
        asyncio.run(run(dict(zip(whole, contents, strict=True))))
        tried += 2
    asyncio.run(run({"beginning.state": whole["conversations.state"][:-1], "conversations.state": b"GGUF"}))
    assert tried >= 200
