import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pi_memory.errors import ModelError
from pi_memory.model.engine import Cancelled, Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.sampling import Sampling
from tests.gguf_files import Shape, write_llama

GREEDY = Sampling(temperature=0)
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]
LONG = list(itertools.islice(itertools.cycle(range(200)), 300))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    engine = Engine(path, ContextSize(threads=1, context_tokens=512, sequences=3, batch=16))
    yield engine
    engine.close()


def reply(engine: Engine, tokens: list[int], *, sequence: int = 0, cap: int = 12) -> list[int]:
    engine.prefill(sequence, tokens)
    return list(engine.generate(sequence, GREEDY, cap=cap))


def cold(path: Path, tokens: list[int], cap: int = 12) -> list[int]:
    """What a fresh engine says."""
    engine = Engine(path, ContextSize(threads=1, context_tokens=512, sequences=1, batch=16))
    made = reply(engine, tokens, cap=cap)
    engine.close()
    return made


def test_prefill_evaluates_only_what_is_new(engine: Engine) -> None:
    assert engine.prefill(0, PROMPT) == len(PROMPT)
    assert engine.prefill(0, [*PROMPT, 11, 12]) == 2
    assert engine.held(0) == [*PROMPT, 11, 12]


def test_prefill_of_what_is_held_evaluates_the_last_token_again(engine: Engine, path: Path) -> None:
    made = reply(engine, PROMPT)
    assert engine.prefill(0, PROMPT) == 1
    assert list(engine.generate(0, GREEDY, cap=12)) == made == cold(path, PROMPT)


def test_prefill_cuts_what_differs(engine: Engine, path: Path) -> None:
    reply(engine, PROMPT)
    changed = [*PROMPT[:5], 100, 101]
    assert engine.prefill(0, changed) == 2
    assert list(engine.generate(0, GREEDY, cap=12)) == cold(path, changed)


def test_generated_tokens_are_held_but_the_last(engine: Engine, path: Path) -> None:
    made = reply(engine, PROMPT, cap=5)
    assert len(made) == 5
    assert engine.held(0) == PROMPT + made[:-1]
    assert engine.prefill(0, [*PROMPT, *made, 7]) == 2
    assert list(engine.generate(0, GREEDY, cap=12)) == cold(path, [*PROMPT, *made, 7])


@pytest.mark.parametrize("cap", [0, 1, 7])
def test_the_cap_is_hard(engine: Engine, cap: int) -> None:
    assert len(reply(engine, PROMPT, cap=cap)) <= cap


def test_an_end_token_ends_and_is_not_yielded(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "chain.gguf", words=("one", "two"), follows={"x": "one", "one": "two"})
    engine = Engine(path, ContextSize(threads=1, context_tokens=64))
    tokens = engine.vocabulary.tokenise("x", special=False)
    assert [engine.vocabulary.piece(token) for token in reply(engine, tokens)] == [b"one", b"two"]
    engine.close()


def test_a_fork_evaluates_nothing_and_leaves_the_source_alone(engine: Engine, path: Path) -> None:
    engine.prefill(0, LONG)
    engine.fork(0, 1, length=len(LONG))
    assert engine.prefill(1, [*LONG, 5, 6]) == 2
    assert list(engine.generate(1, GREEDY, cap=9)) == cold(path, [*LONG, 5, 6], 9)
    assert engine.prefill(0, [*LONG, 7]) == 1
    assert list(engine.generate(0, GREEDY, cap=9)) == cold(path, [*LONG, 7], 9)


def test_sequences_may_take_turns_token_by_token(engine: Engine, path: Path) -> None:
    other = [42, 43, 44]
    engine.prefill(0, PROMPT)
    first = engine.generate(0, GREEDY, cap=8)
    made = [next(first)]
    engine.prefill(1, other)
    second = engine.generate(1, GREEDY, cap=8)
    others = [next(second)]
    for one, two in zip(first, second, strict=True):
        made.append(one)
        others.append(two)
    assert made == cold(path, PROMPT, 8)
    assert others == cold(path, other, 8)


def test_sequence_for_continues_forks_or_takes_the_oldest(engine: Engine) -> None:
    engine.prefill(0, LONG)
    assert engine.sequence_for([*LONG, 1]) == 0
    forked = engine.sequence_for([*LONG[:200], 7, 7])
    assert engine.held(0) == LONG
    assert engine.held(forked) == LONG[:200]
    fresh = engine.sequence_for([250, 251])
    assert fresh not in (0, forked)


def test_asking_for_a_sequence_twice_gives_the_same(engine: Engine) -> None:
    """Several may hold as much of it: the conversation, and what was forked from it."""
    engine.prefill(1, LONG[:200])
    asked = [*LONG[:100], *PROMPT * 3]
    sequence = engine.sequence_for(asked)
    assert engine.sequence_for(asked) == sequence
    assert engine.held(1) == LONG[:200]
    assert engine.known(LONG) == 200
    assert engine.known(asked) == 100


