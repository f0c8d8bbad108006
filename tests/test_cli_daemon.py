"""The commands that talk to a daemon, in processes of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.process import Process, serving


def run(
    process: Process | None, folder: Path, *words: str, said: str = "", port: int = 1
) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    at = process.url.rpartition(":")[2] if process else str(port)
    environ |= {"PI_MEMORY_PORT": at, "PI_MEMORY_DATA_DIR": str(folder / "data"), "PI_MEMORY_EMBEDDER": "none"}
    command = [sys.executable, "-m", "pi_memory", *words]
    done = subprocess.run(
        command, cwd=folder, env=environ, input=said, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    return done


def test_chat_says_one_message_or_talks_line_by_line(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        assert "Noted" in run(process, tmp_path, "chat", "My cat is called Miso").stdout
        talk = run(process, tmp_path, "chat", said="My dog is called Rex\n\nWhat is my dog called?\n")
        assert "“My dog is called Rex”" in talk.stdout
        assert talk.returncode == 0
        refused = run(process, tmp_path, "chat", "hello", "--agent", "nobody")
        assert (refused.returncode, "nobody" in refused.stderr) == (1, True)


def test_focus_is_shown_and_changed(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        assert "No recent topics" in run(process, tmp_path, "focus").stdout
        run(process, tmp_path, "focus", "touch", "garden/irrigation").check_returncode()
        run(process, tmp_path, "focus", "rename", "garden/irrigation", "garden/valves").check_returncode()
        shown = run(process, tmp_path, "focus")
        assert "garden/valves  ██████████  fresh  1" in shown.stdout
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
    told = json.loads(would.stdout)
    assert (would.returncode, told["running"], told["status"]) == (1, False, "degraded")
    assert "put aside" in told["parts"]["database"]["todo"]


def test_without_a_daemon_the_way_to_start_one_is_told(tmp_path: Path) -> None:
    done = run(None, tmp_path, "focus")
    assert done.returncode == 1
    assert "pi-memory serve" in done.stderr
