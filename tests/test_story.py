"""A real, trained model in a real daemon: text streams, a second turn sees the first, leaving stops it."""

import time
from pathlib import Path

import httpx2

from tests.process import Process, serving
from tests.story_model import story_model
from tests.waiting import eventually


def cpu_seconds(process: Process) -> float:
    """Of all its threads, so far."""
    fields = Path(f"/proc/{process.popen.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def tell(client: httpx2.Client, message: str, conversation: str = "c") -> dict[str, object]:
    answer = client.post("/chat", json={"message": message, "conversation_id": conversation})
    answer.raise_for_status()
    result: dict[str, object] = answer.json()
    return result


def test_text_streams_and_a_second_turn_evaluates_only_what_is_new(tmp_path: Path) -> None:
    model = story_model()
    with serving(tmp_path, PI_MEMORY_MODEL=model, PI_MEMORY_TEMPERATURE=0) as process, process.client as client:
        process.wait_until_loaded()
        first = tell(client, "Once upon a time there was a little cat.")
        assert (first["provider"], first["model"]) == ("llama", model.stem)
        assert len(str(first["reply"]).split()) > 3
        body = {"message": "What did the cat do?", "conversation_id": "c", "stream": True}
        with client.stream("POST", "/chat", json=body) as response:
            pieces = [piece for piece in response.iter_text() if piece]
        assert len(pieces) > 3
        third = tell(client, "And then?")
        usage = third["usage"]
        assert isinstance(usage, dict)
        assert usage["evaluated_tokens"] < usage["prompt_tokens"] / 2
        assert [e["user"] for e in client.get("/conversations/c").json()["exchanges"]][-1] == "And then?"


def test_leaving_in_the_middle_stops_the_model(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_MODEL=story_model(), PI_MEMORY_MAX_TOKENS=120) as process:
        process.wait_until_loaded()
        body = {"message": "Tell me a long story.", "conversation_id": "c", "stream": True}
        with process.client as client, client.stream("POST", "/chat", json=body) as response:
            next(response.iter_text())
        with process.client as client:
            eventually(lambda: client.get("/conversations/c").json().get("exchanges"))
            kept = client.get("/conversations/c").json()["exchanges"]
            assert kept[0]["partial"] or len(kept[0]["reply"]) > 0
            before = cpu_seconds(process)
            time.sleep(0.5)
            assert cpu_seconds(process) - before < 0.2, "it still computes"
            assert tell(client, "Go on.")["reply"]


def test_a_model_file_that_is_broken_is_reported_and_quotes_stand_in(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(story_model().read_bytes()[:300_000])
    with serving(tmp_path, PI_MEMORY_MODEL=broken) as process, process.client as client:
        process.wait_until_loaded()
        part = client.get("/healthz").json()["parts"]["model"]
        assert part["status"] == "degraded"
        assert "broken.gguf" in part["todo"]
        tell(client, "My cat is called Miso")
        assert tell(client, "What is my cat called?")["provider"] == "extractive"
    assert "Traceback" not in "".join(process.log)
