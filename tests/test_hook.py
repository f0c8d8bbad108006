"""`pi-memory hook` in a process of its own, as an agent runs it, against a real daemon and against none."""

import json
import os
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.process import Process, serving
from tests.waiting import eventually

SESSION = "5f0c2f9e-6d1e-4c86-9a0b-0a2f4ad0a001"
PUMP = "/home/me/garden/irrigation/pump.py"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon")) as process:
        yield process


def hook(home: Path, said: object, *, port: object = 1, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PI_MEMORY_", "XDG_", "CLAUDE_"))}
    environ = kept | {"HOME": str(home), "PI_MEMORY_PORT": str(port)} | environ
    text = said if isinstance(said, bytes) else json.dumps(said).encode()
    done = subprocess.run(
        [sys.executable, "-m", "pi_memory", "hook"], input=text, capture_output=True, env=environ, cwd=home, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def event(name: str, **more: Any) -> dict[str, Any]:
    return {"session_id": SESSION, "cwd": "/home/me/garden", "hook_event_name": name, **more}


def log(home: Path) -> str:
    file = home / ".local" / "state" / "pi-memory" / "hook.log"
    return file.read_text() if file.exists() else ""


def line(role: str, content: object, number: int, **more: Any) -> str:
    entry = {
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": f"line-{number}",
        "timestamp": f"2026-02-20T10:00:{number:02}.000Z",
        "sessionId": SESSION,
        "cwd": "/home/me/garden",
        **more,
    }
    return json.dumps(entry) + "\n"


def test_a_session_from_its_begin_to_its_end(daemon: Process, tmp_path: Path) -> None:
    port = daemon.url.rpartition(":")[2]
    edit = event("PostToolUse", tool_name="Edit", tool_input={"file_path": PUMP, "new_string": "x" * 3_000_000})
    done = hook(tmp_path, edit | {"tool_response": {"filePath": PUMP}}, port=port)
    assert (done.returncode, done.stdout, done.stderr, log(tmp_path)) == (0, "", "", "")
    ended = hook(tmp_path, event("SessionEnd", reason="prompt_input_exit"), port=port)
    assert (ended.returncode, ended.stdout, log(tmp_path)) == (0, "", "")
    with daemon.client as client:
        eventually(lambda: "pump.py" in client.get("/focus").text)  # it is tagged when nobody waits
    began = hook(tmp_path, event("SessionStart", source="startup"), port=port)
    said = json.loads(began.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart"
    assert said["additionalContext"].startswith("## Recent Focus")
    assert "pump.py" in said["additionalContext"]


def test_a_part_of_a_repository_is_no_project_of_its_own(daemon: Process, tmp_path: Path) -> None:
    valves = tmp_path / "garden" / "src" / "valves"
    valves.mkdir(parents=True)
    for repository in (tmp_path / "garden", tmp_path):  # whose home it is
        (repository / ".git").mkdir()
    with daemon.client as client:
        client.post("/memories", json={"content": "The frost alarm rings at two degrees", "project": "garden"})
        asked = event("UserPromptSubmit", prompt="When does the frost alarm ring?", cwd=str(valves))
        done = hook(tmp_path, asked, port=daemon.url.rpartition(":")[2])
    assert "two degrees" in done.stdout, log(tmp_path)


def test_what_answers_a_prompt_is_given_each_time_it_is_asked(daemon: Process, tmp_path: Path) -> None:
    port = daemon.url.rpartition(":")[2]
    content = "The frost alarm rings at two degrees"
    with daemon.client as client:
        client.post("/memories", json={"content": content}).raise_for_status()
    prompt = event("UserPromptSubmit", session_id="asks", prompt="When does the frost alarm ring?")
    result = json.loads(hook(tmp_path, prompt, port=port).stdout)["hookSpecificOutput"]
    assert result["hookEventName"] == "UserPromptSubmit"
    assert content in result["additionalContext"]
    again = hook(tmp_path, prompt, port=port)
    assert (again.returncode, log(tmp_path)) == (0, "")
    assert content in again.stdout
    greeting = event("UserPromptSubmit", session_id="greets", prompt="Hello!")
    assert hook(tmp_path, greeting, port=port).stdout == ""


def test_a_stop_records_what_was_said_and_done_since_the_users_last_message(daemon: Process, tmp_path: Path) -> None:
    port = daemon.url.rpartition(":")[2]
    transcript = tmp_path / "session.jsonl"
    call = {"type": "tool_use", "name": "Read", "input": {"file_path": "/home/me/garden/frost/alarm.py"}}
    transcript.write_text(
        line("user", "What about an older thing?", 1)
        + line("assistant", [{"type": "text", "text": "Nothing."}], 2)
        + line("user", "Make the frost alarm ring earlier", 3)
        + line("assistant", [call], 4)
        + line("user", [{"type": "tool_result", "content": "y" * 200_000}], 5)
        + line("assistant", [{"type": "text", "text": "It rings at two degrees now."}], 6)
        + '{"type": "assistant", "mess'
    )
    stop = event("Stop", transcript_path=str(transcript), stop_hook_active=False)
    for _ in range(2):
        done = hook(tmp_path, stop, port=port)
        assert (done.returncode, done.stdout, log(tmp_path)) == (0, "", "")
    with daemon.client as client:
        known = json.loads(json.dumps({"session_id": SESSION, "lines": [{"role": "user", "ref": "line-3"}]}))
        assert client.post("/history?wait=1", json={"exchanges": [known]}).json() == {"added": 0, "known": 1}
        older = {"session_id": SESSION, "lines": [{"role": "user", "ref": "line-1", "text": "ok"}]}
        assert client.post("/history?wait=1", json={"exchanges": [older]}).json() == {"added": 1, "known": 0}
        files = [path for topic in client.get("/focus?all=1").json()["topics"] for path in topic["file_paths"]]
    assert "/home/me/garden/frost/alarm.py" in files


def test_a_reply_that_the_log_has_not_yet_is_recorded(daemon: Process, tmp_path: Path) -> None:
    port = daemon.url.rpartition(":")[2]
    for path in (str(tmp_path / "none.jsonl"), None):
        stop = event("Stop", transcript_path=path, last_assistant_message="I have changed /srv/bees/hive.py")
        assert hook(tmp_path, stop, port=port).returncode == 0
    with daemon.client as client:
        client.request("POST", "/activity?wait=1", json={"session_id": "other", "user_message": "thanks"})
        files = [path for topic in client.get("/focus?all=1").json()["topics"] for path in topic["file_paths"]]
    assert "/srv/bees/hive.py" in files


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"garbage",
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"[]",
        b"{}",
        {"hook_event_name": "Stop"},
        {"hook_event_name": "PostToolUse", "session_id": 7, "tool_name": None, "tool_input": "no"},
        {"hook_event_name": "SessionEnd", "session_id": "../../focus\r\nX: y"},
        {"hook_event_name": "NoSuchEvent", "session_id": SESSION},
        event("UserPromptSubmit"),
        event("Stop", transcript_path="/"),
    ],
)
def test_nothing_it_is_given_makes_it_fail(daemon: Process, tmp_path: Path, said: object) -> None:
    done = hook(tmp_path, said, port=daemon.url.rpartition(":")[2])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_half_a_character_loses_nothing(daemon: Process, tmp_path: Path) -> None:
    cut = event("PostToolUse", tool_name="Edit", tool_input={"file_path": PUMP, "new_string": "slow \ud83d"})
    hook(tmp_path, cut, port=daemon.url.rpartition(":")[2])
    assert log(tmp_path) == ""


def test_without_standard_input_it_ends_well(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m pi_memory hook <&-"
    environ = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(command, shell=True, capture_output=True, cwd=tmp_path, env=environ, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"])
def test_without_a_daemon_the_agent_notices_nothing(tmp_path: Path, name: str) -> None:
    said = event(name, prompt="hello", tool_name="Read", tool_input={}, last_assistant_message="Hello")
    done = hook(tmp_path, said)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert name in log(tmp_path)


def test_an_address_that_is_none_is_logged(tmp_path: Path) -> None:
    done = hook(tmp_path, event("SessionStart"), port="no-port")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "no-port" in log(tmp_path)


def test_a_daemon_that_does_not_answer_is_given_a_moment(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        done = hook(tmp_path, event("SessionStart"), port=silent.getsockname()[1])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "too slow" in log(tmp_path) or "timed out" in log(tmp_path)


@pytest.mark.parametrize("answer", [b"", b"no HTTP", b"HTTP/1.1 200 OK\r\n\r\n[]", b"HTTP/1.1 500 Oh\r\n\r\n{}"])
def test_a_server_that_is_no_daemon_is_no_harm(tmp_path: Path, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            channel, _ = server.accept()
            with channel:
                channel.recv(1 << 16)
                channel.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        done = hook(tmp_path, event("SessionStart"), port=server.getsockname()[1])
        thread.join()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "SessionStart" in log(tmp_path)


def test_the_token_comes_from_the_environment_the_data_directory_or_the_installation(tmp_path: Path) -> None:
    with serving(tmp_path, PI_MEMORY_TOKEN="sesame") as process:
        port = process.url.rpartition(":")[2]
        with process.client as client:
            client.put("/focus/garden", json={}, headers={"Authorization": "Bearer sesame"})
        assert hook(tmp_path, event("SessionStart"), port=port).stdout == ""
        assert "401" in log(tmp_path)
        assert "garden" in hook(tmp_path, event("SessionStart"), port=port, PI_MEMORY_TOKEN="sesame").stdout
        (tmp_path / "data" / "token").write_text("sesame\n")
        made = hook(tmp_path, event("SessionStart"), port=port, PI_MEMORY_DATA_DIR=str(tmp_path / "data"))
        assert "garden" in made.stdout
        file = tmp_path / ".config" / "pi-memory" / "hook.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"token": "sesame", "port": int(port)}))
        assert "garden" in hook(tmp_path, event("SessionStart"), port="").stdout
        file.write_text("{")
        assert hook(tmp_path, event("SessionStart"), port="").stdout == ""


def test_it_imports_next_to_nothing() -> None:
    code = "import sys; before = set(sys.modules); import pi_memory.agents.hook; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("pi_memory")}
    assert ours <= {"pi_memory", "pi_memory.agents", "pi_memory.agents.hook", "pi_memory.agents.claude_log"}
    assert not {"click", "msgspec", "dataclasses", "typing", "asyncio", "http.client"} & set(done.stdout.split())


def test_the_installed_command_takes_the_short_way() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["scripts"]["pi-memory"] == "pi_memory.__main__:main"
    code = "import sys; sys.argv = ['pi-memory', 'hook']; from pi_memory.__main__ import main; import os; "
    code += "os._exit = lambda code: print('click' in sys.modules, code); main()"
    done = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, check=True)
    assert done.stdout == "False 0\n"
