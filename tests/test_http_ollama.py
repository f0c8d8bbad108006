"""Ollama's API as its clients send it and read it, without the clients."""

import json
from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeEmbedder, FakeModel
from tests.test_http_chat import BrokenModel
from tests.test_http_openai import kept, rows


def chat(client: Client, *said: str, headers: dict[str, str] | None = None, **fields: Any) -> Any:
    body = {"model": "pi-memory:latest", "messages": rows(*said), "tools": [], "keep_alive": -1.0, **fields}
    return client.post("/api/chat", json=body, headers=headers)


def lines(answer: Any) -> list[Any]:
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_chat_streams_unless_it_is_switched_off(daemon: Daemon) -> None:
    answer = chat(daemon(), "hello")
    assert answer.headers["content-type"] == "application/x-ndjson"
    *pieces, end = lines(answer)
    assert "".join(piece["message"]["content"] for piece in pieces) == "This is a reply. "
    assert not any(piece["done"] for piece in pieces)
    assert (end["done"], end["done_reason"], end["eval_count"]) == (True, "stop", 4)
    assert end["message"] == {"role": "assistant", "content": ""}


def test_a_chat_at_once_is_the_last_line_with_all_of_it(daemon: Daemon) -> None:
    said = chat(daemon(), "hello", stream=False).json()
    assert said["message"] == {"role": "assistant", "content": "This is a reply. "}
    assert said["done"]
    assert said["total_duration"] > 0


def test_options_and_format_reach_the_model(daemon: Daemon) -> None:
    model = FakeModel()
    options = {"num_ctx": 8192, "num_predict": 2, "seed": 5, "temperature": 0.1, "stop": ["x"]}
    end = lines(chat(daemon(model=model), "hello", options=options, format={"type": "object"}, think=False))[-1]
    assert end["done_reason"] == "length"
    (wanted,) = model.options
    assert (wanted.max_tokens, wanted.seed, wanted.temperature, wanted.stops) == (2, 5, 0.1, ("x",))
    assert wanted.schema == {"type": "object"}


def test_a_conversation_is_recognised_and_remembered(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("One."))
    first = chat(client, "Remember that the key is under the mat").headers["X-Conversation-Id"]
    again = chat(client, "Remember that the key is under the mat", "One.", "Where is it?", stream=False)
    assert again.headers["X-Conversation-Id"] == first
    client.settle()
    assert len(kept(client)) == 2


def test_the_same_words_through_another_door_are_another_conversation(daemon: Daemon) -> None:
    client = daemon(model=FakeModel("One."))
    first = chat(client, "a").headers["X-Conversation-Id"]
    body = {"messages": rows("a", "One.", "b")}
    assert client.post("/v1/chat/completions", json=body).headers["X-Conversation-Id"] != first


def test_a_completion_is_remembered_only_in_a_conversation_that_is_named(daemon: Daemon) -> None:
    client = daemon()
    body = {"model": "pi-memory", "prompt": "My cat is called Miso", "stream": False}
    assert client.post("/api/generate", json=body).json()["response"] == "This is a reply. "
    client.settle()
    assert kept(client) == []
    client.post("/api/generate", json=body, headers={"X-Conversation-Id": "c"})
    client.settle()
    assert kept(client) == ["My cat is called Miso"]


@pytest.mark.parametrize(("keep_alive", "reason"), [("5m", "load"), (0, "unload")])
def test_loading_and_unloading_do_nothing(daemon: Daemon, keep_alive: Any, reason: str) -> None:
    client = daemon()
    for path in ("/api/chat", "/api/generate"):
        said = client.post(path, json={"model": "pi-memory", "keep_alive": keep_alive}).json()
        assert (said["done"], said["done_reason"]) == (True, reason)


def test_models_are_the_assistant_and_its_agents(daemon: Daemon) -> None:
    client = daemon()
    listed = client.get("/api/tags", headers={"Content-Type": "application/json"}).json()["models"]
    assert [model["model"] for model in listed] == ["pi-memory:latest", "pi-memory-coder:latest"]
    assert all(len(model["digest"]) == 64 for model in listed)
    assert client.get("/api/ps").json() == {"models": []}
    shown = client.post("/api/show", json={"model": "pi-memory:latest"}).json()
    assert shown["capabilities"] == ["completion"]
    assert shown["model_info"]["pi-memory.context_length"] > 0
    assert client.post("/api/show", json={"model": "llama3"}).status_code == 404
    assert client.post("/api/pull", json={"model": "llama3"}).json() == {"status": "success"}


@pytest.mark.parametrize("path", ["/api/pull", "/api/show"])
def test_a_name_that_is_none_is_refused(daemon: Daemon, path: str) -> None:
    refused = daemon().post(path, json={"model": "pi-memory", "name": {}})
    assert refused.status_code == 400
    assert "name" in refused.json()["error"]


def test_the_version_is_digits_and_dots(daemon: Daemon) -> None:
    assert daemon().get("/api/version").json()["version"].replace(".", "").isdigit()


def test_errors_are_in_ollamas_words(daemon: Daemon) -> None:
    client = daemon(model=BrokenModel(1))
    assert set(client.post("/api/chat", content=b"{").json()) == {"error"}
    assert set(client.get("/api/nothing").json()) == {"error"}
    assert "temperature" in chat(client, "hello", options={"temperature": -1}).json()["error"]
    assert set(lines(chat(client, "hello"))[-1]) == {"error"}


def test_vectors(daemon: Daemon) -> None:
    client = daemon(embedder=FakeEmbedder())
    several = client.post("/api/embed", json={"model": "m", "input": ["one", "two"]}).json()["embeddings"]
    one = client.post("/api/embeddings", json={"model": "m", "prompt": "one"}).json()["embedding"]
    assert several[0] == one
    assert len(several) == 2
