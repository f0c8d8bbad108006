import re
from pathlib import Path

from pi_memory.model.local import LocalModel
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock
from tests.gguf_files import write_llama


def read(client: Client) -> dict[str, float]:
    """Every sample, by its name and labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples = [line for line in answer.text.splitlines() if not line.startswith("#")]
    form = r'pi_memory_[a-z_]+(\{(?:purpose|step)="[a-z_]+"\})? \d+(\.\d+)?'
    assert all(re.fullmatch(form, line) for line in samples)
    return {name.removeprefix("pi_memory_"): float(value) for name, value in (line.split(" ") for line in samples)}


def test_turns_and_uptime_are_reported_whatever_the_model(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.post("/chat", json={"message": "hello"})
    clock.pass_time(minutes=2)
    samples = read(client)
    assert (samples["uptime_seconds"], samples["turns_total"]) == (120, 1)
    assert not any(name.startswith("tokens") for name in samples)


def test_the_time_of_each_step_after_a_reply_is_counted(daemon: Daemon) -> None:
    client = daemon()
    before = read(client)
    client.post("/activity", params={"wait": 1}, json={"session_id": "a", "user_message": "change auth/login.py"})
    after = read(client)
    assert before['step_seconds_total{step="tag"}'] == 0 < after['step_seconds_total{step="tag"}']


def test_tokens_are_counted_by_purpose(daemon: Daemon, tmp_path: Path) -> None:
    path = write_llama(tmp_path / "tiny.gguf", context=4096)
    client = daemon(model=LocalModel.open(path, threads=1, context_tokens=2048), PI_MEMORY_MAX_TOKENS=7)
    usage = client.post("/chat", json={"message": "hello"}).json()["usage"]
    samples = read(client)
    assert samples['tokens_submitted_total{purpose="chat"}'] == usage["prompt_tokens"]
    assert samples['tokens_generated_total{purpose="chat"}'] >= usage["completion_tokens"]
    assert samples['tokens_evaluated_total{purpose="write"}'] == 0


def test_every_sample_has_help_and_a_type(daemon: Daemon) -> None:
    text = daemon().get("/metrics").text
    samples = dict.fromkeys(re.findall("(?m)^(\\w+)", text))
    assert re.findall("# HELP (\\w+)", text) == re.findall("# TYPE (\\w+)", text) == list(samples)
