"""`/focus` and `/activity`: what an agent does becomes a focus that can be seen and changed."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeModel

PUMP = "/home/me/garden/pump.py"


def work(client: Client, path: str = PUMP, **more: Any) -> dict[str, Any]:
    body = {
        "session_id": "s",
        "user_message": "make it quieter",
        "assistant_response": "Done.",
        "tool_calls": [{"name": "edit", "arguments": {"file_path": path}}],
    }
    answer = client.post("/activity?wait=1", json=body | more)
    assert answer.status_code == 200, answer.text
    tagged: dict[str, Any] = answer.json()
    return tagged


def test_activity_becomes_a_topic(daemon: Daemon) -> None:
    client = daemon()
    tagged = work(client)
    assert tagged["written"]
    assert tagged["file_paths"] == [PUMP]
    assert tagged["directories"] == ["/home/me/garden/"]
    (topic,) = client.get("/focus").json()["topics"]
    assert topic["topic"] == tagged["topic"]
    assert topic["parent_topic"] is None
    assert (topic["status"], topic["strength"]) == ("fresh", 1.0)
    assert (topic["session_count"], topic["touch_count"], topic["is_active"]) == (1, 1, True)
    assert topic["last_touched_at"] == "2026-02-22T14:30:00Z"
    assert f"**{topic['topic']}**" in client.get("/focus.md").text


def test_without_waiting_the_answer_comes_at_once(daemon: Daemon) -> None:
    client = daemon()
    answer = client.post("/activity", json={"session_id": "s", "user_message": "fix pump.py"})
    assert (answer.status_code, answer.json()) == (202, {"accepted": True})


def test_the_same_activity_again_writes_nothing(daemon: Daemon) -> None:
    client = daemon()
    assert [work(client)["written"] for _ in range(2)] == [True, False]


def test_chatter_has_no_topic(daemon: Daemon) -> None:
    body = {"session_id": "s", "user_message": "thanks!", "assistant_response": "You are welcome."}
    result = daemon().post("/activity?wait=1", json=body).json()
    assert (result["topic"], result["written"]) == (None, False)


def test_the_date_of_an_activity_counts(daemon: Daemon) -> None:
    client = daemon()
    work(client, at="2026-02-15T14:30:00Z")
    (topic,) = client.get("/focus").json()["topics"]
    assert (round(topic["strength"], 2), topic["status"]) == (0.48, "fading")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"session_id": "../x"}, "session_id"),
        ({"session_id": None}, "session_id"),
        ({"at": "yesterday"}, "at"),
        ({"at": -5}, "at"),
        ({"tool_calls": [{"arguments": {}}]}, "tool_calls"),
        ({"user_message": "", "assistant_response": "", "tool_calls": []}, "user_message"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_bad_activity_is_refused_by_name(daemon: Daemon, change: dict[str, Any], named: str) -> None:
    body = {"session_id": "s", "user_message": "hello"}
    answer = daemon().post("/activity", json=body | change)
    assert answer.status_code == 400
    assert named in answer.json()["message"]


def test_wait_is_yes_or_no(daemon: Daemon) -> None:
    answer = daemon().post("/activity?wait=maybe", json={"session_id": "s", "user_message": "x"})
    assert answer.status_code == 400


def test_a_topic_can_be_added_changed_renamed_and_removed(daemon: Daemon) -> None:
    client = daemon()
    assert client.put("/focus/Garden%20Work", json={"file_paths": [PUMP]}).json()["topic"] == "garden-work"
    assert client.put("/focus/garden-work", json={"directories": ["/g/"]}).json()["file_paths"] == [PUMP]
    assert client.put("/focus/garden-work", json={"rename_to": "garden/pumps"}).json()["parent_topic"] == "garden"
    assert client.get("/focus/garden/pumps").json()["topic"]["topic"] == "garden/pumps"
    assert client.delete("/focus/garden/pumps").status_code == 204
    assert client.get("/focus").json() == {"topics": []}
    assert {t["topic"] for t in client.get("/focus?all=1").json()["topics"]} == {"garden-work", "garden/pumps"}


def test_a_topic_tells_its_history(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden", json={})
    client.put("/focus/garden", json={"file_paths": [PUMP]})
    client.delete("/focus/garden")
    history = client.get("/focus/garden").json()["history"]
    assert [(c["kind"], c["origin"]) for c in history] == [
        ("topic.removed", "api"),
        ("topic.changed", "api"),
        ("topic.added", "api"),
    ]
    assert history[1]["before"]["file_paths"] == []
    assert history[1]["after"]["file_paths"] == [PUMP]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/focus/never", 404),
        ("DELETE", "/focus/never", 404),
        ("PUT", "/focus/***", 400),
        ("GET", "/focus?all=perhaps", 400),
        ("GET", "/focus/files", 400),
    ],
)
def test_wrong_names_are_refused(daemon: Daemon, method: str, path: str, status: int) -> None:
    answer = daemon().request(method, path, json={} if method == "PUT" else None)
    assert answer.status_code == status
    assert set(answer.json()) == {"type", "message", "hint"}


def test_a_rename_onto_another_topic_is_a_conflict(daemon: Daemon) -> None:
    client = daemon()
    for name in ("garden", "auth"):
        client.put(f"/focus/{name}", json={})
    assert client.put("/focus/garden", json={"rename_to": "auth"}).status_code == 409


def test_files_are_found(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden", json={"file_paths": [PUMP, "/home/me/garden/valve.py"]})
    assert client.get("/focus/files?q=pump").json() == {"files": [PUMP]}
    assert client.get("/focus/files?q=the pump that is so loud").json() == {"files": [PUMP]}


def test_a_topic_called_files_is_reached_without_a_query(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/files", json={"file_paths": [PUMP]})
    assert client.get("/focus/files").json()["topic"]["file_paths"] == [PUMP]
    assert client.get("/focus/files?q=pump").json() == {"files": [PUMP]}
    assert client.get("/focus/files?q=").status_code == 400
    assert client.delete("/focus/files").status_code == 204


def test_the_prompt_names_the_files_of_the_focus_and_their_folder(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    client.post("/activity?wait=1", json={"session_id": "a", "user_message": "go", "file_paths": [PUMP]})
    client.post("/chat", json={"message": "which file has the pump?", "conversation_id": "a"}).raise_for_status()
    folder, _, name = PUMP.rpartition("/")
    standing = model.prompts[0][0].text
    assert name in standing
    assert folder in standing


def test_chat_feeds_the_focus_and_the_next_conversation_knows_it(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel()
    client = daemon(model=model)
    client.post("/chat", json={"message": f"Make {PUMP} quieter", "conversation_id": "a"})
    topic = work(client)["topic"]  # behind the chat's exchange in the inbox
    clock.pass_time(days=2)
    answer = client.post("/chat", json={"message": "hello", "conversation_id": "b", "explain": True}).json()
    assert f"- **{topic}** (2 sessions, last touched 2d ago) — pump.py @ /home/me/garden/" in model.prompts[-1][0].text
    assert answer["receipt"]["focus"] == [topic]
    assert answer["usage"]["memory_tokens"] > 0


def test_an_edited_focus_is_asked_to_the_conversations_under_way(daemon: Daemon) -> None:
    model = FakeModel()
    client = daemon(model=model)
    for _ in range(3):
        client.post("/chat", json={"message": "hello", "conversation_id": "a"})
        client.put("/focus/garden", json={})
    standing = {prompt[0].text for prompt in model.prompts}
    assert len(standing) == 1, "the prefix does not move"
    assert ["garden" in prompt[-1].context for prompt in model.prompts] == [False, True, True]
    assert [e["user"] for e in client.get("/conversations/a").json()["exchanges"]] == ["hello"] * 3


def test_the_file_is_edited_by_the_merges_own_rules(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    for name in ("garden", "shop"):
        client.put(f"/focus/{name}").raise_for_status()
    text = client.get("/focus.md").text
    client.put("/focus/kitchen").raise_for_status()  # comes after the text was opened, and stays
    edited = "".join(line for line in text.splitlines(keepends=True) if "shop" not in line)
    client.put("/focus.md", json={"text": edited, "base": text}).raise_for_status()
    names = {topic["topic"] for topic in client.get("/focus").json()["topics"]}
    assert names == {"garden", "kitchen"}
    file = tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md"
    assert client.get("/focus.md").text == file.read_text()


def test_what_is_no_focus_file_changes_nothing(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    answer = client.put("/focus.md", json={"text": "hello"})
    assert (answer.status_code, answer.json()["message"].partition(":")[0]) == (422, "text")
    assert [topic["topic"] for topic in client.get("/focus").json()["topics"]] == ["garden"]


def test_rejected_texts_are_shown_and_removed(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    copy = tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md.rejected"
    copy.write_text("my notes")
    (shown,) = client.get("/focus.rejected").json()["rejected"]
    assert (shown["name"], shown["text"]) == (copy.name, "my notes")
    assert client.delete("/focus.rejected/else").status_code == 404
    assert client.delete(f"/focus.rejected/{copy.name}").status_code == 204
    assert client.get("/focus.rejected").json()["rejected"] == []


def undo_last(client: Client, topic: str, kind: str) -> None:
    history = client.get(f"/focus/{topic}").json()["history"]
    number = next(change["id"] for change in history if change["kind"] == kind)
    client.post(f"/events/{number}/undo").raise_for_status()


def test_changes_of_topics_are_taken_back(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    touched = client.get("/focus/garden").json()["topic"]["last_touched_at"]
    clock.pass_time(days=3)
    client.put("/focus/garden").raise_for_status()
    undo_last(client, "garden", "topic.changed")
    assert client.get("/focus/garden").json()["topic"]["last_touched_at"] == touched
    client.delete("/focus/garden").raise_for_status()
    undo_last(client, "garden", "topic.removed")
    assert client.get("/focus/garden").json()["topic"]["is_active"]
    client.put("/focus/garden", json={"rename_to": "allotment"}).raise_for_status()
    undo_last(client, "allotment", "topic.renamed")
    assert [t["topic"] for t in client.get("/focus").json()["topics"]] == ["garden"]


def test_what_came_after_an_event_stays_when_it_is_taken_back(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.put("/focus/garden", json={"file_paths": ["/home/me/a.py"]}).raise_for_status()
    client.put("/focus/garden", json={"file_paths": ["/home/me/a.py", "/home/me/b.py"]}).raise_for_status()
    clock.pass_time(days=2)
    client.put("/focus/garden", json={"file_paths": ["/home/me/b.py", "/home/me/c.py"]}).raise_for_status()
    touched = client.get("/focus/garden").json()["topic"]["last_touched_at"]
    second = client.get("/events?kind=topic.").json()["events"][1]
    client.post(f"/events/{second['id']}/undo").raise_for_status()
    topic = client.get("/focus/garden").json()["topic"]
    assert (topic["file_paths"], topic["last_touched_at"]) == (["/home/me/c.py"], touched)
    undoing = client.get("/events?kind=topic.").json()["events"][0]
    assert undoing["undoes"] == second["id"]


def test_a_rename_is_taken_back_as_it_is_now(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.put("/focus/garden", json={"file_paths": ["/home/me/a.py", "/home/me/b.py"]}).raise_for_status()
    client.put("/focus/garden", json={"rename_to": "allotment"}).raise_for_status()
    client.put("/focus/allotment", json={"file_paths": ["/home/me/b.py"]}).raise_for_status()
    count = client.get("/focus/allotment").json()["topic"]["touch_count"]
    undo_last(client, "allotment", "topic.renamed")
    (topic,) = client.get("/focus").json()["topics"]
    assert (topic["topic"], topic["file_paths"], topic["touch_count"]) == ("garden", ["/home/me/b.py"], count)
    renamed = client.get("/events?kind=topic.renamed").json()["events"][-1]["id"]
    for query in ("?dry_run=1", ""):
        assert client.post(f"/events/{renamed}/undo{query}").status_code == 409


def test_what_cannot_be_taken_back_is_said_by_a_dry_run_too(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    client.delete("/focus/garden").raise_for_status()
    added, removed = (one["id"] for one in reversed(client.get("/events?kind=topic.").json()["events"]))
    for query in ("?dry_run=1", ""):
        assert client.post(f"/events/{added}/undo{query}").status_code == 409
    assert not client.post(f"/events/{removed}/undo?dry_run=1").json()["undone"]
    assert client.get("/focus").json()["topics"] == []
    client.post(f"/events/{removed}/undo").raise_for_status()
    assert client.get("/focus").json()["topics"]


def test_a_topic_says_when_it_leaves(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden").raise_for_status()
    assert client.get("/focus").json()["topics"][0]["fades_at"] == "2026-03-23T00:53:44Z"
