"""Whole sessions of Home Assistant and Open WebUI, as those programs send them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeModel
from tests.test_http_ollama import lines
from tests.test_http_openai import events, kept

SECRET = "correct-horse-battery-staple"
KEY = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
TOOL = {"type": "function", "function": {"name": "test_function", "parameters": {"type": "object", "properties": {}}}}
LAMP = {"type": "function", "function": {"name": "HassTurnOn", "parameters": {"type": "object", "properties": {}}}}
TITLE = '### Task:\nGenerate a concise, 3-5 word title with an emoji\n### Output:\nJSON format: { "title": "..." }'
TAGS = "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history"
FOLLOW_UPS = "### Task:\nSuggest 3-5 relevant follow-up questions that the user might ask next"


class Shown:
    """What a program has on its screen, and sends with each message."""

    def __init__(self, client: Client, path: str, **fields: Any) -> None:
        self.client = client
        self.path = path
        self.fields = fields
        self.rows: list[dict[str, str]] = []

    def say(self, text: str, *, system: str = "", headers: dict[str, str] | None = None) -> Any:
        """Say a message; the reply joins the screen. Returns the response."""
        self.rows.append({"role": "user", "content": text})
        before = [{"role": "system", "content": system}] if system else []
        body = {"messages": [*before, *self.rows], **self.fields}
        answer = self.client.post(self.path, json=body, headers={**KEY, **(headers or {})})
        assert answer.status_code == 200, answer.text
        self.rows.append({"role": "assistant", "content": "".join(self._pieces(answer))})
        return answer

    def _pieces(self, answer: Any) -> Iterator[str]:
        if self.path.startswith("/api"):
            yield from (line["message"]["content"] for line in lines(answer))
            return
        for event in events(answer.text):
            if event != "data: [DONE]":
                yield from (choice["delta"].get("content", "") for choice in event["choices"])


@pytest.fixture
def model() -> FakeModel:
    return FakeModel("Noted.")


@pytest.fixture
def client(daemon: Daemon, model: FakeModel) -> Client:
    return daemon(model=model, PI_MEMORY_TOKEN=SECRET)


def clock(minute: int) -> str:
    """Home Assistant's prompt, rendered anew for each turn."""
    return f"You are a voice assistant for Home Assistant.\nThe current time is 20:{minute:02}:17. Today is 2026-02-22."


def test_home_assistants_set_up_is_answered_and_not_kept(client: Client) -> None:
    listed = client.get("/v1/models", headers=KEY).json()["data"]
    assert "pi-memory" in [one["id"] for one in listed]
    question = {"role": "user", "content": "What is the capital of France?"}
    body = {"model": "pi-memory", "messages": [question], "tools": [TOOL], "max_tokens": 3}
    at_once = client.post("/v1/chat/completions", json={**body, "stream": False}, headers=KEY)
    assert at_once.json()["choices"][0]["message"]["content"]
    streamed = client.post("/v1/chat/completions", json={**body, "stream": True}, headers=KEY)
    assert events(streamed.text)[-1] == "data: [DONE]"
    client.settle()
    assert kept_by(client) == []


def test_a_wrong_key_makes_home_assistant_ask_for_another(client: Client) -> None:
    stranger = {"Authorization": "Bearer sk-0000000000000000000"}
    assert client.get("/v1/models", headers=stranger).status_code == 401
    assert client.get("/api/tags", headers=stranger).status_code == 401


def test_home_assistants_conversation_is_one(client: Client, model: FakeModel) -> None:
    fields = {
        "model": "pi-memory",
        "user": "01JDRE5Z8XQK",
        "stream": True,
        "tools": [LAMP],
        "parallel_tool_calls": False,
    }
    assist = Shown(client, "/v1/chat/completions", **fields, stream_options={"include_usage": True})
    first = assist.say("The soup is on the stove", system=clock(1))
    second = assist.say("What is on the stove?", system=clock(2))
    assert second.headers["X-Conversation-Id"] == first.headers["X-Conversation-Id"]
    assert next(m.content for m in model.prompts[-1] if m.role == "user") == "The soup is on the stove"
    role, *_, finish, usage, done = events(second.text)
    assert role["choices"][0]["delta"]["role"] == "assistant"
    assert (finish["choices"][0]["finish_reason"], usage["choices"], done) == ("stop", [], "data: [DONE]")


def test_the_next_conversation_of_home_assistant_knows_what_was_remembered(client: Client, model: FakeModel) -> None:
    for name, text in (
        ("01A", "Remember that 100 ppm is normal for my pool"),
        ("02B", "What ppm is normal for my pool?"),
    ):
        assist = Shown(client, "/v1/chat/completions", model="pi-memory", user=name, stream=True)
        assist.say(text, system=clock(1))
        client.settle()
    assert "100 ppm" in "".join(message.text for message in model.prompts[-1][:-1]) + model.prompts[-1][-1].context


def test_home_assistants_ollama(client: Client, model: FakeModel) -> None:
    listed = client.get("/api/tags", headers=KEY).json()["models"]
    assert "pi-memory:latest" in [one["model"] for one in listed]
    options = {"stream": True, "keep_alive": -1.0, "tools": [], "options": {"num_ctx": 8192}, "think": False}
    assist = Shown(client, "/api/chat", model="pi-memory:latest", **options)
    first = assist.say("The soup is on the stove", system=clock(1))
    second = assist.say("What is on the stove?", system=clock(2))
    assert second.headers["X-Conversation-Id"] == first.headers["X-Conversation-Id"]
    unknown = client.post("/api/pull", json={"model": "llama3"}, headers=KEY)
    assert lines(unknown)[-1]["status"] == "success"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-OpenWebUI-Chat-Id": "chat-1", "X-OpenWebUI-User-Name": "Ada%20L", "X-OpenWebUI-User-Id": "u"},
        {"X-Conversation-Id": "chat-1", "X-Task": ""},
        {},
    ],
    ids=["forwarded", "of the connection", "without"],
)
def test_a_chat_of_open_webui(client: Client, headers: dict[str, str]) -> None:
    chat = Shown(client, "/v1/chat/completions", model="pi-memory", stream=True)
    first = chat.say("I am planning a pond", headers=headers)
    for task in (TITLE, TAGS, FOLLOW_UPS):
        asked = {"model": "pi-memory", "messages": [{"role": "user", "content": task}], "stream": False}
        given = {"X-Task": "title_generation"} if "X-Task" in headers else {}
        assert client.post("/v1/chat/completions", json=asked, headers={**KEY, **headers, **given}).status_code == 200
    second = chat.say("How deep should it be?", headers=headers)
    assert first.headers["X-Conversation-Id"] == second.headers["X-Conversation-Id"]
    client.settle()
    assert kept_by(client) == ["How deep should it be?", "I am planning a pond"]


def test_open_webuis_ollama_connection(client: Client) -> None:
    version = client.get("/api/version", headers=KEY).json()["version"]
    assert all(part.isdigit() for part in version.split("."))
    assert client.get("/api/ps", headers=KEY).json() == {"models": []}
    (first, *_) = client.get("/api/tags", headers=KEY).json()["models"]
    assert {"name", "model"} <= set(first)
    chat = Shown(client, "/api/chat", model=first["model"], stream=True)
    chat.say("hello", headers={"X-OpenWebUI-Chat-Id": "chat-2"})
    client.settle()
    assert kept_by(client) == ["hello"]


def kept_by(client: Client) -> list[str]:
    client.headers.update(KEY)
    return kept(client)
