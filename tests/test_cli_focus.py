"""`pi-memory focus` with files, and as it is watched in a terminal."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process import Process, serving
from tests.test_cli_daemon import run


def read_until(terminal: int, text: str) -> str:
    """What a terminal shows, up to `text`."""
    seen = ""
    with contextlib.suppress(OSError):  # its end
        while text not in seen and (piece := os.read(terminal, 1 << 16)):
            seen += piece.decode(errors="replace")
    assert text in seen, seen
    return seen


def watching(process: Process, folder: Path, terminal: int) -> subprocess.Popen[str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {"PI_MEMORY_PORT": process.url.rpartition(":")[2], "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-m", "pi_memory", "focus", "--watch"]
    return subprocess.Popen(command, cwd=folder, env=environ, stdout=terminal, stderr=subprocess.PIPE, text=True)


def test_it_is_watched_until_ctrl_c(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with serving(tmp_path) as process, process.client as client, watching(process, tmp_path, theirs) as watch:
        read_until(ours, "No recent topics")
        client.put("/focus/irrigation", json={})
        read_until(ours, "irrigation")
        watch.send_signal(signal.SIGINT)
        assert watch.wait(20) == 0
        assert watch.stderr is not None
        assert watch.stderr.read() == ""
    os.close(ours)
    os.close(theirs)


def test_a_daemon_that_stops_ends_the_watch(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with serving(tmp_path) as process, watching(process, tmp_path, theirs) as watch:
        read_until(ours, "No recent topics")
        process.stop()
        assert watch.wait(20) == 1
        assert watch.stderr is not None
        assert "No daemon answers" in watch.stderr.read()
    os.close(ours)
    os.close(theirs)


def test_touched_files_are_added_to_those_it_has(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "focus", "touch", "irrigation", "--file", "pump.py").check_returncode()
        run(process, tmp_path, "focus", "touch", "irrigation").check_returncode()
        more = ["--file", "/srv/valves.py", "--file", "pump.py"]
        run(process, tmp_path, "focus", "touch", "irrigation", *more).check_returncode()
        (topic,) = json.loads(run(process, tmp_path, "focus", "--json").stdout)["topics"]
    assert topic["file_paths"] == [f"{tmp_path}/pump.py", "/srv/valves.py"]
    assert topic["directories"] == [f"{tmp_path}/", "/srv/"]


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--watch", "--json"], 2), (["touch", "!!!", "--file", "a.py"], 1), (["rename", "no-such", "other"], 1)],
)
def test_what_is_wrong_is_told(tmp_path: Path, words: list[str], code: int) -> None:
    with serving(tmp_path) as process:
        done = run(process, tmp_path, "focus", *words)
    assert (done.returncode, done.stdout) == (code, "")
