"""`pi-memory focus` with files, and as it is watched in a terminal."""

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.process import Process, serving
from tests.test_cli_daemon import run

SECONDS = 30


@dataclass
class Watch:
    """`pi-memory focus --watch` in a terminal of which we have the other end."""

    popen: subprocess.Popen[str]
    terminal: int

    def shows(self, text: str) -> None:
        """Read the terminal up to `text`."""
        seen = ""
        while text not in seen:
            assert select.select([self.terminal], [], [], SECONDS)[0], f"nothing after {seen!r}"
            try:
                seen += os.read(self.terminal, 1 << 16).decode(errors="replace")
            except OSError:  # it has ended
                raise AssertionError(f"{seen!r}, then {self.told()!r}") from None

    def told(self) -> str:
        """Standard error, once it has ended."""
        assert self.popen.stderr is not None
        return self.popen.stderr.read()


@contextlib.contextmanager
def watching(process: Process, folder: Path) -> Iterator[Watch]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {"PI_MEMORY_PORT": process.url.rpartition(":")[2], "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-m", "pi_memory", "focus", "--watch"]
    ours, theirs = pty.openpty()
    # What runs in the background of a shell ignores Ctrl-C, and so would all that it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, cwd=folder, env=environ, stdout=theirs, stderr=subprocess.PIPE, text=True) as popen:
        signal.signal(signal.SIGINT, before)
        os.close(theirs)  # else its end would not be the terminal's
        try:
            yield Watch(popen, ours)
        finally:
            popen.kill()
            os.close(ours)


def test_it_is_watched_until_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path) as process, process.client as client, watching(process, tmp_path) as watch:
        watch.shows("No recent topics")
        client.put("/focus/irrigation", json={})
        watch.shows("irrigation")
        watch.popen.send_signal(signal.SIGINT)
        assert watch.popen.wait(SECONDS) == 0
        assert watch.told() == ""


def test_a_daemon_that_stops_ends_the_watch(tmp_path: Path) -> None:
    with serving(tmp_path) as process, watching(process, tmp_path) as watch:
        watch.shows("No recent topics")
        process.stop()
        assert watch.popen.wait(SECONDS) == 1
        assert "No daemon answers" in watch.told()


def test_touched_files_are_added_to_those_it_has(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "focus", "touch", "irrigation", "--file", "pump.py").check_returncode()
        run(process, tmp_path, "focus", "touch", "irrigation").check_returncode()
        more = ["--file", "/srv/valves.py", "--file", "pump.py"]
        run(process, tmp_path, "focus", "touch", "irrigation", *more).check_returncode()
        (topic,) = json.loads(run(process, tmp_path, "focus", "--json").stdout)["topics"]
    assert topic["file_paths"] == [f"{tmp_path}/pump.py", "/srv/valves.py"]
    assert topic["directories"] == [f"{tmp_path}/", "/srv/"]


def test_files_are_shown_by_their_names_in_any_terminal(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        for name in ("[id].tsx", "[b].py"):
            run(process, tmp_path, "focus", "touch", "garden", "--file", name).check_returncode()
        assert "[id].tsx, [b].py" in run(process, tmp_path, "focus").stdout
        environ = {**os.environ, "PI_MEMORY_PORT": process.url.rpartition(":")[2], "PYTHONIOENCODING": "ascii"}
        command = [sys.executable, "-m", "pi_memory", "focus"]
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "garden  ??????????  fresh" in done.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--watch", "--json"], 2), (["touch", "!!!", "--file", "a.py"], 1), (["rename", "no-such", "other"], 1)],
)
def test_what_is_wrong_is_told(tmp_path: Path, words: list[str], code: int) -> None:
    with serving(tmp_path) as process:
        done = run(process, tmp_path, "focus", *words)
    assert (done.returncode, done.stdout) == (code, "")
