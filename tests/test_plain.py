"""What others wrote does not steer the terminal of whoever reads it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pi_memory.cli.plain import plain

RED, TITLE, ERASE, C1 = "\x1b[31m", "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m"
NASTY = f"The pump {RED}is{TITLE} green{ERASE}{C1}\r\b‮"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\tand a tab, äöü 🙂", "two\nlines\tand a tab, äöü 🙂"),
        (NASTY, "The pump is green"),
        ("\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x1bP1$r\x1b\\a\x1bcb\x1b(0c\x9d0;t\x9cd", "abcd"),
        ("an open one \x1b[", "an open one "),
        ("an open one \x1b]0;title\nnext", "an open one \nnext"),
        ("zero\x00 delete\x7f next\x85line", "zero delete nextline"),
    ],
)
def test_what_steers_a_terminal_is_left_out(text: str, shown: str) -> None:
    assert plain(text) == shown


class Answers(BaseHTTPRequestHandler):
    """A daemon whose every text steers a terminal, as a database of somebody else's may have it."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = NASTY if self.path == "/chat" else json.dumps(answers(self.path))
        self.send_response(200 if answers(self.path).keys() - {"message"} else 404)
        self.send_header("X-Conversation-Id", "c")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the standard library gave it
        pass


def answers(path: str) -> dict[str, Any]:
    memory = {"id": 1, "content": NASTY, "namespace": f"user{RED}", "valid_from": RED, "strength": 1, "is_valid": True}
    topic = {"topic": f"a{RED}", "strength": 1.0, "status": RED, "is_active": True, "session_count": 1}
    topic |= {"file_paths": [f"/srv/{RED}pump.py"], "directories": [], "last_touched_at": "2026-03-01T10:00:00+00:00"}
    event = {"event_id": 1, "at": RED, "kind": RED, "origin": RED, "undoes": None, "before": {}, "after": {RED: NASTY}}
    result = {"id": 1, "kind": RED, "role": None, "content": NASTY, "score": 1.0, "at": RED}
    result |= {"words": 1.0, "cosine": 1.0}
    change = {"memory_id": 1, "field": RED, "before": NASTY, "after": None}
    known: dict[str, dict[str, Any]] = {
        "/memories/search": {"results": [result]},
        "/memories/1/history": {"history": [event]},
        "/memories/1": memory | {"forgotten_at": None},
        "/memories": {"memories": [memory | {"forgotten_at": None}]},
        "/events/1/undo": {"changes": [change]},
        "/healthz": {"status": "ok", "parts": {RED: {"status": RED, "is": NASTY, "todo": NASTY}}},
        "/focus": {"topics": [topic]},
        "/chat": {"is": "text"},
        "/memories/1?forget=1&dry_run=1": {"gone": [{"place": RED, "id": 1, "text": NASTY}]},
    }
    return known.get(path, known.get(path.partition("?")[0], {"message": NASTY}))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


def run(folder: Path, port: int, *command: str) -> str:
    """All that a command of the program writes."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {"HOME": str(folder), "PI_MEMORY_PORT": str(port)}
    done = subprocess.run(
        [sys.executable, "-m", "pi_memory", *command], capture_output=True, env=environ, cwd=folder, check=False
    )
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("memories", "pump"),
        ("memories --json", "pump"),
        ("recall pump", "pump"),
        ("recall pump --json", "pump"),
        ("history 1", "pump"),
        ("undo 1 --dry-run", "pump"),
        ("forget 1", "pump"),
        ("focus", "pump"),
        ("focus --json", "pump"),
        ("chat pump?", "pump"),
        ("focus drop garden", "pump"),
        ("check", "pump"),
    ],
)
def test_no_command_shows_escapes(tmp_path: Path, port: int, command: str, expected: str) -> None:
    shown = run(tmp_path, port, *command.split())
    assert expected in shown
    assert "owned" not in shown
    assert not set(shown) & set("\x1b\x9b\x07\x08\r‮")
    assert "\\u001b" not in shown


def test_no_file_name_or_setting_of_a_project_does(tmp_path: Path, port: int) -> None:
    (tmp_path / f"{RED}notes.jsonl").write_text("{broken\n")
    assert "\x1b" not in run(tmp_path, port, "import", f"{RED}notes.jsonl")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"hooks": {}, f"a{RED}": 1}, ensure_ascii=False))
    assert "\x1b" not in run(tmp_path, port, "hook", "--install", "--project")
