"""`POST /chat` as clients see it."""

import asyncio
import json
from typing import Any

import pytest

from pi_memory.errors import ModelError
from pi_memory.types import Turn
from tests.conftest import Daemon
from tests.fakes import FakeClock, FakeModel


class BrokenModel(FakeModel):
    """Fails after `words` words."""

    def __init__(self, words: int) -> None:
        super().__init__("one two three four")
        self._words = words

    async def generate(self, messages: Any, *, max_tokens: int, **options: Any) -> Any:
        async for piece in super().generate(messages, max_tokens=max_tokens, **options):
            if self.words_said > self._words:
                raise ModelError("The model failed", hint="Try again.")
            yield piece


def events(text: str) -> list[tuple[str, Any]]:
    """Server-sent events as (name, data)."""
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return [(block[0].removeprefix("event: "), json.loads(block[1].removeprefix("data: "))) for block in blocks]


def test_a_reply_says_who_gave_it(daemon: Daemon) -> None:
    answer = daemon().post("/chat", json={"message": "hello", "conversation_id": "c"})
    assert answer.status_code == 200
    said = answer.json()
    assert said["reply"] == "This is a reply. "
    assert (said["conversation_id"], said["provider"], said["model"]) == ("c", "fake", "fake")
    assert said["usage"]["completion_tokens"] == 4
    assert "receipt" not in said


def test_a_conversation_without_an_id_is_given_one(daemon: Daemon) -> None:
    client = daemon()
    first, second = (client.post("/chat", json={"message": "hello"}).json()["conversation_id"] for _ in range(2))
    assert first != second
    assert client.get(f"/conversations/{first}").status_code == 200


def test_the_second_turn_sees_the_first(daemon: Daemon) -> None:
    model = FakeModel("Hello Ada.", "You are Ada.")
    client = daemon(model=model)
    for message in ("I am Ada", "Who am I?"):
        client.post("/chat", json={"message": message, "conversation_id": "c"})
    assert [m.content for m in model.prompts[1][1:]] == ["I am Ada", "Hello Ada. ", "Who am I?"]
    assert model.prompts[1][:1] == model.prompts[0][:1], "the standing text does not move"


