"""The audit log: who changed what, what was refused, and that nobody fills the card by being refused."""

from typing import Any

import pytest

from pi_memory.http.audit import HOUR, MOST_REFUSALS
from pi_memory.store import erasure
from pi_memory.store.events import AUDIT, Event, add
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock

TOKEN = {"Authorization": "Bearer a-long-secret"}


@pytest.fixture
def client(daemon: Daemon) -> Client:
    return daemon(PI_MEMORY_TOKEN="a-long-secret")


def named(client: Client, scope: str = "chat", *, name: str = "kitchen") -> dict[str, str]:
    made = client.post("/tokens", json={"name": name, "scope": scope}, headers=TOKEN).json()
    return {"Authorization": f"Bearer {made['token']}"}


def log(client: Client) -> list[tuple[str, str, str, int]]:
    entries: list[dict[str, Any]] = client.get("/audit", headers=TOKEN).json()["entries"]
    return [(one["outcome"], one["who"], one["what"], one["times"]) for one in entries]


def test_a_change_says_who_and_what_and_nothing_of_the_content(client: Client) -> None:
    headers = named(client)
    client.post("/memories", json={"content": "The PIN of the shed is 4711."}, headers=headers)
    client.get("/memories", headers=headers)
    client.post("/memories", json={"content": ""}, headers=headers)
    client.delete("/memories/1?forget=1&dry_run=1", headers=named(client, "all", name="desk"))
    assert log(client) == [("changed", "token kitchen", "POST /memories", 1)]
    assert "4711" not in client.get("/audit", headers=TOKEN).text


def test_a_tool_and_a_page_are_logged_by_what_they_change(client: Client) -> None:
    headers = named(client, "all")
    params = {"name": "remember", "arguments": {"content": "The tap drips."}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    client.post("/mcp", json=asked, headers=headers)
    client.post("/ui/memories/1/forget", headers=headers)
    assert {what for _, _, what, _ in log(client)} == {"POST /mcp remember", "DELETE /memories/{id}"}


@pytest.mark.parametrize(
    ("headers", "what"),
    [({}, "no token, or a wrong one"), ({"Origin": "https://evil.example"}, "another site, or by another name")],
)
def test_a_refusal_says_what_was_wrong(client: Client, headers: dict[str, str], what: str) -> None:
    client.get("/focus", headers=headers)
    assert log(client) == [("refused", "testclient", what, 1)]


def test_what_a_token_does_not_open_is_logged_by_its_path(client: Client) -> None:
    client.delete("/memories/1?forget=1", headers=named(client))
    assert log(client) == [("refused", "token kitchen", "DELETE /memories/{id}", 1)]


def test_what_repeats_is_counted_by_the_hour(client: Client, clock: FakeClock) -> None:
    for _ in range(50):
        client.get("/focus")
    clock.now += HOUR
    client.get("/focus")
    assert [times for *_, times in log(client)] == [1, 50]


def test_what_is_counted_on_one_page_is_not_on_the_next(client: Client) -> None:
    headers = named(client, "read")
    for _ in range(2):
        client.get("/focus")
        client.delete("/memories/1?forget=1", headers=headers)
    first, *_ = client.get("/audit?limit=1", headers=TOKEN).json()["entries"]
    left = client.get(f"/audit?before={first['id']}", headers=TOKEN).json()["entries"]
    assert [each["times"] for each in (first, *left)] == [2, 2]
    assert first["what"] != left[0]["what"]


def test_many_strangers_are_a_few_entries(client: Client) -> None:
    headers = named(client, "read")
    for number in range(3 * MOST_REFUSALS):
        client.request("POST", f"/v1/{'x' * number}", headers=headers)
    for path in ("/chat", "/import", "/activity", "/history", "/session", "/tokens", "/memories"):
        client.post(path, json={}, headers=headers)
    assert len(log(client)) <= MOST_REFUSALS + 2


def test_the_log_is_kept_apart_from_the_events_of_memories(client: Client) -> None:
    client.get("/focus")
    assert client.get("/events", headers=TOKEN).json() == {"events": []}
    assert client.get("/events?kind=access.", headers=TOKEN).json()["events"]


def test_old_entries_go(client: Client) -> None:
    def pruned(db: Any) -> tuple[int, int]:
        for at in range(erasure.KEPT_AUDIT + 10):
            add(db, Event(float(at), f"{AUDIT}refused", "x", "y"))
        return erasure.prune(db, before=0.0), erasure.prune(db, before=1e9)

    assert client.portal
    assert client.portal.call(client.parts.db.write, pruned) == (10, erasure.KEPT_AUDIT - 1)
