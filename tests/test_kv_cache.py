"""Models that cannot take back a part of what they read: right all the same, at their cost."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pi_memory.model.engine import Cancelled, Engine
from pi_memory.model.jobs import prepare
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.types import AnswerForm, Message, Usage
from tests import gguf_kinds
from tests.cold import GREEDY, Cold

KINDS = {"sliding": gguf_kinds.sliding, "hybrid": gguf_kinds.hybrid, "recurrent": gguf_kinds.recurrent}
LONG = [Random(0).randrange(250) for _ in range(400)]
TIE = 0.02
"""Of a logit: two tokens as likely, where a batch and a single token sum in another order."""


@pytest.fixture(scope="module", params=KINDS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return KINDS[request.param](tmp_path_factory.mktemp("models") / f"{request.param}.gguf")


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    engine = Engine(path, ContextSize(threads=1, context_tokens=512, sequences=3, batch=16))
    yield engine
    engine.close()


@pytest.fixture
def cold(path: Path) -> Iterator[Cold]:
    cold = Cold(path)
    yield cold
    cold.close()


def reply(engine: Engine, sequence: int) -> list[int]:
    return list(engine.generate(sequence, GREEDY, cap=5))


def test_a_prompt_that_goes_on_is_not_evaluated_again(engine: Engine, cold: Cold) -> None:
    prompt = LONG[:100]
    engine.prefill(0, prompt)
    for turn in range(4):
        made = reply(engine, 0)
        assert made == cold.reply(prompt, cap=5)
        prompt = [*prompt, *made, *LONG[turn : turn + 20]]
        assert engine.prefill(0, prompt) <= 21


def test_a_prompt_that_changed_is_evaluated_again(engine: Engine, cold: Cold, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for length in (300, 250, 200):
            engine.prefill(0, LONG[:length])
            evaluated = engine.prefill(0, changed := [*LONG[: length - 50], 7, 8])
            assert evaluated in (2, len(changed))
            assert reply(engine, 0) == cold.reply(changed, cap=5)
    assert len([record for record in caplog.records if "take back" in record.message]) <= 1


def test_it_is_said_once_that_hybrids_read_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(gguf_kinds.hybrid(tmp_path / "hybrid.gguf"), ContextSize(threads=1, context_tokens=512, batch=16))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            engine.prefill(0, LONG[:50])
            assert engine.prefill(0, [*LONG[:40], 7]) == 41
    assert caplog.text.count("evaluates the whole prompt again") == 1
    engine.close()


def test_what_new_conversations_begin_with_is_evaluated_beside_one_that_goes_on(engine: Engine, cold: Cold) -> None:
    engine.prefill(0, LONG[:100])
    engine.prefill(0, [*LONG[:90], 7])  # some learn here that they cannot be cut
    engine.prefill(0, LONG[:300])
    for _ in prepare(engine, LONG[:100]):
        pass
    asked = [*LONG[:100], 7, 8]
    assert engine.prefill(sequence := engine.sequence_for(asked), asked) == 2
    assert reply(engine, sequence) == cold.reply(asked, cap=5)


def test_a_fork_of_all_evaluates_nothing(engine: Engine, cold: Cold) -> None:
    engine.prefill(0, LONG[:200])
    engine.branch([*LONG[:200], 5, 6])
    assert engine.prefill(engine.scratch, [*LONG[:200], 5, 6]) == 2
    assert reply(engine, engine.scratch) == cold.reply([*LONG[:200], 5, 6], cap=5)
    assert engine.prefill(0, [*LONG[:200], 9]) == 1
    assert reply(engine, 0) == cold.reply([*LONG[:200], 9], cap=5)


def test_what_was_cancelled_is_evaluated_again(engine: Engine, cold: Cold) -> None:
    steps = engine.steps(0, LONG[:200])
    next(steps)
    engine.cancel()
    with pytest.raises(Cancelled):
        next(steps)
    engine.resume()
    engine.prefill(0, LONG[:200])
    assert reply(engine, 0) == cold.reply(LONG[:200], cap=5)


def test_what_was_put_away_is_fetched(engine: Engine, cold: Cold) -> None:
    engine.prefill(0, LONG[:300])
    engine.clear_for(1)
    assert engine.held(0) == []
    prompt = [*LONG[:300], 7]
    sequence = engine.sequence_for(prompt)
    assert engine.prefill(sequence, prompt) == 1
    assert reply(engine, sequence) == cold.reply(prompt, cap=5)


def test_a_state_is_restored(engine: Engine, path: Path, cold: Cold) -> None:
    engine.prefill(0, LONG[:300])
    held, state = engine.state(LONG[:300], most_bytes=10**7)
    other = Engine(path, ContextSize(threads=1, context_tokens=512, sequences=3, batch=16))
    assert other.restore(held, state)
    sequence = other.sequence_for(prompt := [*LONG[:300], 7])
    assert other.prefill(sequence, prompt) == len(prompt) - len(held)
    assert reply(other, sequence) == cold.reply(prompt, cap=5)
    other.close()


def test_whatever_came_before_a_reply_is_that_of_a_cold_run(engine: Engine, cold: Cold) -> None:
    """Where cells run out, layers with a sliding window have lost some of what a cut sequence needs."""
    random, known, ties = Random(1), [LONG[:300]], 0
    for _ in range(120):
        begun = random.choice(known[-6:])
        prompt = begun[: random.randint(1, len(begun))] + LONG[(at := random.randrange(300)) : at + 40]
        if random.random() < 0.3:
            engine.branch(prompt)
            sequence = engine.scratch
        else:
            sequence = engine.sequence_for(prompt)
        engine.prefill(sequence, prompt)
        made = reply(engine, sequence)
        if made != cold.reply(prompt, cap=5):
            ties += 1
            assert cold.gap(prompt, made) < TIE
        known.append((prompt + made)[:400])
    assert ties <= 3


def test_a_conversation_with_questions_in_between(path: Path) -> None:
    """Chat, choose, write and what is evaluated ahead, as the daemon does it."""

    async def run(disturbed: bool) -> tuple[list[str], int]:
        model, replies = LocalModel.open(path, context_tokens=512, threads=1, temperature=0), []
        messages = [Message("system", "You are the assistant.")]
        for turn in range(4):
            messages.append(Message("user", f"hello in the world {turn}"))
            *pieces, usage = [item async for item in model.generate(messages, max_tokens=10)]
            assert isinstance(usage, Usage)
            replies.append("".join(map(str, pieces)))
            messages.append(Message("assistant", replies[-1]))
            if disturbed:
                assert await model.choose(messages, "Which?", ["world", "user"]) in ("world", "user")
                await model.write(messages, "What?", form=AnswerForm("root ::= [a-z ]+"), cap=8)
                model.prepare(messages)
        evaluated = model.counts["chat"].evaluated
        await model.close()
        return replies, evaluated

    quiet, disturbed = asyncio.run(run(disturbed=False)), asyncio.run(run(disturbed=True))
    assert disturbed[0] == quiet[0]
    assert disturbed[1] <= quiet[1] + 8
