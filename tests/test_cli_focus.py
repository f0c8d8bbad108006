"""`pi-memory focus` with files, and as it is watched in a terminal."""

import json
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.command import run, run_alone
from tests.process import Process, serving
from tests.terminal import Terminal, terminal

SECONDS = 30


def watching(process: Process) -> AbstractContextManager[Terminal]:
    return terminal(process, "focus", "--watch", stderr=subprocess.PIPE)


def test_it_is_watched_until_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path) as process, process.client as client, watching(process) as watch:
        watch.shows("No recent topics")
        client.put("/focus/irrigation", json={})
        watch.shows("irrigation")
        watch.types("\x03")
        assert watch.popen.wait(SECONDS) == 0
        assert watch.printed() == ""


def test_a_daemon_that_stops_ends_the_watch(tmp_path: Path) -> None:
    with serving(tmp_path) as process, watching(process) as watch:
        watch.shows("No recent topics")
        process.stop()
        assert watch.popen.wait(SECONDS) == 1
        assert "No daemon answers" in watch.printed()


def test_a_terminal_gets_a_table_and_a_pipe_gets_tabs(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        run(process, tmp_path, "focus", "touch", "garden", "--file", "pump.py").check_returncode()
        assert run(process, tmp_path, "focus").stdout == "garden\t1.00\tfresh\t1\tjust now\tpump.py\n"
        with terminal(process, "focus") as screen:
            screen.shows("garden  ██████████  fresh  1")
            screen.shows("pump.py")


def test_it_is_edited_in_the_users_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/garden/orchard/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    with serving(tmp_path) as process:
        run(process, tmp_path, "focus", "touch", "garden").check_returncode()
        where = Path(json.loads(run(process, tmp_path, "focus", "edit", "--json").stdout)["file"])
        assert "garden" in where.read_text()
        assert str(where) in run(process, tmp_path, "focus", "edit").stdout
        assert "orchard" in where.read_text()


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
        done = run_alone(process, tmp_path, "focus", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("garden\t1.00\tfresh")


def test_what_is_wrong_is_reported(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        done = [
            run(process, tmp_path, "focus", *words)
            for words in (["--watch", "--json"], ["touch", "!!!", "--file", "a.py"], ["rename", "no-such", "other"])
        ]
    assert [(each.returncode, each.stdout) for each in done] == [(2, ""), (1, ""), (1, "")]