def test_what_gives_way_to_another_conversation_is_put_away(engine: Engine, path: Path) -> None:
    talks = [[number, *LONG[number : number + 40]] for number in range(5)]
    for tokens in talks:
        engine.prefill(engine.sequence_for(tokens), tokens)
    for tokens in talks:
        assert engine.known(tokens) == len(tokens)
        assert engine.prefill(sequence := engine.sequence_for([*tokens, 7]), [*tokens, 7]) == 1
        assert list(engine.generate(sequence, GREEDY, cap=3)) == cold(path, [*tokens, 7], 3)


def test_the_least_recently_used_sequence_gives_way_its_end_first(engine: Engine, path: Path) -> None:
    for number in range(3):
        engine.prefill(number, LONG[number : number + 200])
    kept = engine.held(0)
    assert 0 < 512 - 400 - len(kept) < 16
    assert kept == LONG[: len(kept)]
    assert engine.held(1) == LONG[1:201]
    assert list(engine.generate(2, GREEDY, cap=5)) == cold(path, LONG[2:202], 5)
    assert reply(engine, LONG[:200], cap=5) == cold(path, LONG[:200], 5)


def test_all_others_give_way_to_a_prompt_that_fills_the_context(engine: Engine, path: Path) -> None:
    full = [*LONG, *PROMPT * 13]
    for number in range(3):
        engine.prefill(number, LONG[number : number + 150])
    engine.prefill(2, full)
    assert len(full) + sum(len(engine.held(number)) for number in (0, 1)) <= 512
    assert list(engine.generate(2, GREEDY, cap=5)) == cold(path, full, 5)


def test_a_fork_to_scratch_makes_others_give_way_before_what_it_continues(engine: Engine) -> None:
    engine.prefill(0, LONG[:240])
    engine.prefill(1, LONG[1:241])
    engine.branch([*LONG[:240], 5])
    engine.prefill(engine.scratch, [*LONG[:240], *PROMPT * 5])
    assert engine.held(0) == LONG[:240]
    assert 0 < len(engine.held(1)) < 240


def test_what_a_fork_shares_does_not_give_way(engine: Engine, path: Path) -> None:
    engine.prefill(0, LONG)
    asked = [*LONG[:200], *PROMPT * 20]
    engine.branch(asked)
    assert engine.prefill(engine.scratch, asked) == 300
    assert 200 <= len(engine.held(0)) < 216
    assert list(engine.generate(engine.scratch, GREEDY, cap=5)) == cold(path, asked, 5)
    engine.drop(engine.scratch)
    assert engine.prefill(0, [*LONG, 7]) <= 101
    assert list(engine.generate(0, GREEDY, cap=5)) == cold(path, [*LONG, 7], 5)


def test_a_fork_of_all_that_there_is_room_for_is_an_error(engine: Engine) -> None:
    full = [*LONG, *LONG[:212]]
    engine.prefill(0, full)
    engine.branch([*full, 5])
    with pytest.raises(ModelError, match="full"):
        engine.prefill(engine.scratch, [*full, 5])
    assert engine.held(0) == full


