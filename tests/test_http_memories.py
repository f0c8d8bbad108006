"""`/memories` and `/events`: what has been learned can be seen, changed, undone and forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_memory.model.extractive import ExtractiveModel
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock


def remember(client: Client, content: str = "Likes green tea", **more: Any) -> dict[str, Any]:
    answer = client.post("/memories", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    memory: dict[str, Any] = answer.json()
    assert answer.headers["Location"] == f"/memories/{memory['id']}"
    return memory


def listed(client: Client, query: str = "") -> list[int]:
    return [memory["id"] for memory in client.get(f"/memories{query}").json()["memories"]]


def test_a_memory_is_added_and_shown(daemon: Daemon) -> None:
    client = daemon()
    memory = remember(client, quote="I like green tea", project="/home/me/Garden", topics=["food"], priority="highest")
    assert (memory["id"], memory["namespace"], memory["strength"]) == (1, "project/garden", 1.0)
    assert (memory["created_at"], memory["valid_to"], memory["is_valid"]) == ("2026-02-22T14:30:00Z", None, True)
    assert client.get("/memories/1").json() == {**memory, "related": []}
    assert client.get("/memories").json() == {"memories": [memory], "total": 1}


def test_a_memory_names_others_that_are_about_the_same(daemon: Daemon) -> None:
    client = daemon()
    contents = [
        "The staging server runs Debian on port 8080",
        "The production server runs Debian on port 8080",
        "The tomatoes need water every morning",
    ]
    for content in contents:
        remember(client, content)
    remember(client, contents[0], namespace="project/other")
    assert [client.get(f"/memories/{number}").json()["related"] for number in (1, 2, 3, 4)] == [[2], [1], [], []]
    client.delete("/memories/2")
    assert client.get("/memories/1").json()["related"] == []


def test_a_known_memory_is_kept_once_with_the_higher_priority(daemon: Daemon) -> None:
    client = daemon()
    first = remember(client, "The vault holds 5 boxes", source="a", priority="medium")
    for priority, kept in (("high", "high"), ("low", "high")):
        again = remember(client, "The vault holds 5 boxes", source="b", priority=priority)
        assert (again["id"], again["priority"]) == (first["id"], kept)
    assert listed(client) == [first["id"]]


def test_a_parameter_that_is_none_is_refused_before_anything_is_done(daemon: Daemon) -> None:
    client = daemon()
    remember(client)
    refused = client.delete("/memories/1?forget=1&dryrun=1")
    assert (refused.status_code, refused.json()["message"]) == (400, "dryrun: no parameter of DELETE /memories/{id}")
    assert "dry_run" in refused.json()["hint"]
    assert client.get("/memories?foo=1").status_code == 400
    assert listed(client) == [1]


def test_an_addition_survives_a_restart(daemon: Daemon) -> None:
    client = daemon()
    remember(client)
    client.stop()
    assert listed(daemon()) == [1]


def test_memories_are_filtered_and_paged(daemon: Daemon) -> None:
    client = daemon()
    for number, namespace in enumerate(["user", "global/style", "project/a", "project/b"]):
        remember(client, f"Fact {number}", namespace=namespace)
    client.delete("/memories/4")
    assert listed(client) == [3, 2, 1]
    assert listed(client, "?namespace=global") == [2]
    assert listed(client, "?project=a") == [3, 2, 1]
    assert listed(client, "?project=b&all=1") == [4, 2, 1]
    assert listed(client, "?valid=0") == [4]
    assert listed(client, "?type=episodic") == []
    assert listed(client, "?limit=1&offset=1") == [2]


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({"content": ""}, 400, "content"),
        ({"content": "x" * 100_000}, 413, "content"),
        ({}, 400, "content"),
        ({"content": "x", "namespace": "user/../global"}, 400, "namespace"),
        ({"content": "x", "namespace": "user/*"}, 400, "namespace"),
        ({"content": "x", "project": ".."}, 400, "project"),
        ({"content": "x", "project": "a", "namespace": "user"}, 400, "project"),
        ({"content": "x", "type": "vague"}, 400, "type"),
        ({"content": "x", "vector": [1, 2]}, 400, "vector"),
        ({"content": "x", "supersedes": 9}, 404, "9"),
        ({"content": "x", "supersedes": 2**70}, 404, "no memory"),
        ({"content": "a\u0000b"}, 400, "content"),
    ],
)
def test_what_can_be_no_memory_is_refused_by_name(
    daemon: Daemon, body: dict[str, Any], status: int, named: str
) -> None:
    client = daemon()
    answer = client.post("/memories", json=body)
    assert (answer.status_code, named in answer.json()["message"]) == (status, True), answer.text
    assert listed(client, "?all=1") == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *[(method, "/memories/7", 404) for method in ("GET", "PATCH", "DELETE")],
        ("GET", f"/memories/{2**64}", 404),
        ("GET", "/memories/7/history", 404),
        ("DELETE", "/memories/7?forget=1", 404),
        ("POST", "/events/7/undo", 404),
        ("POST", f"/events/{2**64}/undo", 404),
        ("GET", "/memories/first", 404),
        ("GET", "/memories?limit=many", 400),
        ("GET", "/memories?limit=501", 400),
        ("GET", f"/memories?offset={2**64}", 400),
        ("GET", "/memories?namespace=..", 400),
        ("GET", "/memories?namespace=project/a&project=b", 400),
        ("DELETE", "/memories/7?forget=perhaps", 400),
    ],
)
def test_wrong_paths_and_queries_are_refused(daemon: Daemon, method: str, path: str, status: int) -> None:
    answer = daemon().request(method, path, json={"content": "x"} if method == "PATCH" else None)
    assert (answer.status_code, set(answer.json())) == (status, {"type", "message", "hint"})


def test_a_wrong_priority_is_told_which_there_are(daemon: Daemon) -> None:
    error = daemon().post("/memories", json={"content": "The vault holds 5 boxes", "priority": "urgent"})
    assert error.status_code == 400
    assert error.json()["hint"] == "One of: highest, high, medium, low."


@pytest.mark.parametrize(("field", "value"), [("type", "vague"), ("priority", ""), ("valid", "2"), ("limit", "-1")])
def test_a_wrong_filter_is_named(daemon: Daemon, field: str, value: str) -> None:
    answer = daemon().get("/memories", params={field: value})
    assert (answer.status_code, answer.json()["message"].split(":")[0]) == (400, field)


def test_a_memory_is_changed_and_the_change_undone_with_a_diff(daemon: Daemon) -> None:
    client = daemon()
    before = remember(client)
    changed = client.patch("/memories/1", json={"content": "Likes black tea", "topics": ["drinks"]}).json()
    assert (changed["content"], changed["namespace"], changed["topics"]) == ("Likes black tea", "user", ["drinks"])
    diff = [
        {"memory_id": 1, "field": "content", "before": "Likes black tea", "after": "Likes green tea"},
        {"memory_id": 1, "field": "topics", "before": ["drinks"], "after": []},
    ]
    assert client.post("/events/2/undo?dry_run=1").json() == {"event_id": 2, "undone": False, "changes": diff}
    assert client.get("/memories/1").json() == {**changed, "related": []}
    assert client.post("/events/2/undo").json() == {"event_id": 2, "undone": True, "changes": diff}
    assert client.get("/memories/1").json() == {**before, "related": []}
    again = client.post("/events/2/undo")
    assert (again.status_code, again.json()["hint"]) == (409, "Undo event 3 first.")


def test_a_memory_tells_its_history(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    remember(client)
    client.patch("/memories/1", json={"content": "Likes black tea"})
    clock.pass_time(days=1)
    new = remember(client, "Likes coffee", supersedes=1)
    answered = client.get("/memories/1/history").json()
    assert [one["kind"] for one in answered["history"]] == ["memory.superseded", "memory.changed", "memory.added"]
    superseded, changed, added = answered["history"]
    assert superseded["after"] == {"valid_to": "2026-02-23T14:30:00Z", "superseded_by": new["id"]}
    assert (changed["before"], changed["after"]) == ({"content": "Likes green tea"}, {"content": "Likes black tea"})
    assert (added["before"], added["after"]["content"], added["origin"]) == (None, "Likes green tea", "api")
    assert answered["memory"]["superseded_by"] == new["id"]


def test_events_are_listed(daemon: Daemon) -> None:
    client = daemon()
    client.put("/focus/garden", json={})
    remember(client)
    client.delete("/memories/1")
    events = client.get("/events?kind=memory.").json()["events"]
    assert [(e["kind"], e["subject"]) for e in events] == [("memory.closed", "memory:1"), ("memory.added", "memory:1")]
    assert events[0]["after"] == {"1": {"valid_to": "2026-02-22T14:30:00Z"}}
    assert [e["kind"] for e in client.get(f"/events?before={events[1]['id']}").json()["events"]] == ["topic.added"]
    assert client.post("/events/1/undo").status_code == 200
    assert client.get("/focus").json()["topics"] == []


def test_closing_is_undone(daemon: Daemon) -> None:
    client = daemon()
    remember(client)
    assert client.delete("/memories/1").status_code == 204
    assert listed(client) == []
    client.post("/events/2/undo")
    assert listed(client) == [1]


def test_what_is_forgotten_stays_so(daemon: Daemon) -> None:
    client = daemon()
    remember(client, "My pin is 4711", quote="Remember that my pin is 4711")
    assert client.delete("/memories/1?forget=1").status_code == 204
    assert client.delete("/memories/1?forget=1").status_code == 204
    gone = client.get("/memories/1").json()
    assert (gone["content"], gone["quote"], gone["forgotten_at"]) == ("", "", "2026-02-22T14:30:00Z")
    client.stop()
    client = daemon()
    for answer in (
        client.post("/memories", json={"content": "my PIN is 4711."}),
        client.post("/events/1/undo"),
        client.patch("/memories/1", json={"content": "My pin is 4711"}),
    ):
        assert (answer.status_code, answer.json()["type"]) == (409, "forgotten")
    assert "4711" not in client.get("/events").text + client.get("/memories/1/history").text


def test_without_memory_nothing_is_kept(daemon: Daemon) -> None:
    assert daemon(ENABLE_MEMORY="false").post("/memories", json={"content": "x"}).status_code == 409


def test_the_daily_work_closes_what_has_faded(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    remember(client)
    remember(client, "My name is Ada", priority="highest")
    client.stop()
    clock.pass_time(days=60)
    client = daemon()
    client.portal.call(client.parts.housekeeping.daily)  # type: ignore[union-attr]
    assert listed(client) == [2]
    assert client.get("/memories/1/history").json()["history"][0]["kind"] == "memory.faded"


@pytest.mark.parametrize(
    ("said", "asked"),
    [("Remember that my safe opens with zanzibarquartz.", "What opens my safe?"), ("Remember: zanzibarquartz",) * 2],
)
def test_what_is_forgotten_is_nowhere_also_after_a_stop(daemon: Daemon, tmp_path: Path, said: str, asked: str) -> None:
    """Neither what was said nor what was recalled of it in another conversation, long or short."""
    client = daemon(model=ExtractiveModel(), MEMORY_MAX_TURNS=1)
    for name, message in (("a", said), ("a", asked), ("a", "Thanks!"), ("b", asked)):
        client.post("/chat", json={"message": message, "conversation_id": name}).raise_for_status()
        client.settle()
    assert "zanzibarquartz" in str(client.parts.windows.prompted()).lower()
    assert client.delete("/memories/1?forget=1").status_code == 204
    assert "zanzibarquartz" not in str(client.parts.windows.prompted()).lower()
    client.stop()
    files = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"zanzibarquartz" not in files.lower()


def test_what_is_forgotten_is_not_kept_when_it_is_said_or_imported_again(daemon: Daemon) -> None:
    client = daemon()
    line = {"role": "user", "content": "Listen. My safe opens with quartz. Good."}
    file = json.dumps({"conversation_id": "old", "messages": [line, {"role": "assistant", "content": "I see."}]})
    assert client.post("/import", content=file).json()["imported"]["messages"] == 2
    remember(client, "My safe opens with quartz")
    client.delete("/memories/1?forget=1")
    assert client.post("/import", content=file).json()["imported"]["messages"] == 0
    client.post("/chat", json={"message": "Hello. By the way, my safe opens with quartz!", "conversation_id": "new"})
    client.settle()
    found = client.get("/memories/search?q=hello listen quartz").json()["results"]
    assert {result["content"] for result in found if result["role"] == "user"} == {"Listen. Good.", "Hello."}


def test_looking_at_a_memory_writes_nothing(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon(PI_MEMORY_COMMIT_SECONDS=0)
    for content in ("Likes green tea from Uji", "Likes green tea from Uji a lot"):
        remember(client, content)
    client.settle()
    before = {path: path.read_bytes() for path in (tmp_path / "data").glob("memory.db*") if path.suffix != ".db-shm"}
    shown = client.get("/memories/1").json()
    assert shown["related"] == [2]
    assert {path: path.read_bytes() for path in before} == before
