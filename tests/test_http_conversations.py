"""`/conversations/{id}`, and the four checks of short memory: continuity, streamed continuity, TTL, LRU."""

from tests.conftest import Daemon
from tests.fakes import FakeClock


def test_a_window_is_shown(daemon: Daemon) -> None:
    client = daemon(MEMORY_MAX_TURNS=2)
    for word in ("one", "two", "three"):
        client.post("/chat", json={"message": word, "conversation_id": "c", "project": "garden"})
    shown = client.get("/conversations/c").json()
    assert [e["user"] for e in shown["exchanges"]] == ["two", "three"]
    assert shown["project"] == "garden"
    assert shown["expires_at"] > shown["last_at"]


def test_a_conversation_expires(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(MEMORY_TTL_MIN=1)
    client.post("/chat", json={"message": "hello", "conversation_id": "c"})
    clock.pass_time(seconds=59)
    assert client.get("/conversations/c").status_code == 200
    clock.pass_time(seconds=2)
    assert client.get("/conversations/c").status_code == 404


def test_the_least_recently_used_conversation_gives_way(daemon: Daemon) -> None:
    client = daemon(MEMORY_MAX_CONVERSATIONS=2)
    for name in ("a", "b", "c"):
        client.post("/chat", json={"message": "hello", "conversation_id": name})
    assert [client.get(f"/conversations/{name}").status_code for name in "abc"] == [404, 200, 200]


def test_a_conversation_can_be_ended(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "hello", "conversation_id": "c"})
    assert client.delete("/conversations/c").status_code == 204
    assert client.get("/conversations/c").status_code == 404
    assert client.delete("/conversations/c").json()["type"] == "not_found"


def test_conversations_survive_a_clean_restart(daemon: Daemon) -> None:
    first = daemon()
    for word in ("one", "two"):
        first.post("/chat", json={"message": word, "conversation_id": "c"})
    first.post("/chat", json={"message": "x", "conversation_id": "ended"})
    first.delete("/conversations/ended")
    first.stop()
    second = daemon()
    assert [e["user"] for e in second.get("/conversations/c").json()["exchanges"]] == ["one", "two"]
    assert second.get("/conversations/ended").status_code == 404


def test_an_expired_conversation_does_not_come_back_with_a_restart(daemon: Daemon, clock: FakeClock) -> None:
    first = daemon()
    first.post("/chat", json={"message": "hello", "conversation_id": "c"})
    first.stop()
    clock.pass_time(minutes=61)
    assert daemon().get("/conversations/c").status_code == 404
