"""The turn: its steps in their order, and what it keeps when it ends early."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from pi_memory.daemon import running
from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import Unprocessable
from pi_memory.parts import Parts
from pi_memory.types import Candidate, Delta, Done, Exchange, Memory, Turn
from tests.conftest import settings_for
from tests.fakes import FakeClock, FakeModel


def in_daemon(folder: Path, work: Callable[[Parts], Awaitable[None]], *, model: FakeModel, **values: object) -> None:
    async def main() -> None:
        settings = settings_for(folder, **values)
        async with running(settings, model=model, embedder=NoEmbedder(), clock=FakeClock()) as parts:
            await work(parts)

    asyncio.run(main())


async def say(parts: Parts, message: str, *, conversation: str = "c", agent: str = "general") -> Done:
    *_, done = [event async for event in parts.assistant.turn(Turn(message, conversation, agent=agent))]
    assert isinstance(done, Done)
    return done


def test_pieces_come_first_and_together_are_the_reply(tmp_path: Path) -> None:
    async def work(parts: Parts) -> None:
        *pieces, done = [event async for event in parts.assistant.turn(Turn("hello", "c"))]
        assert isinstance(done, Done)
        assert "".join(piece.text for piece in pieces if isinstance(piece, Delta)) == done.reply == "one two "

    in_daemon(tmp_path, work, model=FakeModel("one two"))


def test_the_prompt_is_standing_text_then_what_was_said_then_the_message(tmp_path: Path) -> None:
    model = FakeModel("Hello.")

    async def work(parts: Parts) -> None:
        await say(parts, "I am Ada")
        await say(parts, "Who am I?")

    in_daemon(tmp_path, work, model=model)
    assert [message.role for message in model.prompts[1]] == ["system", "user", "assistant", "user"]
    assert model.prompts[1][:2] == model.prompts[0], "what has been prompted stands there as it was"


def test_what_is_stated_is_confirmed_behind_the_reply_and_kept(tmp_path: Path) -> None:
    async def work(parts: Parts) -> None:
        done = await say(parts, "Remember that the spare key is in the shed.")
        (line,) = done.receipt.stated
        assert done.reply == f"Fine. \n\n{line}"
        memories, _ = await parts.memories.listed()
        assert [memory.priority for memory in memories] == ["highest"]

    in_daemon(tmp_path, work, model=FakeModel("Fine."))


def test_a_reply_that_is_left_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    async def work(parts: Parts) -> None:
        events = parts.assistant.turn(Turn("count", "c"))
        assert await anext(events) == Delta("one ")
        await events.aclose()
        conversation = parts.windows.get("c", parts.clock())
        assert conversation is not None
        assert [(e.reply, e.partial) for e in conversation.exchanges] == [("one ", True)]

    in_daemon(tmp_path, work, model=FakeModel("one two three"))


def test_turns_of_one_conversation_follow_each_other(tmp_path: Path) -> None:
    model = FakeModel("one two three four five")

    async def work(parts: Parts) -> None:
        await asyncio.gather(*(say(parts, str(number)) for number in range(3)))

    in_daemon(tmp_path, work, model=model)
    assert [sum(m.role == "user" for m in prompt) for prompt in model.prompts] == [1, 2, 3]


@pytest.mark.parametrize(("message", "agent"), [("hello", "nobody"), ("word " * 5_000, "general")])
def test_what_cannot_be_said_leaves_nothing(tmp_path: Path, message: str, agent: str) -> None:
    async def work(parts: Parts) -> None:
        with pytest.raises(Unprocessable):
            await say(parts, message, agent=agent)
        conversation = parts.windows.get("c", parts.clock())
        assert conversation is None or not conversation.exchanges

    in_daemon(tmp_path, work, model=FakeModel())


def test_a_statement_in_a_message_that_does_not_fit_is_not_kept(tmp_path: Path) -> None:
    async def work(parts: Parts) -> None:
        with pytest.raises(Unprocessable):
            await say(parts, "Remember that the key is in the shed. " + "word " * 5_000)
        assert await parts.memories.listed() == ([], 0)

    in_daemon(tmp_path, work, model=FakeModel())


@pytest.mark.parametrize(("words", "is_summed_up"), [(222, True), (250, False)])
def test_what_is_recalled_gives_way_to_a_long_message(tmp_path: Path, words: int, *, is_summed_up: bool) -> None:
    """There is room for 300 words, 45 of them stand in front. The longer message leaves none for the summary either."""
    model = FakeModel("The weather on the hill has been fair for days. " * 10)
    stopcock = (
        "The stopcock is behind the white cupboard in the cellar, left of the boiler and below the old shelf, and its "
        "handle is the one with the red tape around it, which turns clockwise"
    )
    message = "Where is the stopcock?" + " the" * (words - 4)

    async def work(parts: Parts) -> None:
        await parts.memories.add(Candidate(stopcock), origin="api")
        assert (await say(parts, message, conversation="another")).receipt.recalled
        model.context_tokens = 400
        await say(parts, "How was your week?")
        done = await say(parts, message)
        assert (done.receipt.context, done.receipt.recalled) == ("", ())
        conversation = parts.windows.get("c", parts.clock())
        assert conversation is not None
        last = conversation.exchanges[-1]
        assert (last.user, last.context, last.recalled) == (message, "", ())

    in_daemon(tmp_path, work, model=model)
    assert model.prompts[-1][-1].text == message
    assert ("[Context compacted]" in model.prompts[-1][0].text) is is_summed_up


def test_a_stop_puts_what_was_said_on_the_card_before_it_works_off_the_rest(tmp_path: Path) -> None:
    found: list[str] = []

    async def work(parts: Parts) -> None:
        keep = parts.learner.keep

        async def slowly(exchange_id: int, exchange: Exchange) -> list[Memory]:
            await asyncio.sleep(0.3)
            found.extend(on_the_card(tmp_path))
            return await keep(exchange_id, exchange)

        parts.learner.keep = slowly  # type: ignore[method-assign]
        await say(parts, "The anchor is by the door")

    in_daemon(tmp_path, work, model=FakeModel("Fine."))
    assert found == ["The anchor is by the door"]


def on_the_card(folder: Path) -> list[str]:
    """What a power cut leaves of what was said: that in the database without its log, which nothing has synced."""
    (path,) = folder.rglob("memory.db")
    (folder / "cut.db").write_bytes(path.read_bytes())
    with closing(sqlite3.connect(folder / "cut.db")) as db:
        return [user for (user,) in db.execute("select user from exchanges")]
