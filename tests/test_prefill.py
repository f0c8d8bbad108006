"""What a turn will begin with is evaluated before it comes, by the daemon as a whole."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pi_memory.model.engine import Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.model.saved_state import SavedStates
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock
from tests.gguf_files import write_llama
from tests.waiting import eventually

NOW = datetime(2026, 2, 3, tzinfo=UTC)


@pytest.fixture
def model(tmp_path: Path) -> LocalModel:
    path = write_llama(tmp_path / "tiny.gguf", context=4096)
    return LocalModel.open(path, threads=1, temperature=0, context_tokens=2048)


def idle(model: LocalModel) -> None:
    """Until nothing is left to evaluate; the lane is another thread."""
    eventually(lambda: model.counts["idle"].submitted and model.steps is None)


def say(client: Client, text: str) -> dict[str, int]:
    answer = client.post("/chat", json={"message": text, "conversation_id": "home"})
    assert answer.status_code == 200, answer.text
    usage: dict[str, int] = answer.json()["usage"]
    return usage


def test_a_turn_evaluates_its_message_only(daemon: Daemon, model: LocalModel) -> None:
    client = daemon(model=model, PI_MEMORY_MAX_TOKENS=20)
    for text in ("hello", "the world", "again"):
        idle(model)
        usage = say(client, text)
        # The date before the first message, and the template's marks around it.
        assert usage["evaluated_tokens"] <= len(text) + 60
    assert usage["prompt_tokens"] > 200


def test_a_window_that_moved_is_evaluated_before_the_next_message(daemon: Daemon, model: LocalModel) -> None:
    client = daemon(model=model, PI_MEMORY_MAX_TOKENS=20, MEMORY_MAX_TURNS=2)
    for number in range(5):
        client.settle()
        idle(model)
        usage = say(client, f"the world {number} " * 10)
        assert usage["evaluated_tokens"] < 200
    assert usage["prompt_tokens"] > 400


def test_an_edit_of_the_focus_file_is_evaluated_before_the_next_conversation(daemon: Daemon, model: LocalModel) -> None:
    client = daemon(model=model, PI_MEMORY_MAX_TOKENS=20)
    idle(model)
    before = model.counts["idle"].evaluated
    client.put("/focus/heating", json={}).raise_for_status()
    file = client.parts.settings.focus_file
    file.write_text(file.read_text() + "\n### garden/irrigation\n- Files: valves.py\n")
    assert client.portal is not None
    client.portal.call(client.parts.focus.read_file)
    client.settle()
    idle(model)
    assert model.counts["idle"].evaluated > before + 10
    usage = say(client, "hello")
    assert usage["evaluated_tokens"] <= len("hello") + 60
    assert usage["prompt_tokens"] > usage["evaluated_tokens"] + 100


def test_what_a_restart_finds_is_whole_also_when_the_focus_has_changed(daemon: Daemon, tmp_path: Path) -> None:
    """New conversations then begin in another way, which is evaluated at the stop, beside the ones that are alive."""
    path = write_llama(tmp_path / "tiny.gguf", context=4096)

    def start() -> tuple[Client, LocalModel]:
        kept = SavedStates(tmp_path / "state", identity="", most_bytes=10**8, clock=lambda: datetime.now(UTC))
        model = LocalModel(Engine(path, ContextSize(threads=1, context_tokens=2048)), name="tiny", now=NOW, states=kept)
        return daemon(model=model, PI_MEMORY_MAX_TOKENS=20), model

    client, model = start()
    for number in range(3):
        say(client, f"I am writing src/garden/valves_{number}.py in the world")
        client.settle()
        idle(model)
    client.stop()
    client, model = start()
    idle(model)
    assert say(client, "hello")["evaluated_tokens"] < 30


def test_a_restart_goes_on_with_a_conversation_without_reading_it_again(
    daemon: Daemon, tmp_path: Path, clock: FakeClock
) -> None:
    path = write_llama(tmp_path / "tiny.gguf", context=4096)

    def start() -> tuple[Client, LocalModel]:
        kept = SavedStates(tmp_path / "state", identity="", most_bytes=10**8, clock=lambda: datetime.now(UTC))
        engine = Engine(path, ContextSize(threads=1, context_tokens=2048))
        model = LocalModel(engine, name="tiny", now=kept.since(), states=kept)
        return daemon(model=model, PI_MEMORY_MAX_TOKENS=20), model

    client, model = start()
    for text in ("I am writing src/pi_memory/store.py", "the world", "again"):
        say(client, text)
    idle(model)
    client.stop()
    clock.pass_time(minutes=20)
    client, model = start()
    idle(model)
    usage = say(client, "hello")
    assert usage["evaluated_tokens"] < 30
    assert usage["prompt_tokens"] > 250


def test_what_is_forgotten_is_not_kept_for_the_next_start(daemon: Daemon, tmp_path: Path) -> None:
    kept = SavedStates(tmp_path / "state", identity="", most_bytes=10**8, clock=lambda: datetime.now(UTC))
    engine = Engine(write_llama(tmp_path / "tiny.gguf", context=4096), ContextSize(threads=1, context_tokens=2048))
    client = daemon(model=LocalModel(engine, name="tiny", now=kept.since(), states=kept), PI_MEMORY_MAX_TOKENS=20)
    file = tmp_path / "state" / "beginning.state"
    say(client, "Remember that my dog is called Rex.")
    client.settle()
    assert client.portal is not None
    client.portal.call(client.parts.prefill.save)
    assert file.exists()
    client.delete("/memories/1?forget=1").raise_for_status()
    assert not file.exists()