def test_a_chat_has_the_context_for_itself_and_others_are_fetched(engine: Engine, path: Path) -> None:
    one, other = LONG, [*PROMPT, *LONG[:150]]
    for number in range(4):
        tokens = [*(other if number % 2 else one), *PROMPT[: number // 2]]
        sequence = engine.sequence_for(tokens)
        engine.clear_for(sequence)
        evaluated = engine.prefill(sequence, tokens)
        assert evaluated == (len(tokens) if number < 2 else 1)
        assert list(engine.generate(sequence, GREEDY, cap=1)) == cold(path, tokens, 1)
    assert [bool(engine.held(number)) for number in range(3)].count(True) == 1
    assert engine.parked_bytes > 0


def test_little_is_not_put_away(engine: Engine) -> None:
    engine.prefill(0, LONG[:30])
    engine.prefill(1, PROMPT)
    engine.clear_for(1)
    assert engine.held(0) == LONG[:30]
    assert engine.parked_bytes == 0


def test_what_there_is_no_memory_for_is_left_in_the_context(path: Path) -> None:
    engine = Engine(path, ContextSize(threads=1, context_tokens=512, sequences=3, batch=16), parked_bytes=1_000)
    engine.prefill(0, LONG)
    engine.prefill(1, PROMPT)
    engine.clear_for(1)
    assert engine.held(0) == LONG
    engine.close()


def test_what_was_put_away_is_fetched_into_a_full_context(engine: Engine, path: Path) -> None:
    engine.prefill(0, LONG)
    engine.clear_for(1)
    assert engine.held(0) == []
    full = [*PROMPT * 30]
    engine.prefill(2, full)
    engine.branch([*LONG, 5])
    assert engine.prefill(engine.scratch, [*LONG, 5]) == 1
    assert list(engine.generate(engine.scratch, GREEDY, cap=5)) == cold(path, [*LONG, 5], 5)
    engine.drop(engine.scratch)
    assert engine.prefill(engine.sequence_for([*full, 5]), [*full, 5]) == 1


def test_a_reply_does_not_go_on_behind_a_gap(engine: Engine) -> None:
    engine.prefill(0, LONG[:200])
    replying = engine.generate(0, GREEDY, cap=50)
    next(replying)
    engine.prefill(1, [*LONG, *LONG[:150]])
    with pytest.raises(Cancelled):
        next(replying)


def test_more_than_the_context_holds_is_an_error(engine: Engine) -> None:
    with pytest.raises(ModelError, match="full"):
        engine.prefill(0, LONG * 3)
    assert engine.prefill(0, PROMPT) == len(PROMPT)


def test_cancel_holds_until_resume(engine: Engine, path: Path) -> None:
    engine.prefill(0, PROMPT)
    engine.cancel()
    with pytest.raises(Cancelled):
        engine.prefill(0, LONG)
    engine.resume()
    assert reply(engine, LONG) == cold(path, LONG)


def test_cancel_in_mid_prefill_leaves_a_sound_sequence(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "slow.gguf", context=2048, shape=Shape(width=256, layers=4, feed_forward=1024))
    engine = Engine(path, ContextSize(threads=1, context_tokens=2048, batch=512))
    prompt = LONG * 6
    threading.Timer(0.01, engine.cancel).start()
    with pytest.raises(Cancelled):
        engine.prefill(0, prompt)
    held = engine.held(0)
    engine.resume()
    assert held == prompt[: len(held)]
    assert len(held) < len(prompt)
    assert engine.prefill(0, prompt) == len(prompt) - len(held)
    engine.close()


def test_the_same_seed_draws_the_same(engine: Engine) -> None:
    engine.prefill(0, PROMPT)
    draws = []
    for seed in (7, 7, 8):
        engine.prefill(0, PROMPT)
        draws.append(list(engine.generate(0, Sampling(temperature=2, top_p=1, min_p=0, seed=seed), cap=20)))
    assert draws[0] == draws[1] != draws[2]


def test_the_context_is_never_longer_than_trained(path: Path) -> None:
    engine = Engine(path, ContextSize(threads=1, context_tokens=100_000))
    assert engine.context_tokens == 512
    engine.close()
    engine.close()


def test_no_file_and_no_model_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no model file"):
        Engine(tmp_path / "none.gguf", ContextSize(threads=1))
    (tmp_path / "text.gguf").write_text("not a model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        Engine(tmp_path / "text.gguf", ContextSize(threads=1))


def test_control_tokens_are_text_unless_asked_for(engine: Engine) -> None:
    words = engine.vocabulary
    (marker,) = words.tokenise("<|im_start|>", special=True)
    assert words.ends(marker)
    assert not any(map(words.ends, words.tokenise("<|im_start|>", special=False)))
    assert words.ordinary("<|im_start|>user\n") == "user\n"


@pytest.mark.parametrize("text", ["", "hello world", "Grüße 👋\n\n", "\ud800", "a\x00b", "x" * 20_000, "né " * 5_000])
def test_any_text_survives_the_tokeniser(engine: Engine, text: str) -> None:
    words = engine.vocabulary
    back = b"".join(map(words.piece, words.tokenise(text, special=False)))
    assert back == text.encode(errors="replace")


@pytest.mark.parametrize("seed", range(4))
def test_whatever_came_before_the_reply_is_that_of_a_cold_start(engine: Engine, path: Path, seed: int) -> None:
    """Growing, branching, cancelled and interleaved conversations on fewer sequences than there are conversations."""
    random = Random(seed)
    fresh = Engine(path, ContextSize(threads=1, context_tokens=512, sequences=1, batch=16))
    conversations = [[random.randrange(256) for _ in range(random.randrange(1, 100))] for _ in range(5)]
    for _ in range(25):
        number = random.randrange(5)
        known = conversations[number]
        kept = known if random.random() < 0.8 else known[: random.randrange(1, len(known) + 1)]
        tokens = [*kept, *(random.randrange(256) for _ in range(random.randrange(1, 20)))][-400:]
        if random.random() < 0.2:
            engine.cancel()
            with pytest.raises(Cancelled):
                engine.prefill(engine.sequence_for(tokens), [*tokens, 1])
            engine.resume()
        made = reply(engine, tokens, sequence=engine.sequence_for(tokens))
        fresh.drop(0)
        assert made == reply(fresh, tokens)
        conversations[number] = tokens + made
    fresh.close()
