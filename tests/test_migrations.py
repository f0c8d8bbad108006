"""Upgrades: a file of every older schema opens, and a client finds in it what it held."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from pi_memory.store import migrations
from tests.conftest import Client, Daemon

AT = 1_771_770_000.0
"""Ten minutes before the tests' clock."""

ROWS: Sequence[tuple[int, str, Sequence[object]]] = (
    (1, "insert into sessions values (1, 'home', 'chat', null, ?, null)", [AT]),
    (
        1,
        "insert into exchanges (id, session_id, at, user, reply) values (1, 1, ?, 'The ladder is red.', 'Noted.')",
        [AT],
    ),
    (
        1,
        "insert into topics (name, first_seen_at, last_touched_at, file_paths) values ('garden', ?, ?, ?)",
        [AT, AT, '["/home/me/garden/pump.py"]'],
    ),
    (1, "insert into events (at, kind, subject, origin) values (?, 'topic.added', 'garden', 'api')", [AT]),
    (2, "insert into memory_labels values (1, 'user', 'semantic', 'highest', 'user_stated')", []),
    (2, "insert into memories (id, label_id, created_at, content) values (7, 1, ?, 'The gate code is 4711.')", [AT]),
    (4, "insert into windows values (1, 0, 'They spoke of ladders.')", []),
    (5, "insert into focus_entries (topic, since, seconds) values ('garden', ?, 60)", [AT]),
    (7, "insert into recorded values (12345)", []),
)
"""What stands in a file, each row from the schema on that has its table."""

OLDER = range(1, migrations.LATEST)


def write_file(path: Path, version: int) -> None:
    """A database as a release with that schema has left it."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrations.migrate(sqlite_utils.Database(connection), to=version)
        for since, statement, values in ROWS:
            if since <= version:
                connection.execute(statement, values)


@pytest.fixture(params=OLDER)
def version(request: pytest.FixtureRequest, tmp_path: Path) -> int:
    write_file(tmp_path / "data" / "memory.db", request.param)
    return int(request.param)


@pytest.fixture
def client(version: int, daemon: Daemon) -> Client:
    client = daemon()
    client.settle()
    return client


def test_the_file_is_brought_to_the_newest_schema_and_kept_as_it_was(
    client: Client, version: int, tmp_path: Path
) -> None:
    client.stop()
    files = {
        tmp_path / "data" / "memory.db": migrations.LATEST,
        tmp_path / "data" / f"memory.db.v{version}.backup": version,
    }
    for file, expected in files.items():
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("pragma user_version").fetchone() == (expected,)


def test_what_was_said_is_shown_and_found(client: Client) -> None:
    (said,) = client.get("/exchanges").json()["exchanges"]
    assert (said["user"], said["reply"], said["conversation_id"]) == ("The ladder is red.", "Noted.", "home")
    found = client.get("/memories/search", params={"q": "what colour is the ladder?", "kind": "exchange"}).json()
    assert found["results"][0]["content"] == "The ladder is red."


def test_the_focus_is_what_it_was(client: Client) -> None:
    (topic,) = client.get("/focus").json()["topics"]
    assert (topic["topic"], topic["file_paths"]) == ("garden", ["/home/me/garden/pump.py"])
    assert client.get("/focus/garden").json()["history"][-1]["kind"] == "topic.added"


def test_memories_are_listed_and_found(client: Client, version: int) -> None:
    listed = client.get("/memories").json()["memories"]
    assert [memory["content"] for memory in listed] == (["The gate code is 4711."] if version > 1 else [])
    found = client.get("/memories/search", params={"q": "gate code", "kind": "memory"}).json()["results"]
    assert [result["id"] for result in found] == [memory["id"] for memory in listed]


def test_a_conversation_goes_on_with_its_summary(client: Client, version: int) -> None:
    summary = client.get("/conversations/home").json()["summary"]
    assert summary == ("[Context compacted]\nThey spoke of ladders." if version > 3 else "")


def test_it_takes_up_new_things(client: Client) -> None:
    added = client.post("/memories", json={"content": "The shed is locked."})
    assert added.status_code == 201
    assert client.post("/chat", json={"message": "hello", "conversation_id": "home"}).status_code == 200


def test_every_step_runs_once_and_in_order() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        db = sqlite_utils.Database(connection)
        for number in range(1, migrations.LATEST + 1):
            migrations.migrate(db, to=number)
            migrations.migrate(db, to=number)
            assert migrations.version(db) == number


def test_vectors_of_memories_about_the_user_are_made_anew() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        db = sqlite_utils.Database(connection)
        migrations.migrate(db, to=15)
        for content in ("The user's bike is red.", "The gate is red."):
            db.execute(
                "insert into memories (label_id, created_at, content, space_id, vector) values (1, 0, ?, 1, x'00')",
                [content],
            )
        migrations.migrate(db)
        kept = db.execute("select content from memories where vector is not null").fetchall()
        assert kept == [("The gate is red.",)]


def test_a_step_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(db: sqlite_utils.Database) -> None:
        db.execute("create table half (id integer)")
        raise sqlite3.OperationalError("no")

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, broken))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        db = sqlite_utils.Database(connection)
        with pytest.raises(sqlite3.OperationalError):
            migrations.migrate(db, to=migrations.LATEST + 1)
        assert migrations.version(db) == migrations.LATEST
        assert "half" not in db.table_names()
