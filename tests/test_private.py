"""What is written is its user's alone, whatever the umask and whoever made the folder; and passwords stay unsaid."""

import logging
import os
import stat
from pathlib import Path

import pytest

from pi_memory import private
from pi_memory.errors import PiMemoryError
from pi_memory.service import Line
from tests.process import Process, serving


@pytest.fixture
def open_umask() -> object:
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def used(process: Process) -> None:
    with process.client as client:
        client.put("/focus/pump", json={"file_paths": ["/srv/pump.py"]}).raise_for_status()
        client.post("/chat", json={"message": "Remember that I like tea."}).raise_for_status()
    assert process.stop() == 0


@pytest.mark.usefixtures("open_umask")
def test_what_is_written_is_for_nobody_else(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        assert open_to_others(tmp_path / "data") == []
        used(process)
    assert (tmp_path / "data" / "workspace" / "memory" / "RECENT_FOCUS.md").exists()
    assert open_to_others(tmp_path / "data") == []


@pytest.mark.usefixtures("open_umask")
def test_what_was_open_is_closed_at_a_start(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        used(process)
    for path in [tmp_path / "data", *(tmp_path / "data").rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    with serving(tmp_path):
        left = open_to_others(tmp_path / "data")
        assert [path for path in left if not path.endswith("/workspace")] == []


@pytest.mark.usefixtures("open_umask")
def test_the_focus_file_is_closed_in_a_workspace_that_is_open(tmp_path: Path) -> None:
    workspace = tmp_path / "notes"
    (workspace / "memory").mkdir(parents=True)
    with serving(tmp_path, PI_MEMORY_WORKSPACE=workspace) as process:
        used(process)
    assert (workspace / "memory" / "RECENT_FOCUS.md").exists()
    assert open_to_others(workspace / "memory") == []


def test_links_are_left_alone(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "link"
    elsewhere.touch(mode=0o644)
    elsewhere.chmod(0o644)
    link.symlink_to(elsewhere)
    assert private.narrow([link, tmp_path / "missing"]) == []
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://me:secret@pi:8080/v1 answered 500", "http://pi:8080/v1 answered 500"),
        ("https://secret@pi/ and http://a:b@c", "https://pi/ and http://c"),
        ("http://me:se@cr/et@pi/v1", "http://pi/v1"),
        ("write to me@example.org", "write to me@example.org"),
    ],
)
def test_a_password_in_an_address_is_never_said(text: str, shown: str) -> None:
    error = PiMemoryError(text, hint=text)
    assert (error.message, error.hint, str(error)) == (shown, shown, shown)
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "%s", (text,), None)
    assert Line("%(message)s").format(record) == shown


def test_the_password_of_a_model_server_is_nowhere(tmp_path: Path) -> None:
    url = "http://me:opensesame@127.0.0.1:1/v1"
    with serving(tmp_path, PI_MEMORY_PROVIDER="openai", PI_MEMORY_OPENAI_BASE_URL=url) as process:
        with process.client as client:
            failed = client.post("/chat", json={"message": "Hello"}).text
            health = client.get("/healthz").text
        process.stop()
    assert "127.0.0.1:1" in failed
    assert "opensesame" not in failed + health + "".join(process.log)
