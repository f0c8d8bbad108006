"""Turns under way: leaving, stopping, waiting for each other."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pi_memory.chat.stream import Stream
from pi_memory.daemon import running
from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import ModelError, Unavailable
from pi_memory.parts import Parts
from pi_memory.recall.recall import Recall
from pi_memory.types import AS_SET, Delta, Done, Message, ReplyOptions, Turn, Usage
from tests.conftest import settings_for
from tests.fakes import FakeClock, FakeModel


@asynccontextmanager
async def daemon(folder: Path, model: FakeModel, clock: FakeClock, **values: object) -> AsyncIterator[Parts]:
    async with running(settings_for(folder, **values), model=model, embedder=NoEmbedder(), clock=clock) as parts:
        yield parts


def in_daemon(folder: Path, model: FakeModel, work: Callable[[Parts], Awaitable[None]], **values: object) -> None:
    async def main() -> None:
        async with asyncio.timeout(20), daemon(folder, model, FakeClock(), **values) as parts:
            await work(parts)

    asyncio.run(main())


async def finish(stream: Stream) -> Done:
    *_, last = [event async for event in stream]
    assert isinstance(last, Done)
    return last


def gated(reply: str = "one two three four") -> tuple[FakeModel, asyncio.Event]:
    gate = asyncio.Event()
    return FakeModel(reply, gate=gate), gate


def test_a_turn_that_finds_too_little_memory_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(parts: Parts) -> None:
        async def full(*args: object) -> None:
            raise MemoryError

        monkeypatch.setattr(Recall, "for_turn", full)
        with pytest.raises(Unavailable, match="too little memory"):
            await finish(parts.streams.start(Turn("count", "c")))

    in_daemon(tmp_path, FakeModel(), work)
    assert "too little memory" in caplog.text
    assert "Traceback" not in caplog.text


def test_leaving_stops_the_model_and_what_had_arrived_is_kept(tmp_path: Path) -> None:
    model, gate = gated()

    async def work(parts: Parts) -> None:
        stream = parts.streams.start(Turn("count", "c"))
        assert await anext(aiter(stream)) == Delta("one ")
        stream.leave()
        await asyncio.wait({stream.task})
        gate.set()
        await asyncio.sleep(0)
        assert model.words_said == 1
        conversation = parts.windows.get("c", parts.clock())
        assert conversation is not None
        (exchange,) = conversation.exchanges
        assert (exchange.user, exchange.reply, exchange.partial) == ("count", "one ", True)
        await parts.inbox.drain()
        assert (await finish(parts.streams.start(Turn("again", "c")))).reply == "one two three four "
        assert [m.content for m in model.prompts[-1][1:]] == ["count", "one ", "again"]

    in_daemon(tmp_path, model, work)


def test_leaving_before_the_first_word_keeps_nothing(tmp_path: Path) -> None:
    async def work(parts: Parts) -> None:
        stream = parts.streams.start(Turn("count", "c"))
        stream.leave()
        await asyncio.wait({stream.task})
        assert parts.windows.get("c", parts.clock()) is None
        assert (await finish(parts.streams.start(Turn("again", "c")))).reply

    in_daemon(tmp_path, FakeModel(), work)


def test_turns_of_one_conversation_follow_each_other_and_others_do_not_wait(tmp_path: Path) -> None:
    model, gate = gated()

    async def work(parts: Parts) -> None:
        first, second = (parts.streams.start(Turn(text, "c")) for text in ("first", "second"))
        other = parts.streams.start(Turn("other", "d"))
        await anext(aiter(first))
        await anext(aiter(other))
        assert sorted(prompt[-1].content for prompt in model.prompts) == ["first", "other"]
        gate.set()
        await asyncio.gather(*(finish(stream) for stream in (second, other)))
        assert [m.content for m in model.prompts[-1][1:]] == ["first", "one two three four ", "second"]

    in_daemon(tmp_path, model, work)


def test_stopping_ends_what_is_under_way_and_takes_nothing_new(tmp_path: Path) -> None:
    model, _ = gated()

    async def work(parts: Parts) -> None:
        stream = parts.streams.start(Turn("count", "c"))
        events = aiter(stream)
        await anext(events)
        await parts.streams.stop()
        with pytest.raises(Unavailable, match="stopped"):
            await anext(events)
        with pytest.raises(Unavailable, match="stopping"):
            parts.streams.start(Turn("more", "c"))
        assert parts.windows.get("c", parts.clock()) is not None

    in_daemon(tmp_path, model, work)


def test_more_turns_than_may_wait_are_refused(tmp_path: Path) -> None:
    model, gate = gated()

    async def main() -> None:
        async with daemon(tmp_path, model, FakeClock(), PI_MEMORY_MAX_WAITING=2) as parts:
            streams = [parts.streams.start(Turn("x", name)) for name in "ab"]
            with pytest.raises(Unavailable, match="2 turns") as caught:
                parts.streams.start(Turn("x", "c"))
            assert caught.value.retry_after > 0
            gate.set()
            await asyncio.gather(*map(finish, streams))
            assert (await finish(parts.streams.start(Turn("x", "c")))).reply

    asyncio.run(main())


async def kept(parts: Parts) -> tuple[str, bool]:
    """The last reply in the window, and whether it is marked partial."""
    await parts.inbox.drain()
    conversation = parts.windows.get("c", parts.clock())
    assert conversation is not None
    return conversation.exchanges[-1].reply, conversation.exchanges[-1].partial


def test_a_turn_that_takes_too_long_is_stopped_and_what_had_arrived_is_kept(tmp_path: Path) -> None:
    model, _ = gated()

    async def work(parts: Parts) -> None:
        with pytest.raises(Unavailable, match="took longer") as caught:
            await finish(parts.streams.start(Turn("count", "c")))
        assert "PI_MEMORY_TURN_SECONDS" in caught.value.hint
        assert await kept(parts) == ("one ", True)

    in_daemon(tmp_path, model, work, PI_MEMORY_TURN_SECONDS=1)


class Endless(FakeModel):
    """Says the same word for ever, whatever the cap."""

    async def generate(
        self, messages: Sequence[Message], *, max_tokens: int, options: ReplyOptions = AS_SET
    ) -> AsyncGenerator[str | Usage, None]:
        while True:
            await asyncio.sleep(0)
            yield "blah " * 100


def test_a_reply_that_does_not_end_is_ended(tmp_path: Path) -> None:
    async def work(parts: Parts) -> None:
        with pytest.raises(ModelError, match="does not end"):
            await finish(parts.streams.start(Turn("count", "c")))
        reply, partial = await kept(parts)
        assert partial
        assert 1_000 < len(reply) <= 10 * 256

    in_daemon(tmp_path, Endless(), work, PI_MEMORY_MAX_TOKENS=10)
