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
    assert all(re.fullmatch(r'pi_memory_[a-z_]+(\{purpose="[a-z]+"\})? \d+', line) for line in samples)
    return {name.removeprefix("pi_memory_"): float(value) for name, value in (line.split(" ") for line in samples)}


def test_turns_and_uptime_are_reported_whatever_the_model(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.post("/chat", json={"message": "hello"})
    clock.pass_time(minutes=2)
    assert read(client) == {"uptime_seconds": 120, "turns_total": 1}


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
    assert re.findall("# HELP (\\w+)", text) == re.findall("# TYPE (\\w+)", text) == re.findall("(?m)^(\\w+)", text)
