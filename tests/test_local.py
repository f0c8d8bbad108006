import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.model.local import LocalModel
from pi_memory.types import Message, Usage
from tests.gguf_files import WORDS, Shape, write_llama

SYSTEM = Message("system", "You are the assistant.")
HELLO = (SYSTEM, Message("user", "hello in the world"))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture
def model(path: Path) -> Iterator[LocalModel]:
    model = LocalModel.open(path, threads=1, temperature=0)
    yield model
    asyncio.run(model.close())


async def collect(model: LocalModel, messages: Sequence[Message], max_tokens: int = 20) -> tuple[str, Usage]:
    *pieces, usage = [item async for item in model.generate(messages, max_tokens=max_tokens)]
    assert isinstance(usage, Usage)
    return "".join(map(str, pieces)), usage


async def talk(model: LocalModel, turns: int, max_tokens: int = 20) -> list[Usage]:
    """Several turns of one conversation."""
    messages, usages = [SYSTEM], []
    for turn in range(turns):
        messages.append(Message("user", f"the world {turn}"))
        text, usage = await collect(model, messages, max_tokens)
        messages.append(Message("assistant", text))
        usages.append(usage)
    return usages


def says(folder: Path, *tokens: str, template: str | None = None) -> Path:
    """A model that always says these tokens, each of which may come once."""
    chain = dict(zip(["\n", *tokens[:-1]], tokens, strict=True))
    words = [token for token in tokens if len(token) > 1] or WORDS
    return write_llama(folder / "chain.gguf", words=words, follows=chain, chat_template=template)


def test_a_later_turn_evaluates_only_what_is_new(model: LocalModel) -> None:
    first, *later = asyncio.run(talk(model, 4))
    assert first.evaluated_tokens == first.prompt_tokens
    before = first
    for usage in later:
        grown = usage.prompt_tokens - before.prompt_tokens - before.completion_tokens
        assert usage.evaluated_tokens <= grown + 2
        before = usage


def test_two_conversations_keep_their_prefixes(model: LocalModel) -> None:
    async def run() -> int:
        one = [SYSTEM, Message("user", "the world " * 20)]
        two = [SYSTEM, Message("user", "hello there " * 20)]
        reply, _ = await collect(model, one)
        await collect(model, two)
        _, usage = await collect(model, [*one, Message("assistant", reply), Message("user", "more")])
        return usage.evaluated_tokens

    assert asyncio.run(run()) < 30


def test_the_reply_is_the_same_as_from_a_cold_start(model: LocalModel, path: Path) -> None:
    async def run() -> tuple[str, str]:
        text, _ = await collect(model, HELLO)
        messages = [*HELLO, Message("assistant", text), Message("user", "again")]
        warm, _ = await collect(model, messages)
        cold = LocalModel.open(path, threads=1, temperature=0)
        cold.prompt_tokens.replies = model.prompt_tokens.replies  # the same ids, evaluated anew
        fresh, usage = await collect(cold, messages)
        await cold.close()
        assert usage.evaluated_tokens == usage.prompt_tokens
        return warm, fresh

    warm, fresh = asyncio.run(run())
    assert warm == fresh


def test_leaving_stops_within_a_token_and_the_next_call_is_right(model: LocalModel) -> None:
    async def run() -> None:
        expected, _ = await collect(model, HELLO)
        async with aclosing(model.generate(HELLO, max_tokens=400)) as pieces:
            await anext(pieces)
        again, usage = await collect(model, HELLO)
        assert again == expected
        assert usage.completion_tokens <= 20

    asyncio.run(run())


def test_leaving_during_prefill_stops_it(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "slow.gguf", context=2048, shape=Shape(width=256, layers=4, feed_forward=1024))
    model = LocalModel.open(path, threads=1, temperature=0)
    long = [Message("user", "x" * 1500)]

    async def run() -> None:
        task = asyncio.create_task(collect(model, long))
        while not model.engine.held(0):  # noqa: ASYNC110 - nobody tells that the first batch is evaluated
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        _, usage = await collect(model, [Message("user", "hello")], 5)
        assert usage.evaluated_tokens <= usage.prompt_tokens
        assert not any(len(model.engine.held(sequence)) > 1400 for sequence in range(4))
        await model.close()

    asyncio.run(run())


def test_a_partial_reply_is_kept_as_generated(model: LocalModel) -> None:
    async def run() -> int:
        received = ""
        async with aclosing(model.generate(HELLO, max_tokens=100)) as pieces:
            async for piece in pieces:
                received += str(piece)
                if len(received) > 10:
                    break
        _, usage = await collect(model, [*HELLO, Message("assistant", received), Message("user", "hello")])
        return usage.evaluated_tokens

    assert asyncio.run(run()) < 30


def test_calls_are_answered_in_order(model: LocalModel) -> None:
    async def run() -> list[int]:
        done: list[int] = []

        async def one(number: int) -> None:
            await collect(model, [Message("user", f"hello {number}")])
            done.append(number)

        await asyncio.gather(*(one(number) for number in range(6)))
        return done

    assert asyncio.run(run()) == list(range(6))


def test_what_does_not_fit_is_refused(model: LocalModel) -> None:
    with pytest.raises(Unprocessable, match="do not fit"):
        asyncio.run(collect(model, [Message("user", "x" * 600)]))
    with pytest.raises(Unprocessable, match="do not fit"):
        asyncio.run(collect(model, [Message("user", "x" * 10_000_000)]))


@pytest.mark.parametrize("max_tokens", [1, 3, 50])
def test_the_cap_is_hard_even_in_the_middle_of_a_character(model: LocalModel, max_tokens: int) -> None:
    _, usage = asyncio.run(collect(model, HELLO, max_tokens))
    assert usage.completion_tokens <= max_tokens


def test_characters_arrive_whole(tmp_path: Path) -> None:
    parts = [*"é👋".encode().decode("ascii", "surrogateescape")]  # one token a byte
    model = LocalModel.open(says(tmp_path, *parts), threads=1)

    async def run() -> list[str | Usage]:
        return [item async for item in model.generate(HELLO, max_tokens=20)]

    *pieces, usage = asyncio.run(run())
    assert pieces == ["é", "👋"]
    assert isinstance(usage, Usage)
    assert usage == Usage(prompt_tokens=usage.prompt_tokens, evaluated_tokens=usage.prompt_tokens, completion_tokens=6)
    asyncio.run(model.close())


def test_a_stop_string_ends_the_reply_and_is_not_shown(tmp_path: Path) -> None:
    model = LocalModel.open(says(tmp_path, "Hi", ".", "</", "assist", "ant>", "!"), threads=1)
    text, usage = asyncio.run(collect(model, HELLO))
    assert text == "Hi."
    assert usage.completion_tokens == 5
    asyncio.run(model.close())


def test_after_close_calls_fail_clearly(model: LocalModel) -> None:
    async def run() -> None:
        waiting = asyncio.create_task(collect(model, HELLO, 400))
        await asyncio.sleep(0)
        await asyncio.gather(model.close(), model.close())
        with pytest.raises(ModelError, match="closed"):
            await waiting
        with pytest.raises(ModelError, match="closed"):
            await collect(model, HELLO)
        with pytest.raises(ModelError, match="closed"):
            model.count("hello")

    asyncio.run(run())


def test_a_client_that_goes_with_its_loop_harms_nobody(model: LocalModel) -> None:
    async def leave() -> None:
        pieces = model.generate(HELLO, max_tokens=400)
        await anext(pieces)
        await pieces.aclose()

    asyncio.run(leave())
    text, _ = asyncio.run(collect(model, HELLO))
    assert text
