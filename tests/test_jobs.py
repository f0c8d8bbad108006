"""What memory asks a local model beside the chat, and what is evaluated ahead."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_memory.errors import ModelError, Unprocessable
from pi_memory.model.engine import Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.protocols import Model
from pi_memory.types import AnswerForm, Message, Usage
from tests.gguf_files import Shape, write_llama

SYSTEM = Message("system", "You are the assistant.")
SAID = [SYSTEM, Message("user", "hello in the world"), Message("assistant", "hello user")]
QUESTION = Message("user", "again the world")
LABELS = ["memory", "memory/dedup", "network", "none"]
WORDS = 'root ::= [a-z]+ (" " [a-z]+)* "."'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "tiny.gguf", context=1024)


@pytest.fixture
def model(path: Path) -> Iterator[LocalModel]:
    model = LocalModel.open(path, threads=1, temperature=0)
    yield model
    asyncio.run(model.close())


async def chat(model: Model, messages: list[Message], max_tokens: int = 40) -> tuple[str, Usage]:
    *pieces, usage = [item async for item in model.generate(messages, max_tokens=max_tokens)]
    assert isinstance(usage, Usage)
    return "".join(map(str, pieces)), usage


async def idle(model: LocalModel) -> None:
    """Until nothing is left to do."""
    while model.steps is not None:  # noqa: ASYNC110 - nobody is told that a background job has ended
        await asyncio.sleep(0)


@pytest.mark.parametrize(("says", "label"), [("c", "cat"), ("d", "dog"), ("c", "car")])
def test_choose_takes_what_the_model_would_say(tmp_path: Path, says: str, label: str) -> None:
    chain = dict(zip(["\n", *label[:-1]], label, strict=True))
    model = LocalModel.open(write_llama(tmp_path / "chain.gguf", follows=chain), threads=1)
    assert asyncio.run(model.choose(SAID, "Which animal?", ["dog", "car", "cat"])) == label
    asyncio.run(model.close())


def test_choose_evaluates_only_the_instruction(model: LocalModel) -> None:
    async def run() -> None:
        await chat(model, SAID[:2])
        before = model.count_prompt([*SAID[:2]])
        assert await model.choose(SAID[:2], "the topic?", ["user", "world"]) in ("user", "world")
        count = model.counts["choose"]
        assert count.submitted > before
        assert count.evaluated <= count.submitted - before + 8
        assert count.generated == 0

    asyncio.run(run())


def test_one_label_needs_no_model(model: LocalModel) -> None:
    assert asyncio.run(model.choose(SAID, "topic?", ["only"])) == "only"
    assert model.counts["choose"].evaluated == 0


def test_choose_is_what_comparing_along_the_trie_says(model: LocalModel, path: Path) -> None:
    """Each parting evaluated anew on an engine of its own."""
    asyncio.run(chat(model, SAID[:2]))
    chosen = asyncio.run(model.choose(SAID, "topic?", LABELS))
    prompt = model.prompt_tokens.prompt([*SAID, Message("user", "topic?")])
    left = {label: model.prompt_tokens.answer(label, after=prompt) for label in LABELS}
    engine, at = Engine(path, ContextSize(threads=1, context_tokens=1024)), 0
    while len(left) > 1:
        engine.drop(0)
        engine.prefill(0, [*prompt, *next(iter(left.values()))[:at]])
        likeliest = engine.likeliest(0, sorted({ids[at] for ids in left.values()}))
        left = {label: ids for label, ids in left.items() if ids[at] == likeliest}
        at += 1
    engine.close()
    assert left.keys() == {chosen}


@pytest.mark.parametrize("cap", [0, 1, 5, 60])
def test_write_keeps_to_the_grammar_and_the_cap(model: LocalModel, cap: int) -> None:
    text = asyncio.run(model.write(SAID, "What?", form=AnswerForm(WORDS), cap=cap))
    assert re.fullmatch(r"(?!\s)[a-z ]*\.?", text)
    assert model.counts["write"].generated <= cap
    assert bool(text) == (cap > 0)


def test_write_ends_where_the_grammar_ends(model: LocalModel) -> None:
    grammar = 'root ::= "{\\"topic\\": " ("null" | "\\"the" [a-z]{2} "\\"") "}"'
    text = asyncio.run(model.write(SAID, "What?", form=AnswerForm(grammar), cap=50))
    assert re.fullmatch(r'\{"topic": (null|"the[a-z]{2}")\}', text)


def test_the_whole_vocabulary_is_asked_only_after_a_refusal(path: Path) -> None:
    engine = Engine(path, ContextSize(threads=1, context_tokens=256))
    engine.prefill(0, [3, 1, 4])
    free, strict = engine.grammar("root ::= [^\\x00]*"), engine.grammar('root ::= "zqxj"')
    assert engine.draw(0, free) is not None
    assert engine.draw(0, strict) is not None
    assert (free.asked_all, strict.asked_all) == (0, 1)
    free.close()
    strict.close()
    engine.close()


def test_write_forges_no_control_tokens(tmp_path: Path) -> None:
    """A model that would say a control token first of all, and a grammar that allows any text."""
    path = write_llama(tmp_path / "forger.gguf", follows={"\n": "<|im_start|>"})
    model = LocalModel.open(path, threads=1)
    text = asyncio.run(model.write(SAID, "What?", form=AnswerForm("root ::= [^\\x00]*"), cap=5))
    assert "<|im_start|>" not in text
    asyncio.run(model.close())


def test_a_malformed_grammar_is_a_value_error(model: LocalModel) -> None:
    with pytest.raises(ValueError, match="grammar"):
        asyncio.run(model.write(SAID, "What?", form=AnswerForm("root ::= ("), cap=5))
    assert asyncio.run(chat(model, SAID[:2]))[0]


def test_what_cannot_fit_is_refused(model: LocalModel) -> None:
    with pytest.raises(Unprocessable):
        asyncio.run(model.choose(SAID, "x" * 1100, LABELS))
    with pytest.raises(Unprocessable):
        asyncio.run(model.write(SAID, "What?", form=AnswerForm(WORDS), cap=1000))


@pytest.mark.parametrize(("context", "share"), [(512, 0.8), (512, 1.0), (4096, 0.8), (4096, 1.0)])
def test_there_is_room_for_questions_in_a_full_context(tmp_path: Path, context: int, share: float) -> None:
    path = write_llama(tmp_path / "tiny.gguf", context=context)
    model = LocalModel.open(path, context_tokens=context, threads=1, temperature=0)
    cap = max(200, context // 40)
    filler = SAID[1:] * context

    async def run() -> None:
        said = [SYSTEM]
        while model.count_prompt([*said, QUESTION]) + 50 < share * context:
            said.append(filler[len(said)])
        said = said[: 1 + len(said) // 2 * 2 - 2]
        reply, _ = await chat(model, [*said, QUESTION], 40)
        full = [*said, QUESTION, Message("assistant", reply)]
        assert model.count_prompt(full) > share * context - 60
        evaluated = model.counts["write"].evaluated
        summary = await model.write(full, "Summarise it.", form=AnswerForm("root ::= [a-z ]+"), cap=cap)
        assert model.count(summary) > cap / 2
        assert model.counts["write"].evaluated - evaluated < cap + 100
        assert await model.choose(full, "Which topic is it?", LABELS) in LABELS
        again, _ = await chat(model, [*said, QUESTION], 40)
        assert again == reply

    asyncio.run(run())
    asyncio.run(model.close())


@asynccontextmanager
async def background(model: LocalModel) -> AsyncIterator[list[str]]:
    """Memory work that never ends; what it gave."""
    done: list[str] = []

    async def work() -> None:
        while True:
            done.append(await model.choose(SAID, f"topic {len(done)}?", LABELS))
            done.append(await model.write(SAID, "What?", form=AnswerForm(WORDS), cap=8))
            model.prepare([SYSTEM, Message("user", f"the world {len(done)}"), Message("assistant", "hello")])

    task = asyncio.create_task(work())
    yield done
    task.cancel()
    await asyncio.wait({task})


async def talk(model: LocalModel, turns: int = 6) -> list[str]:
    messages, replies = [SYSTEM], []
    for turn in range(turns):
        messages.append(Message("user", f"the world {turn}"))
        text, _ = await chat(model, messages)
        replies.append(text)
        messages.append(Message("assistant", text))
        model.prepare(messages)
        await asyncio.sleep(0.003)
    return replies


def test_background_work_changes_no_reply(path: Path) -> None:
    async def run(disturbed: bool) -> list[str]:
        model = LocalModel.open(path, threads=1, temperature=0)
        if not disturbed:
            replies = await talk(model)
        else:
            async with background(model) as done:
                replies = await talk(model)
                assert done
        await model.close()
        return replies

    assert asyncio.run(run(disturbed=True)) == asyncio.run(run(disturbed=False))


def test_work_pauses_for_a_chat_and_gives_the_same(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "slow.gguf", context=2048, shape=Shape(width=256, layers=4, feed_forward=512))
    model = LocalModel.open(path, threads=1, temperature=0)
    long = Message("user", "x" * 1200)

    async def run() -> None:
        alone = await model.write([long], "What?", form=AnswerForm(WORDS), cap=200)
        order: list[str] = []
        work = asyncio.create_task(model.write([long], "What?", form=AnswerForm(WORDS), cap=200))
        work.add_done_callback(lambda _: order.append("work"))
        for number in range(3):
            while len(model.engine.held(model.engine.scratch)) < 400 * number:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)
            await chat(model, [QUESTION], 10)
            order.append("chat")
        assert await work == alone
        assert order[0] == "chat"

    asyncio.run(run())
    asyncio.run(model.close())


def test_the_conversation_is_not_evaluated_again_after_work(model: LocalModel) -> None:
    async def run() -> None:
        reply, first = await chat(model, SAID[:2])
        said = [*SAID[:2], Message("assistant", reply)]
        await model.choose(said, "topic?", LABELS)
        await model.write(said, "What?", form=AnswerForm(WORDS), cap=20)
        _, usage = await chat(model, [*said, QUESTION])
        new = usage.prompt_tokens - first.prompt_tokens - first.completion_tokens
        assert usage.evaluated_tokens <= new + 2

    asyncio.run(run())


def test_what_is_prepared_need_not_be_evaluated(model: LocalModel) -> None:
    async def run() -> None:
        reply, _ = await chat(model, SAID[:2])
        said = [*SAID[:2], Message("assistant", reply)]
        for messages in ([SYSTEM], said):
            model.prepare(messages)
            await idle(model)
            prefix = model.prompt_tokens.prefix(messages)
            prompt = model.prompt_tokens.prompt([*messages, QUESTION])
            assert prompt[: len(prefix)] == prefix
            _, usage = await chat(model, [*messages, QUESTION])
            assert usage.evaluated_tokens == len(prompt) - len(prefix)

    asyncio.run(run())


def test_preparing_twice_evaluates_once(model: LocalModel) -> None:
    async def run() -> None:
        for _ in range(3):
            model.prepare(SAID)
        await idle(model)
        assert model.counts["idle"].evaluated == len(model.prompt_tokens.prefix(SAID))

    asyncio.run(run())


def test_leaving_work_stops_it(model: LocalModel) -> None:
    async def run() -> None:
        before = await chat(model, SAID[:2])
        task = asyncio.create_task(model.write(SAID, "What?", form=AnswerForm(WORDS), cap=500))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
        await idle(model)
        assert model.counts["write"].generated < 500
        assert model.engine.held(model.engine.scratch) == []
        assert (await chat(model, SAID[:2]))[0] == before[0]

    asyncio.run(run())


def test_closing_ends_work_clearly(model: LocalModel) -> None:
    def starts() -> list[Callable[[], Coroutine[Any, Any, object]]]:
        return [
            lambda: model.choose(SAID, "topic?", LABELS),
            lambda: model.write(SAID, "What?", form=AnswerForm(WORDS), cap=900),
        ]

    async def run() -> None:
        tasks = [asyncio.create_task(start()) for start in starts()]
        await asyncio.sleep(0)
        await model.close()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(result, ModelError | str)
        for start in starts():
            with pytest.raises(ModelError, match="closed"):
                await start()

    asyncio.run(run())


def test_the_event_loop_goes_on_while_tokens_are_generated(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "busy.gguf", context=2048, shape=Shape(width=256, layers=4, feed_forward=512))
    model = LocalModel.open(path, threads=1, temperature=0)
    rounds, tokens = 0, 300

    async def watch() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0.001)
            rounds += 1

    async def run() -> None:
        task = asyncio.create_task(watch())
        async with background(model):
            for number in range(3):
                await chat(model, [Message("user", f"{number} " * 300)], tokens // 3)
        task.cancel()
        await model.close()

    asyncio.run(run())
    assert rounds > tokens / 10, "a fast machine generates several tokens a millisecond"
