"""`/session`: what a session is in the middle of, reported and asked for."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeClock
from tests.test_http_focus import PUMP, work


def post(client: Client, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.status_code == (201 if path == "/session/applications" else 200), answer.text
    answered: dict[str, Any] = answer.json()
    return answered


def remembered(client: Client, content: str = "Valves close at night.") -> int:
    answer = client.post("/memories", json={"content": content, "namespace": "user"})
    assert answer.is_success, answer.text
    number: int = answer.json()["id"]
    return number


def test_a_session_has_the_shape_of_the_seed(daemon: Daemon, tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "package.json").write_text('{"dependencies": {"next": "15"}}')
    client = daemon()
    post(client, "/session", session_id="s", project="contably", directory=str(tmp_path))
    clock.pass_time(minutes=15)
    post(client, "/session/focus", topic="Authentication", related_files=["src/auth/*", "lib/session.ts"])
    shown = post(client, "/session/decisions", decision="Session stored in httpOnly cookie")
    assert shown == client.get("/session").json() == client.get("/session?session_id=s").json()
    assert shown == {
        "currentSession": {
            "sessionId": "s",
            "startedAt": "2026-02-22T14:30:00Z",
            "project": "contably",
            "workingDirectory": str(tmp_path),
        },
        "currentFocus": {
            "topic": "authentication",
            "since": "2026-02-22T14:45:00Z",
            "relatedFiles": ["src/auth/*", "lib/session.ts"],
            "keyDecisions": ["Session stored in httpOnly cookie"],
            "memoriesApplied": [],
        },
        "attentionWeights": {
            "weights": {
                "authentication": 0.95,
                "security": 0.3,
                "session": 0.25,
                "javascript": 0.1995,
                "nextjs": 0.1995,
                "middleware": 0.2,
                "cookies": 0.15,
            }
        },
        "recentContext": {
            "entries": [
                {
                    "topic": "authentication",
                    "duration": "ongoing",
                    "outcome": None,
                    "timestamp": "2026-02-22T14:45:00Z",
                    "memoriesUsed": 0,
                }
            ]
        },
        "memoryApplicationLog": {"applications": []},
    }
    assert list(shown["attentionWeights"]["weights"])[:2] == ["authentication", "security"]


def test_a_focus_that_is_over_is_reported_with_its_duration_and_outcome(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    post(client, "/session", session_id="s")
    post(client, "/session/focus", topic="database-schema")
    post(client, "/session/decisions", decision="completed users and accounts tables")
    clock.pass_time(minutes=45)
    post(client, "/session/focus", topic="authentication")
    clock.pass_time(minutes=125)
    entries = post(client, "/session/focus", topic="api")["recentContext"]["entries"]
    assert [(e["topic"], e["duration"], e["outcome"]) for e in entries] == [
        ("database-schema", "45min", "completed users and accounts tables"),
        ("authentication", "2h 5min", None),
        ("api", "ongoing", None),
    ]


def test_a_project_has_its_name_and_its_directory_also_when_it_changes(daemon: Daemon) -> None:
    client = daemon()

    def answered() -> tuple[str | None, str | None]:
        session = client.get("/session?session_id=s").json()["currentSession"]
        return session["project"], session["workingDirectory"]

    work(client)
    assert answered() == (None, None)
    for project, expected in [("/srv/shop/", "/srv/shop/"), ("shop", "/srv/shop/"), ("bees", None), ("/", "/")]:
        work(client, project=project)
        assert answered() == (project.strip("/").rpartition("/")[2] or "/", expected)
    post(client, "/session", session_id="s", project="/srv/shop")
    assert answered() == ("shop", "/srv/shop")


def test_work_is_followed_and_the_session_survives_a_restart(daemon: Daemon) -> None:
    client = daemon()
    topic = work(client)["topic"]
    before = client.get("/session").json()
    assert (before["currentSession"]["sessionId"], before["currentFocus"]["topic"]) == ("s", topic)
    assert before["currentFocus"]["relatedFiles"] == [PUMP]
    client.stop()
    assert daemon().get("/session").json() == before


def test_a_chat_is_a_session_too(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": f"Make {PUMP} quieter", "conversation_id": "c"})
    topic = work(client)["topic"]
    assert client.get("/session?session_id=c").json()["currentFocus"]["topic"] == topic


def test_a_session_without_a_name_gets_one(daemon: Daemon) -> None:
    client = daemon()
    names = {post(client, "/session")["currentSession"]["sessionId"] for _ in range(2)}
    assert len(names) == 2


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/session", {"session_id": "../x"}, "session_id"),
        ("/session", {"project": "p" * 2_000}, "project"),
        ("/session", {"directory": "/" + "d" * 2_000}, "directory"),
        ("/session", {"workingDirectory": "/"}, "workingDirectory"),
        ("/session/focus", {"topic": ""}, "topic"),
        ("/session/focus", {"topic": "***"}, "topic"),
        ("/session/focus", {}, "topic"),
        ("/session/focus", {"topic": "x", "related_files": [1]}, "related_files"),
        ("/session/decisions", {"decision": "  "}, "decision"),
        ("/session/decisions", {"decision": "x" * 1_001}, "decision"),
        ("/session/applications", {"memory_id": "seven"}, "memory_id"),
        ("/session/applications", {"memory_id": 1, "context": "x" * 1_001}, "context"),
    ],
)
def test_what_is_wrong_is_refused_by_name(daemon: Daemon, path: str, body: dict[str, Any], named: str) -> None:
    client = daemon()
    post(client, "/session", session_id="s")
    remembered(client)
    answer = client.post(path, json=body)
    assert answer.status_code == 400
    assert named in answer.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/session", None),
        ("GET", "/session?session_id=never", None),
        ("POST", "/session/focus", {"topic": "garden"}),
        ("POST", "/session/focus", {"topic": "garden", "session_id": "never"}),
        ("POST", "/session/decisions", {"decision": "yes"}),
        ("POST", "/session/applications", {"memory_id": 1}),
        ("PATCH", "/session/applications/1", {"helpful": True}),
        ("PATCH", "/session/applications/x", {"helpful": True}),
        ("PATCH", "/session/applications/99999999999999999999999", {"helpful": True}),
    ],
)
def test_what_is_not_there_is_not_found(daemon: Daemon, method: str, path: str, body: dict[str, Any] | None) -> None:
    assert daemon().request(method, path, json=body).status_code == 404


def test_an_unknown_memory_cannot_be_put_to_use(daemon: Daemon) -> None:
    client = daemon()
    post(client, "/session")
    assert client.post("/session/applications", json={"memory_id": 77}).status_code == 404


def test_a_memory_that_helped_is_reinforced_and_one_that_did_not_is_halved(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    number = remembered(client)
    post(client, "/session", session_id="s")
    post(client, "/session/focus", topic="garden")
    clock.pass_time(days=10)
    used = post(client, "/session/applications", memory_id=number, context="Programming the night")
    assert (used["memoryId"], used["memoryName"], used["helpful"]) == (number, "Valves close at night.", None)
    assert client.get("/session").json()["currentFocus"]["memoriesApplied"] == [number]

    def judged(helpful: bool) -> float:
        answer = client.patch(f"/session/applications/{used['id']}", json={"helpful": helpful})
        assert answer.json()["helpful"] is helpful
        strength: float = client.get(f"/memories/{number}").json()["strength"]
        return strength

    assert judged(True) == pytest.approx(1)
    assert judged(False) == pytest.approx(0.5, abs=1e-3)
    assert judged(False) == pytest.approx(0.5, abs=1e-3), "said twice, it counts once"
    assert judged(True) == pytest.approx(1)
    (logged,) = client.get("/session").json()["memoryApplicationLog"]["applications"]
    assert logged == used | {"helpful": True}


def test_a_judgement_is_yes_or_no(daemon: Daemon) -> None:
    client = daemon()
    post(client, "/session")
    used = post(client, "/session/applications", memory_id=remembered(client))
    for body in ({}, {"helpful": None}, {"helpful": "yes"}):
        assert client.patch(f"/session/applications/{used['id']}", json=body).status_code == 400


def test_a_forgotten_memory_has_no_name_any_more(daemon: Daemon) -> None:
    client = daemon()
    number = remembered(client)
    post(client, "/session")
    post(client, "/session/applications", memory_id=number)
    client.delete(f"/memories/{number}?forget=1")
    (logged,) = client.get("/session").json()["memoryApplicationLog"]["applications"]
    assert (logged["memoryId"], logged["memoryName"]) == (number, None)


@pytest.mark.parametrize(
    ("content", "given", "topics"),
    [
        ("The SQL migrations run at night.", {}, ["database"]),
        ("Passwords are in the vault.", {"topics": []}, []),
        ("OAuth by the book.", {"topics": ["shop"]}, ["shop"]),
    ],
)
def test_a_memory_without_topics_is_about_what_it_says(
    daemon: Daemon, content: str, given: dict[str, Any], topics: list[str]
) -> None:
    assert daemon().post("/memories", json={"content": content} | given).json()["topics"] == topics


def test_a_memory_of_a_session_is_also_about_its_focus(daemon: Daemon) -> None:
    client = daemon()
    post(client, "/session", session_id="s")
    post(client, "/session/focus", topic="garden")
    answer = client.post("/memories", json={"content": "The SQL migrations run at night.", "session_id": "s"})
    assert answer.json()["topics"] == ["database", "garden"]


def test_a_search_begins_with_what_has_attention(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    for topic in ("garden", "shop"):
        body = {"content": f"{topic.title()}: updates go out with rsync.", "topics": [topic]}
        client.post("/memories", json=body)
        post(client, "/session", session_id=topic, project=topic)
        post(client, "/session/focus", topic=topic)

    def boosts(query: str) -> dict[str, float]:
        found = client.get(f"/memories/search?q=how+do+updates+go+out&explain=1{query}").json()["results"]
        return {result["content"].partition(":")[0]: result.get("boost", 0.0) for result in found}

    assert boosts("") == {"Shop": 0.475, "Garden": 0}
    assert boosts("&session_id=garden") == {"Garden": 0.475, "Shop": 0}
    assert boosts("&project=shop")["Shop"] == 0.475
    assert boosts("&project=other")["Shop"] == 0
    clock.pass_time(days=1)
    assert boosts("") == {"Shop": 0, "Garden": 0}, "nobody is at work"
    assert client.get("/memories/search?q=updates&session_id=never").status_code == 404


def test_a_memory_that_was_applied_counts_in_the_focus_under_way(daemon: Daemon) -> None:
    client = daemon()
    client.post("/memories", json={"content": "Valves open at six"})
    for session in ("other", "s"):
        post(client, "/session", session_id=session)
        post(client, "/session/focus", topic="garden", session_id=session)
        for _ in range(2):
            client.post("/session/applications", json={"memory_id": 1, "session_id": session}).raise_for_status()
    shown = client.get("/session?session_id=s").json()
    assert shown["currentFocus"]["memoriesApplied"] == [1]
    assert [entry["memoriesUsed"] for entry in shown["recentContext"]["entries"]] == [1, 1]
