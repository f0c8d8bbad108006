"""What every resource does with what it is sent."""

import subprocess
import sys

import pytest

from tests.conftest import Daemon

CALL = b'{"message": "x", "tool_calls": [{"name": "x", "arguments": {"n": %s}}]}'
DEEP, LONG = CALL % (b"[" * 5_000 + b"]" * 5_000), CALL % (b"9" * 4_301)


@pytest.mark.parametrize(("sent", "expected"), [(DEEP, "nested too deeply"), (LONG, "out of range")])
def test_json_beyond_what_python_reads_is_the_clients_error(daemon: Daemon, sent: bytes, expected: str) -> None:
    client = daemon()
    for path in ("/chat", "/activity", "/memories", "/history", "/context", "/session"):
        answer = client.post(path, content=sent)
        assert (answer.status_code, answer.json()["type"]) == (400, "request_error")
    assert expected in client.post("/chat", content=sent).json()["message"]


def test_a_line_of_an_import_beyond_what_python_reads_is_named(daemon: Daemon) -> None:
    line = b'{"conversation_id": "c", "messages": [], "x": %s}' % (b"[" * 5_000 + b"]" * 5_000)
    answer = daemon().post("/import", content=line)
    assert (answer.status_code, answer.json()["message"].startswith("line 1: ")) == (400, True)


@pytest.mark.parametrize("depth", [100, 900, 960, 990])
def test_what_is_read_however_deep_is_also_kept(daemon: Daemon, depth: int) -> None:
    nested = '{"session_id": "s", "tool_calls": [{"name": "x", "arguments": {"n": %s}}]}' % ("[" * depth + "]" * depth)
    answer = daemon().post("/activity?wait=1", content=nested)
    assert answer.status_code in (200, 400), answer.text


@pytest.mark.parametrize("path", ["/memories/%s", "/memories/%s/history", "/events/%s/undo"])
def test_a_number_without_end_names_nothing(daemon: Daemon, path: str) -> None:
    client = daemon()
    for digits in (19, 4_301):
        assert client.request("POST" if "undo" in path else "GET", path % ("9" * digits)).status_code == 404


def test_no_body_is_an_empty_object(daemon: Daemon) -> None:
    client = daemon()
    assert client.put("/focus/garden").json()["topic"] == "garden"
    assert client.post("/session").status_code == 200
    assert "`message`" in client.post("/chat").json()["message"]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/focus/garden", "DELETE, GET, HEAD, PUT"),
        ("/memories/1", "DELETE, GET, HEAD, PATCH"),
        ("/memories", "GET, HEAD, POST"),
        ("/session", "GET, HEAD, POST"),
        ("/openapi.json", "GET, HEAD"),
    ],
)
def test_all_methods_of_a_path_are_allowed_and_named(daemon: Daemon, path: str, allowed: str) -> None:
    answer = daemon().request("TRACE", path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)


def test_a_request_that_there_is_no_memory_for_may_come_again(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(now: float) -> None:
        raise MemoryError

    client = daemon()
    monkeypatch.setattr(client.parts.focus, "active", too_much)
    answer = client.get("/focus")
    assert (answer.status_code, answer.json()["type"]) == (503, "unavailable")
    assert "Retry-After" in answer.headers


def test_a_long_text_without_memory_for_it_ends_no_process() -> None:
    work = """
import resource, msgspec
from pi_memory.http.endpoint import decoded
class Said(msgspec.Struct):
    text: str
decoded(b'{"text": "short"}', Said)
long = b'{"text": "' + b"and so on " * 20_000 + b'"}'
resource.setrlimit(resource.RLIMIT_AS, (1_000_000, -1))
filled = []
try:
    while True:
        filled.append(bytearray(4096))
except MemoryError:
    pass
try:
    decoded(long, Said)
except MemoryError:
    raise SystemExit(7)
"""
    assert subprocess.run([sys.executable, "-c", work], check=False).returncode == 7
