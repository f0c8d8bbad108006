"""What is due when nobody asks, and catches up after the Pi was off."""

from pathlib import Path

import pytest

from pi_memory import heap
from pi_memory.decay import DAY
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeModel
from tests.waiting import eventually


def daily(client: Client) -> None:
    assert client.portal is not None
    client.portal.call(client.parts.housekeeping.daily)


def sweep(client: Client) -> None:
    assert client.portal is not None
    client.portal.call(client.parts.housekeeping.sweep)


def count(client: Client, what: str) -> int:
    assert client.portal is not None

    async def read() -> int:
        return await client.parts.db.read(lambda db: int(db.execute(f"select count(*) from {what}").fetchone()[0]))

    return client.portal.call(read)


def test_a_sweep_ends_expired_conversations_and_writes_the_file(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    client.post("/chat", json={"message": "fix /home/me/shop/src/auth/login.py", "conversation_id": "c"})
    client.put("/focus/garden", json={})
    clock.pass_time(minutes=61)
    sweep(client)
    assert client.parts.windows.ids() == []
    assert count(client, "sessions where ended_at is null") == 0
    assert "last: 1h ago" in client.parts.settings.focus_file.read_text()


def test_an_agents_session_is_ended_too(daemon: Daemon) -> None:
    client = daemon()
    done = {"session_id": "agent", "user_message": "fix /home/me/shop/src/auth/login.py"}
    client.post("/activity?wait=1", json=done).raise_for_status()
    assert client.delete("/conversations/agent").status_code == 204
    assert client.delete("/conversations/agent").status_code == 404


def test_topics_fade_once_a_day_also_after_the_pi_was_off(daemon: Daemon, clock: FakeClock) -> None:
    first = daemon()
    first.put("/focus/garden", json={})
    first.stop()
    clock.pass_time(days=40)
    second = daemon()
    daily(second)
    assert count(second, "topics where is_active") == 0
    assert count(second, "events where kind = 'topic.faded'") == 1


def test_old_transcripts_are_erased(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(PI_MEMORY_TRANSCRIPT_DAYS=30)
    for name in ("old", "new"):
        client.post("/chat", json={"message": "hello there", "conversation_id": name})
        client.delete(f"/conversations/{name}")
        clock.now += 31 * DAY if name == "old" else 0
    daily(client)
    assert count(client, "exchanges where user != ''") == 1


def test_what_the_user_said_is_kept_longer_than_replies_and_questions(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(model=FakeModel("A quincequartz is a fruit."))
    for message in ("Zanzibar is the cat.", "What is a quince?"):
        client.post("/chat", json={"message": message, "conversation_id": "c"})
    client.settle()
    client.delete("/conversations/c")
    client.settle()
    clock.pass_time(days=31)
    daily(client)
    assert count(client, "exchanges where user = 'Zanzibar is the cat.'") == 1
    assert count(client, "exchanges where reply != '' or user like '%quince%'") == 0
    found = client.get("/memories/search", params={"q": "quincequartz zanzibar"}).json()["results"]
    assert {result["content"] for result in found if result["kind"] == "exchange"} == {"Zanzibar is the cat."}
    clock.pass_time(days=730)
    daily(client)
    assert count(client, "exchanges where user != ''") == 0


def test_without_transcripts_nothing_is_left_of_a_conversation_that_ended(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TRANSCRIPT_DAYS=0)
    client.post("/chat", json={"message": "hello there", "conversation_id": "c"})
    client.post("/activity?wait=1", json={"session_id": "s", "user_message": "thanks"})
    sweep(client)
    assert count(client, "exchanges where user = 'hello there'") == 1, "it is still going on"
    client.delete("/conversations/c")
    client.settle()
    sweep(client)
    assert count(client, "exchanges where user = 'hello there'") == 0


@pytest.mark.parametrize("stop", [False, True])
def test_without_transcripts_nothing_is_left_in_the_files(daemon: Daemon, tmp_path: Path, stop: bool) -> None:
    client = daemon(PI_MEMORY_TRANSCRIPT_DAYS=0)
    for number in range(30):  # so many that their words are on the card
        client.post("/chat", json={"message": f"what about zanzibarquartz {number}?", "conversation_id": "c"})
    client.settle()
    client.delete("/conversations/c")
    client.settle()
    client.stop() if stop else sweep(client)
    files = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"zanzibar" not in files.lower()


def test_sessions_and_the_history_of_topics_are_kept_for_a_year(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(PI_MEMORY_TRANSCRIPT_DAYS=30)
    for name in ("a", "b"):
        done = {"session_id": name, "user_message": "fix /home/me/shop/src/auth/login.py"}
        client.post("/activity?wait=1", json=done).raise_for_status()
        client.delete(f"/conversations/{name}")
    for days, left in ((360, 2), (6, 1)):
        clock.pass_time(days=days)
        daily(client)
        assert count(client, "sessions") == left
    assert client.get("/focus?all=1").json()["topics"][0]["session_count"] == 2, "the topic itself forgets nothing"


def test_the_daily_work_is_done_once_a_day(daemon: Daemon, clock: FakeClock, tmp_path: Path) -> None:
    client = daemon()
    client.put("/focus/garden", json={})
    daily(client)
    before = count(client, "state")
    clock.pass_time(days=0.9)
    daily(client)
    assert count(client, "state") == before


def test_a_start_with_expired_conversations_keeps_topics_and_hand_edits(daemon: Daemon, clock: FakeClock) -> None:
    first = daemon()
    for name in ("garden", "auth"):
        first.put(f"/focus/{name}", json={"file_paths": [f"/home/me/{name}/main.py"]})
    first.post("/chat", json={"message": "hello", "conversation_id": "c"})
    first.stop()
    file = first.parts.settings.focus_file
    text = file.read_text()
    file.write_text(text[: text.index("- **auth**")] + text[text.index("- **garden**") :])
    clock.pass_time(minutes=90)
    second = daemon()
    sweep(second)
    (topic,) = second.get("/focus").json()["topics"]
    assert (topic["topic"], topic["file_paths"]) == ("garden", ["/home/me/garden/main.py"])


def test_the_focus_file_is_written_as_soon_as_the_database_is(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    client = daemon(PI_MEMORY_COMMIT_SECONDS=0.05)
    assert client.get("/healthz").json()["parts"]["focus"]["status"] == "degraded"
    (tmp_path / "data").unlink()
    eventually(lambda: client.get("/healthz").json()["status"] == "ok")
    assert client.parts.settings.focus_file.exists()


def test_a_sweep_gives_back_what_work_has_left_free(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    # How much that is, test_heap.py measures in a process of its own: this one is full of what other tests left.
    trimmed: list[bool] = []
    monkeypatch.setattr(heap, "trim", lambda: trimmed.append(True))
    client = daemon()
    before = len(trimmed)
    sweep(client)
    assert len(trimmed) > before
