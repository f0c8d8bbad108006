"""`pi-memory mcp`: the protocol over standard input and output."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pi_memory.agents import mcp_pipe
from pi_memory.agents.hook import Daemon
from tests.process import Process, serving

PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


class Away(Daemon):
    def send(self, method: str, path: str, content: bytes) -> tuple[int, bytes]:
        raise ConnectionRefusedError("refused")


class Refusing(Daemon):
    def send(self, method: str, path: str, content: bytes) -> tuple[int, bytes]:
        return 401, b'{"type": "unauthorized", "message": "A token is needed", "hint": "Send it."}'


def answers(connect: Any, *messages: dict[str, Any]) -> list[Any]:
    given, out = io.BytesIO("\n".join(map(json.dumps, messages)).encode() + b"\n"), io.BytesIO()
    mcp_pipe.run(given, out, connect)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def piped(process: Process, *messages: dict[str, Any], arguments: tuple[str, ...] = ()) -> list[Any]:
    environ = {**os.environ, "PI_MEMORY_PORT": process.url.rpartition(":")[2], "PI_MEMORY_EMBEDDER": "none"}
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    command = [sys.executable, "-m", "pi_memory", *arguments, "mcp"]
    done = subprocess.run(command, input=lines, env=environ, capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_lines_go_to_the_daemon_and_its_answers_come_back(tmp_path: Path) -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with serving(tmp_path) as process:
        pong, unknown = piped(process, PING, notification, {**PING, "id": 8, "method": "nothing"})
        assert pong == {"jsonrpc": "2.0", "id": 7, "result": {}}
        assert unknown["error"]["code"] == -32601
        assert piped(process, PING, arguments=("--data-dir", str(tmp_path / "data"))) == [pong]


def test_without_a_daemon_a_request_is_answered_with_what_to_do() -> None:
    (answered,) = answers(Away, PING, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert answered["id"] == 7
    assert "pi-memory serve" in answered["error"]["message"]


def test_what_the_daemon_refuses_is_said() -> None:
    (answered,) = answers(Refusing, PING)
    assert "A token is needed" in answered["error"]["message"]


def test_it_imports_next_to_nothing() -> None:
    code = "import sys, pi_memory.agents.mcp_pipe; print(sorted(m for m in sys.modules if m.startswith('pi_memory')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = ("msgspec", "numpy", "click", "starlette", "asyncio")
    assert "pi_memory.agents.mcp_pipe" in done.stdout
    again = f"import sys, pi_memory.agents.mcp_pipe; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", again], capture_output=True, text=True, check=True).stdout == "[]\n"
