"""`POST /history` and `POST /context`: the past line by line, each line once, and what an agent should know."""

from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeClock

PUMP = "/home/me/garden/irrigation/pump.py"


def line(ref: str, role: str = "user", text: str = "Fix it", **more: Any) -> dict[str, Any]:
    return {"ref": ref, "role": role, "text": text, **more}


def past(*lines: dict[str, Any], session: str = "s", **more: Any) -> dict[str, Any]:
    return {"session_id": session, "lines": list(lines), **more}


def tell(client: Client, *exchanges: dict[str, Any]) -> dict[str, int]:
    answer = client.post("/history?wait=1", json={"exchanges": list(exchanges)})
    assert answer.status_code == 200, answer.text
    shown: dict[str, int] = answer.json()
    return shown


def test_the_past_is_tagged_at_its_own_time(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    edit = line("b", "assistant", "Done", tool_calls=[{"name": "Edit", "arguments": {"file_path": PUMP}}])
    assert tell(client, past(line("a", at="2026-02-10T10:00:00Z"), edit)) == {"added": 1, "known": 0}
    (topic,) = client.get("/focus?all=1").json()["topics"]
    assert (topic["last_touched_at"], topic["file_paths"]) == ("2026-02-10T10:00:00Z", [PUMP])


def test_a_line_is_recorded_once_in_whatever_session_or_request(daemon: Daemon) -> None:
    client = daemon()
    assert tell(client, past(line("a")), past(line("a"), line("b"), session="other")) == {"added": 2, "known": 0}
    assert tell(client, past(line("a"), line("b"))) == {"added": 0, "known": 1}
    client.stop()
    assert tell(daemon(), past(line("a")), past(line("b"), line("c", "assistant", "So"))) == {"added": 1, "known": 1}


def test_a_line_without_a_ref_is_known_by_what_it_says(daemon: Daemon) -> None:
    client = daemon()
    first = past(line("", at="2026-02-10T10:00:00Z"))
    later = past(line("", at="2026-02-10T10:05:00Z"))
    assert tell(client, first, later, first) == {"added": 2, "known": 1}
    assert tell(client, first | {"session_id": "other"}) == {"added": 1, "known": 0}


def test_without_waiting_the_answer_comes_at_once(daemon: Daemon) -> None:
    answer = daemon().post("/history", json={"exchanges": [past(line("a"))]})
    assert (answer.status_code, answer.json()) == (202, {"added": 1, "known": 0})


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (past(line("z", role="system")), "role"),
        (past(line("z", at="yesterday")), "at"),
        (past(line("z"), session="no / id"), "session_id"),
        ({"session_id": "s"}, "lines"),
    ],
)
def test_if_one_is_wrong_none_is_recorded(daemon: Daemon, wrong: dict[str, Any], named: str) -> None:
    client = daemon()
    answer = client.post("/history?wait=1", json={"exchanges": [past(line("a")), wrong]})
    assert (answer.status_code, named in answer.json()["message"]) == (400, True)
    assert tell(client, past(line("a"))) == {"added": 1, "known": 0}


def test_a_session_begins_with_the_focus(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/irrigation", json={"file_paths": [PUMP]})
    begun = client.post("/context", json={"session_id": "agent", "project": "/home/me/garden", "begins": True}).json()
    assert "**irrigation**" in begun["text"]
    assert begun["focus"] == ["irrigation"]
    assert client.post("/context", json={"session_id": "no / id"}).status_code == 400


def test_an_agent_is_shown_what_answers_a_question_each_time_it_asks(daemon: Daemon) -> None:
    client = daemon()
    content = "The irrigation pump must not run between ten at night and six in the morning"
    client.post("/memories", json={"content": content, "priority": "high", "namespace": "project/garden"})
    asked = {"session_id": "agent", "project": "/home/me/garden", "message": "When must the irrigation pump not run?"}
    first = client.post("/context", json=asked).json()
    assert content in first["text"]
    assert len(first["memories"]) == 1
    assert content in client.post("/context", json=asked).json()["text"]
    assert client.post("/context", json=asked | {"session_id": "other", "project": "/srv/bees"}).json()["text"] == ""
    client.post("/context", json={"session_id": "agent", "begins": True})
    assert content in client.post("/context", json=asked).json()["text"]
    assert client.post("/context", json=asked | {"session_id": "new", "message": "hello"}).json()["text"] == ""
    assert client.post("/context", json=asked | {"session_id": "new", "project": "/"}).status_code == 200


def test_what_the_user_stated_is_shown_at_the_begin(daemon: Daemon) -> None:
    client = daemon()
    client.post("/memories", json={"content": "Answers are wanted in French", "priority": "highest"})
    begun = client.post("/context", json={"session_id": "agent", "begins": True}).json()
    assert "Answers are wanted in French" in begun["text"]


def test_what_was_said_in_the_session_itself_is_no_news(daemon: Daemon) -> None:
    client = daemon()
    said = "The irrigation pump runs between six and ten in the morning"
    tell(client, past(line("a", text=said), line("b", "assistant", "Noted."), session="agent"))
    asked = {"session_id": "agent", "message": "When does the irrigation pump run?"}
    assert said not in client.post("/context", json=asked).json()["text"]
    assert said in client.post("/context", json=asked | {"session_id": "other"}).json()["text"]
