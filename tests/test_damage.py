"""A value that cannot be decoded is set aside and named; all others are served."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Client, Daemon

DAMAGES = {
    "topics.file_paths": "update topics set file_paths = '[broken'",
    "topics.directories": "update topics set directories = '{\"a\": 1}'",
    "exchanges.tool_calls": "update exchanges set tool_calls = '[{]'",
    "exchanges.file_paths": "update exchanges set file_paths = x'ff'",
    "memories.topics": "update memories set topics = '[1, 2]'",
    "events.before": "update events set before = '{\"1\"', after = '{\"1\"' where kind like 'memory.%'",
    "events.after": "update events set after = 'nonsense' where kind like 'topic.%'",
    "exchanges.user": "update exchanges set user = cast(x'6869ff' as text)",
    "memories.content": "update memories set content = cast(x'74656120ff' as text)",
}


@pytest.fixture
def damaged(daemon: Daemon, tmp_path: Path) -> Callable[[str], Client]:
    """A daemon that knows something, started again after its database has been damaged."""

    def make(statement: str) -> Client:
        client = daemon()
        client.post("/memories", json={"content": "I drink tea."})
        client.put("/focus/garden", json={"file_paths": ["pump.py"]})
        client.post("/chat", json={"message": "hello there", "conversation_id": "c"})
        client.post("/chat", json={"message": "and again", "conversation_id": "c"})
        client.settle()
        client.stop()
        with closing(sqlite3.connect(tmp_path / "data" / "memory.db", isolation_level=None)) as db:
            db.execute("pragma writable_schema = on")
            assert db.execute(statement).rowcount > 0
        return daemon()

    return make


@pytest.mark.parametrize("place", DAMAGES)
def test_a_damaged_value_keeps_nothing_else_away(
    damaged: Callable[[str], Client], tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    client = damaged(DAMAGES[place])
    for path in ("/events", "/export", "/focus", "/memories", "/session"):
        assert client.get(path).status_code in (200, 404), path
    assert client.get("/memories/search?q=tea").status_code == 200
    assert client.post("/chat", json={"message": "tea?", "conversation_id": "c"}).status_code == 200
    client.settle()
    todo = client.get("/healthz").json()["parts"]["database"].get("todo", "")
    assert place in todo
    assert caplog.text.count("Damaged values were set aside") == 1
    client.stop()
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as db:
        assert place in {found for (found,) in db.execute("select place from set_aside")}


def test_what_was_kept_of_a_clean_stop_is_no_reason_not_to_start(damaged: Callable[[str], Client]) -> None:
    client = damaged("update state set value = 'not compressed' where key = 'prompted'")
    assert client.get("/conversations/c").status_code == 200
