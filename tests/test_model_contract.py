"""What every `Model` promises, run on each of them, the fake among them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from pathlib import Path

import pytest

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.model.local import LocalModel
from pi_memory.model.remote import RemoteModel
from pi_memory.protocols import Model
from pi_memory.types import AnswerForm, Message, Usage
from tests.fakes import FakeModel
from tests.gguf_files import write_llama
from tests.openai_server import obliging, serving
from tests.story_model import story_model

Opening = Callable[[], AbstractAsyncContextManager[Model]]

TOLD = Message("user", "My dog is called Max and he likes the garden.")
ASKED = Message("user", "What is my dog called?")
PROMPT = (Message("system", "You are the assistant."), TOLD, Message("assistant", "Noted."), ASKED)
CAP = 24


@pytest.fixture(params=["extractive", "fake", "remote", "tiny", "story"])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """Opens one of the models, in an event loop."""

    @asynccontextmanager
    async def remote() -> AsyncIterator[Model]:
        async with serving(obliging) as server:
            yield RemoteModel(server.url, model="small", context_tokens=512)

    @asynccontextmanager
    async def here() -> AsyncIterator[Model]:
        yield simple[request.param]()

    def local(path: Path) -> Model:
        return LocalModel.open(path, threads=1, temperature=0)

    simple: dict[str, Callable[[], Model]] = {
        "extractive": lambda: ExtractiveModel(context_tokens=512),
        "fake": lambda: FakeModel("He is called Max, as you told me."),
        "tiny": lambda: local(write_llama(tmp_path / "tiny.gguf")),
        "story": lambda: local(story_model()),
    }
    return remote if request.param == "remote" else here


def run(opening: Opening, use: Callable[[Model], Awaitable[None]]) -> None:
    async def opened() -> None:
        async with opening() as model:
            try:
                await use(model)
            finally:
                await model.close()

    asyncio.run(opened())


async def ask(model: Model, messages: Sequence[Message] = PROMPT, cap: int = CAP) -> list[str | Usage]:
    return [item async for item in model.generate(messages, max_tokens=cap)]


async def said(model: Model, messages: Sequence[Message] = PROMPT) -> str:
    return "".join(map(str, (await ask(model, messages))[:-1]))


def test_pieces_then_one_usage(opening: Opening) -> None:
    async def use(model: Model) -> None:
        *pieces, usage = await ask(model)
        assert pieces
        assert all(isinstance(piece, str) and piece for piece in pieces)
        assert isinstance(usage, Usage)
        assert 0 < usage.completion_tokens <= CAP
        assert 0 <= usage.evaluated_tokens <= usage.prompt_tokens
        assert usage.prompt_tokens > 0

    run(opening, use)


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_the_cap_is_held(opening: Opening, cap: int) -> None:
    async def use(model: Model) -> None:
        *pieces, usage = await ask(model, cap=cap)
        assert isinstance(usage, Usage)
        assert usage.completion_tokens <= cap
        assert len(pieces) <= cap

    run(opening, use)


def test_closing_in_the_middle_leaves_it_ready(opening: Opening) -> None:
    async def use(model: Model) -> None:
        undisturbed = await said(model)
        for received in (0, 1, 3):
            async with aclosing(model.generate(PROMPT, max_tokens=CAP)) as pieces:
                for _ in range(received):
                    await anext(pieces)
        assert await said(model) == undisturbed

    run(opening, use)


def test_cancelling_the_task_leaves_it_ready(opening: Opening) -> None:
    async def use(model: Model) -> None:
        undisturbed = await said(model)
        for steps in range(6):
            task = asyncio.create_task(ask(model))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
        assert await said(model) == undisturbed

    run(opening, use)


def test_calls_at_once_are_all_answered(opening: Opening) -> None:
    async def use(model: Model) -> None:
        prompts = [(*PROMPT[:-1], Message("user", f"What is my dog called? {number}")) for number in range(4)]
        alone = [await said(model, prompt) for prompt in prompts]
        assert await asyncio.gather(*(said(model, prompt) for prompt in prompts)) == alone

    run(opening, use)


def test_what_cannot_fit_is_refused(opening: Opening) -> None:
    async def use(model: Model) -> None:
        with pytest.raises(Unprocessable) as caught:
            await ask(model, [Message("user", "the dog " * 5_000)])
        assert caught.value.hint

    run(opening, use)


@pytest.mark.parametrize("text", ["", " \n ", "\x00", "👋🏽 Grüße, 世界", "<|im_end|></user><|endoftext|>", "a\ud800b"])
def test_any_message_is_answered(opening: Opening, text: str) -> None:
    async def use(model: Model) -> None:
        messages = (TOLD, Message("assistant", text), Message("user", text, context=text))
        assert isinstance((await ask(model, messages))[-1], Usage)
        assert model.count(text) >= 0
        assert model.count_prompt(messages) > 0

    run(opening, use)


def test_more_text_counts_more(opening: Opening) -> None:
    async def use(model: Model) -> None:
        assert model.count("") == 0
        assert 0 < model.count("the dog") < model.count("the dog " * 20)
        assert model.count_prompt([TOLD]) < model.count_prompt(PROMPT)
        assert model.context_tokens >= 512
        assert model.name
        assert model.provider in ("extractive", "llama", "openai", "fake")

    run(opening, use)


LABELS = ["dog", "garden", "neither of them"]
WORDS = AnswerForm('root ::= [a-z]+ (" " [a-z]+)*')


def test_one_of_the_labels_is_chosen_and_the_chat_goes_on_as_before(opening: Opening) -> None:
    async def use(model: Model) -> None:
        undisturbed = await said(model)
        if not model.is_language_model:
            with pytest.raises(ModelError):
                await model.choose(PROMPT, "Which is it about?", LABELS)
            return
        assert await model.choose(PROMPT, "Which is it about?", LABELS) in LABELS
        assert await model.choose(PROMPT, "Which is it about?", ["the only one"]) == "the only one"
        if model.provider != "fake":  # which says its replies in turn
            assert await said(model) == undisturbed

    run(opening, use)


@pytest.mark.parametrize("cap", [0, 4, 40])
def test_what_is_written_keeps_to_the_cap(opening: Opening, cap: int) -> None:
    async def use(model: Model) -> None:
        if not model.is_language_model:
            with pytest.raises(ModelError):
                await model.write(PROMPT, "Sum it up.", form=WORDS, cap=cap)
            return
        written = await model.write(PROMPT, "Sum it up.", form=WORDS, cap=cap)
        assert model.count(written) <= cap + bool(cap), "read anew, a text may take a token more"
        assert bool(written) or cap < 40

    run(opening, use)


def test_a_question_that_cannot_fit_is_refused(opening: Opening) -> None:
    async def use(model: Model) -> None:
        long = "which is it about " * 5_000
        for asked in (model.choose(PROMPT, long, LABELS), model.write(PROMPT, long, form=WORDS, cap=4)):
            with pytest.raises(Unprocessable if model.is_language_model else ModelError):
                await asked

    run(opening, use)


def test_what_is_kept_of_prompts_may_be_nothing(opening: Opening) -> None:
    async def use(model: Model) -> None:
        model.prepare(PROMPT[:1])
        await model.save(PROMPT[:1], [PROMPT])
        model.unsave()
        assert bool(model.counts) == model.keeps_prefixes == (model.provider == "llama")

    run(opening, use)


def test_close_may_be_called_twice(opening: Opening) -> None:
    async def use(model: Model) -> None:
        await ask(model)
        await model.close()
        await model.close()

    run(opening, use)