def test_conversations_do_not_see_each_other(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    for name in ("a", "b"):
        client.post("/chat", json={"message": f"I am {name}", "conversation_id": name})
    assert [m.content for m in model.prompts[1] if m.role == "user"] == ["I am b"]


def test_a_streamed_reply_is_text_and_names_its_conversation(daemon: Daemon) -> None:
    client = daemon()
    answer = client.post("/chat", json={"message": "hello", "stream": True})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == "This is a reply. "
    shown = client.get(f"/conversations/{answer.headers['x-conversation-id']}").json()
    assert shown["exchanges"][0]["reply"] == "This is a reply. "


def test_server_sent_events_end_with_usage(daemon: Daemon) -> None:
    body = {"message": "hello", "stream": True, "explain": True}
    answer = daemon().post("/chat", json=body, headers={"Accept": "text/event-stream"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    result = events(answer.text)
    assert [name for name, _ in result] == ["delta"] * 4 + ["done"]
    assert "".join(data["text"] for name, data in result if name == "delta") == result[-1][1]["reply"]
    assert result[-1][1]["usage"]["completion_tokens"] == 4
    assert result[-1][1]["receipt"]["exchanges"] == 0


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        (b"{not json", 400, "body"),
        (b'{"message": "\xff\xfe"}', 400, "body"),
        (b"[]", 400, "body"),
        (b"{}", 400, "message"),
        (b'{"message": 3}', 400, "message"),
        (b'{"message": "  "}', 400, "message"),
        (b'{"message": "x", "stream": "yes"}', 400, "stream"),
        (b'{"message": "x", "mesage": "y"}', 400, "mesage"),
        (b'{"message": "x", "tool_calls": [{"nam": 1}]}', 400, "tool_calls"),
        (b'{"message": "x", "agent": "nobody"}', 422, "agent"),
        (b'{"message": "x", "conversation_id": "../../etc/passwd"}', 400, "conversation_id"),
        (b'{"message": "x", "conversation_id": "a\\r\\nSet-Cookie: b"}', 400, "conversation_id"),
        (b'{"message": "x", "conversation_id": ""}', 400, "conversation_id"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_bad_input_is_refused_by_name(daemon: Daemon, body: bytes, status: int, named: str, stream: bool) -> None:
    if stream:
        body = body.replace(b'"x"', b'"x", "stream": true', 1)
    answer = daemon().post("/chat", content=body)
    assert answer.status_code == status
    error = answer.json()
    assert set(error) == {"type", "message", "hint"}
    assert named in error["message"]
    assert error["hint"]


def test_an_unknown_agent_is_reported_the_known_ones(daemon: Daemon) -> None:
    assert "general" in daemon().post("/chat", json={"message": "x", "agent": "nobody"}).json()["hint"]


def test_a_body_that_is_too_large_is_refused(daemon: Daemon) -> None:
    client = daemon()
    answer = client.post("/chat", json={"message": "x" * 10_000_000})
    assert answer.status_code == 413
    chunks = (b"x" * 100_000 for _ in range(100))
    assert client.post("/chat", content=chunks).status_code == 413


def test_a_message_that_does_not_fit_is_refused(daemon: Daemon) -> None:
    answer = daemon().post("/chat", json={"message": "word " * 5_000})
    assert answer.status_code == 422
    assert "tokens" in answer.json()["message"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_fails_at_once_is_an_error_of_its_own(daemon: Daemon, stream: bool) -> None:
    client = daemon(model=BrokenModel(0))
    answer = client.post("/chat", json={"message": "x", "stream": stream, "conversation_id": "c"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert answer.json() == {"type": "model_error", "message": "The model failed", "hint": "Try again."}
    assert client.get("/conversations/c").status_code == 404


def test_a_model_that_fails_in_the_middle_says_so_and_what_came_is_kept(daemon: Daemon) -> None:
    client = daemon(model=BrokenModel(2))
    body = {"message": "x", "stream": True, "conversation_id": "c"}
    result = events(client.post("/chat", json=body, headers={"Accept": "text/event-stream"}).text)
    assert result[-1] == ("error", {"type": "model_error", "message": "The model failed", "hint": "Try again."})
    (exchange,) = client.get("/conversations/c").json()["exchanges"]
    assert (exchange["reply"], exchange["partial"]) == ("one two ", True)


def test_too_many_turns_are_asked_to_come_back(daemon: Daemon) -> None:
    client = daemon(model=FakeModel(gate=asyncio.Event()), PI_MEMORY_MAX_WAITING=1)
    assert client.portal is not None
    client.portal.call(client.parts.streams.start, Turn("one that goes on", "other"))
    answer = client.post("/chat", json={"message": "x"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


def test_with_memory_off_every_turn_stands_alone(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model, ENABLE_MEMORY=False)
    for _ in range(2):
        client.post("/chat", json={"message": "hello", "conversation_id": "c"})
    assert [m.role for m in model.prompts[1]] == ["system", "user"]
    assert client.get("/conversations/c").status_code == 409
    assert not (client.parts.settings.data_dir / "memory.db").exists()
    assert not client.parts.settings.focus_file.exists()


def test_the_date_is_reported_once_and_again_after_a_pause(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel()
    client = daemon(model=model)
    for _ in range(2):
        client.post("/chat", json={"message": "hello", "conversation_id": "c"})
    clock.pass_time(minutes=45)
    client.post("/chat", json={"message": "hello", "conversation_id": "c"})
    assert [bool(prompt[-1].context) for prompt in model.prompts] == [True, False, True]


def test_starlettes_own_errors_have_our_form(daemon: Daemon) -> None:
    client = daemon()
    assert client.get("/nothing").json()["type"] == "not_found"
    wrong = client.get("/chat")
    assert wrong.status_code == 405
    assert set(wrong.json()) == {"type", "message", "hint"}


def test_a_conversation_that_outgrows_the_context_goes_on(daemon: Daemon) -> None:
    client = daemon(MEMORY_MAX_TURNS=50)
    for number in range(14):
        body = {"message": f"{number} " + "word " * 500, "conversation_id": "c", "explain": True}
        answer = client.post("/chat", json=body)
        assert answer.status_code == 200, answer.text
    assert answer.json()["usage"]["prompt_tokens"] < 4096
    assert 1 < len(client.get("/conversations/c").json()["exchanges"]) < 14


def test_many_edits_of_the_focus_do_not_end_a_conversation(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "hello", "conversation_id": "c"})
    for number in range(60):
        client.put(f"/focus/topic-{number}", json={})
    for _ in range(2):
        assert client.post("/chat", json={"message": "hello", "conversation_id": "c"}).status_code == 200
