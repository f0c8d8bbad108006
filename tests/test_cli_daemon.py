"""The commands that talk to a daemon in a process of its own."""

import json
import sqlite3
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx2
import pytest

from pi_memory.cli.client import NotThere, checked
from pi_memory.store import migrations
from tests.command import run
from tests.process import serving
from tests.waiting import eventually


def test_focus_is_shown_and_changed(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        empty = run(process, tmp_path, "focus")
        assert (empty.stdout, "No recent topics" in empty.stderr) == ("", True)
        run(process, tmp_path, "focus", "touch", "garden/irrigation").check_returncode()
        run(process, tmp_path, "focus", "rename", "garden/irrigation", "garden/valves").check_returncode()
        shown = run(process, tmp_path, "focus")
        assert shown.stdout.startswith("garden/valves\t1.00\tfresh\t1\t")
        assert json.loads(run(process, tmp_path, "focus", "--json").stdout)["topics"][0]["topic"] == "garden/valves"
        run(process, tmp_path, "focus", "drop", "garden/valves").check_returncode()
        assert run(process, tmp_path, "focus", "drop", "never").returncode == 1
        run(process, tmp_path, "focus", "touch", "c#").check_returncode()
        assert "c#" in run(process, tmp_path, "focus").stdout
        assert json.loads(run(process, tmp_path, "focus", "--all", "--json").stdout)["topics"]


def test_check_tells_of_a_running_daemon_and_of_one_that_would_start(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        assert "The daemon is running." in run(process, tmp_path, "check").stdout
    (tmp_path / "other" / "data").mkdir(parents=True)
    (tmp_path / "other" / "data" / "memory.db").write_bytes(b"no database" * 100)
    would = run(None, tmp_path / "other", "check", "--json", port=0)
    result = json.loads(would.stdout)
    assert (would.returncode, result["running"], result["status"]) == (1, False, "degraded")
    assert "puts it aside" in result["parts"]["database"]["todo"]


def test_a_check_changes_nothing(tmp_path: Path) -> None:
    assert run(None, tmp_path, "check", port=0).returncode == 0
    assert not (tmp_path / "data").exists()
    with serving(tmp_path) as process, process.client as client:
        client.put("/focus/garden").raise_for_status()
        process.stop()
    (tmp_path / "data" / "models" / "state").mkdir(parents=True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert run(None, tmp_path, "check", port=0).returncode == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_check_names_rejected_texts_of_the_focus_file(tmp_path: Path) -> None:
    file = tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md"
    file.parent.mkdir(parents=True)
    file.write_text("my notes\n")
    copy = file.with_name("RECENT_FOCUS.md.rejected")
    with serving(tmp_path) as process:
        eventually(copy.exists)
        process.stop()
    done = run(None, tmp_path, "check", port=0)
    assert (done.returncode, str(copy) in done.stdout) == (1, True)
    with serving(tmp_path) as process:
        done = run(process, tmp_path, "check")
    assert (done.returncode, str(copy) in done.stdout) == (1, True)


@pytest.mark.parametrize("number", [1, migrations.LATEST - 1])
def test_a_check_migrates_nothing(tmp_path: Path, number: int) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "memory.db")) as db:
        db.execute(f"pragma user_version = {number}")
    before = (tmp_path / "data" / "memory.db").read_bytes()
    run(None, tmp_path, "check", port=0)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["memory.db"]
    assert (tmp_path / "data" / "memory.db").read_bytes() == before


def test_the_database_of_the_daemon_is_meant_unless_a_folder_is_given(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        with serving(folder) as process:
            process.stop()
    with serving(there) as process:
        saved = json.loads(run(process, here, "backup", str(tmp_path / "a.db"), "--json").stdout)
        assert saved["database"] == str(there / "data" / "memory.db")
        refused = run(process, here, "restore", str(tmp_path / "a.db"))
        assert (refused.returncode, str(there) in refused.stderr) == (3, True)
        own = run(process, here, "--data-dir", str(here / "data"), "backup", str(tmp_path / "b.db"), "--json")
        assert json.loads(own.stdout)["database"] == str(here / "data" / "memory.db")


def test_without_a_daemon_the_way_to_start_one_is_reported(tmp_path: Path) -> None:
    done = run(None, tmp_path, "focus")
    assert done.returncode == 1
    assert "pi-memory serve" in done.stderr


def test_a_token_is_made_listed_and_withdrawn(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        token = run(process, tmp_path, "token", "add", "kitchen", "--scope", "chat").stdout.strip()
        shown = run(process, tmp_path, "token").stdout.split("\t")
        assert [*shown[:2], *shown[3:]] == ["kitchen", "chat", "never", "all\n"]
        assert token not in run(process, tmp_path, "token", "--json").stdout
        named = {"Authorization": f"Bearer {token}"}
        with process.client as client:
            assert client.get("/export", headers=named).status_code == 403
            assert run(process, tmp_path, "token", "remove", "kitchen").returncode == 0
            assert client.get("/focus", headers=named).status_code == 401
        assert run(process, tmp_path, "token", "remove", "kitchen").returncode == 1
        refused = run(process, tmp_path, "audit").stdout.splitlines()
        assert refused[-1].split("\t")[1:] == ["refused", "1", "token kitchen", "GET /export"]


def test_another_program_on_the_port_is_named_as_such(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        result = run(None, tmp_path, "memories", port=other.server_port)
        other.shutdown()
    assert result.returncode == 1
    assert "is not pi-memory" in result.stderr
    assert "PI_MEMORY_PORT" in result.stderr


@pytest.mark.parametrize(("status", "said"), [(404, []), (404, {"detail": "Not Found"}), (400, {"message": 1})])
def test_json_that_is_not_ours_is_another_programs(status: int, said: object) -> None:
    response = httpx2.Response(status, json=said, request=httpx2.Request("GET", "http://127.0.0.1:1/memories"))
    with pytest.raises(NotThere, match="is not pi-memory"):
        checked(response)
