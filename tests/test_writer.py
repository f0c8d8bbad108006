"""The daemon while its database refuses writes: nothing is acknowledged that is not saved, and all is saved later."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlite_utils

from tests.conftest import Client, Daemon
from tests.process import serving
from tests.waiting import eventually

PUMP = "/home/me/garden/pump.py"


@pytest.fixture
def client(daemon: Daemon) -> Client:
    return daemon(PI_MEMORY_COMMIT_SECONDS=0.05)


def refuse(client: Client) -> None:
    run(client, lambda db: db.execute("pragma query_only = on").fetchall())


def allow(client: Client) -> None:
    run(client, lambda db: db.execute("pragma query_only = off").fetchall())
    assert client.portal
    client.portal.call(client.parts.db.writable)


def run(client: Client, work: Callable[[sqlite_utils.Database], object]) -> None:
    async def read() -> object:
        return await client.parts.db.read(work)

    assert client.portal
    client.portal.call(read)


def test_a_topic_that_is_not_saved_is_not_there(client: Client) -> None:
    client.put("/focus/garden", json={})
    refuse(client)
    answer = client.put("/focus/kitchen", json={})
    assert (answer.status_code, answer.json()["type"]) == (503, "not_saved")
    assert "Not saved" in answer.json()["message"]
    assert answer.json()["hint"]
    assert client.put("/focus/garden", json={"rename_to": "yard"}).status_code == 503
    assert [topic["topic"] for topic in client.get("/focus?all=1").json()["topics"]] == ["garden"]
    allow(client)
    assert client.put("/focus/kitchen", json={}).status_code == 200
    assert client.get("/healthz").json()["parts"]["database"]["status"] == "ok"


def test_a_memory_and_a_session_that_are_not_saved_are_not_there(client: Client) -> None:
    client.post("/session", json={"session_id": "s"})
    refuse(client)
    assert client.post("/memories", json={"content": "I drink tea."}).status_code == 503
    assert client.post("/session/decisions", json={"session_id": "s", "decision": "Use the flange."}).status_code == 503
    assert "flange" not in client.get("/session?session_id=s").text
    allow(client)
    assert client.get("/memories").json()["memories"] == []


def test_what_the_user_wants_remembered_is_not_confirmed_before_it_is_saved(client: Client) -> None:
    refuse(client)
    reply = client.post("/chat", json={"message": "Remember that the valve sticks."}).json()["reply"]
    assert "Not saved: attempt to write a readonly database" in reply
    assert "Remembered" not in reply
    allow(client)


def test_what_was_said_on_a_full_disk_is_found_and_tagged_later(client: Client) -> None:
    refuse(client)
    message = f"please change {PUMP} and the flange"
    assert client.post("/chat", json={"message": message, "conversation_id": "c"}).status_code == 200
    assert client.get("/healthz").json()["parts"]["database"]["status"] == "degraded"
    allow(client)
    client.settle()
    assert client.get("/healthz").json()["parts"]["database"]["status"] == "ok"
    assert client.get("/memories/search?q=flange").json()["results"]
    assert any(PUMP in topic["file_paths"] for topic in client.get("/focus").json()["topics"])


def test_an_activity_is_accepted_only_when_it_can_be_saved(client: Client) -> None:
    refuse(client)
    body = {"session_id": "a", "user_message": "hello", "file_paths": [PUMP]}
    for path in ("/activity?wait=1", "/activity"):
        answer = client.post(path, json=body)
        assert (answer.status_code, answer.json()["message"][:9]) == (503, "Not saved")
    allow(client)
    assert client.post("/activity?wait=1", json=body).json()["topic"]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program in the middle of a write."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as other:
        other.execute("begin immediate")
        yield


def test_a_stop_saves_what_can_be_saved_and_says_what_cannot(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_COMMIT_SECONDS=0.1) as process, process.client as client:
        client.put("/focus/garden", json={})
        with locked(tmp_path / "data" / "memory.db"):
            client.post("/chat", json={"message": f"change {PUMP}", "conversation_id": "c"})
            client.post("/activity", json={"session_id": "a", "user_message": "hello", "file_paths": [PUMP]})
            (tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md").unlink()
            assert process.stop() == 1
    log = "".join(process.log)
    assert log.count("exchanges, and what else was to be written, could not be saved") == 1
    assert "Traceback" not in log
    assert (tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md").exists()


def test_a_lock_that_ends_in_time_costs_a_stop_nothing(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_COMMIT_SECONDS=0.1) as process, process.client as client:
        with locked(tmp_path / "data" / "memory.db"):
            client.post("/chat", json={"message": "the lock is mine", "conversation_id": "c"})
            eventually(lambda: "locked" in client.get("/healthz").text)
        assert process.stop() == 0, "".join(process.log)
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as db:
        assert db.execute("select user from exchanges").fetchall() == [("the lock is mine",)]
