"""The README does what it says: its commands run as they are written, and print what it shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gguf_bert import export_minilm_or_skip
from tests.process import Process, serving
from tests.test_docs import commands

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
SCENE, STEPS = README.split("## Five minutes")
PYTHON = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)


def shown(text: str) -> list[tuple[str, str]]:
    """The commands of a text, each with what it prints."""
    return re.findall(r"^\$ (.+)\n((?:(?!\$ |```).*\n)*)", text, flags=re.M)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Process]:
    """A daemon with the embedder that set-up makes, and `pi-memory` on the PATH."""
    folder = tmp_path
    program = folder / "bin" / "pi-memory"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pi_memory "$@"\n')
    program.chmod(0o755)
    model = export_minilm_or_skip(folder)
    with serving(folder, PI_MEMORY_EMBEDDER="gguf", PI_MEMORY_EMBEDDER_MODEL=model) as process:
        process.wait_until_loaded()
        yield process


def run(process: Process, *command: str) -> str:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {"PATH": f"{process.folder}/bin:{environ['PATH']}", "PI_MEMORY_DATA_DIR": str(process.folder / "data")}
    environ |= {"PI_MEMORY_PORT": process.url.rpartition(":")[2]}
    pipe, both = subprocess.PIPE, subprocess.STDOUT  # as in a terminal
    done = subprocess.run(command, env=environ, stdout=pipe, stderr=both, text=True, timeout=60, check=False)
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


def goes_as_shown(process: Process, text: str) -> bool:
    for command, printed in shown(text):
        pattern = re.escape(printed.strip()).replace(r"\.\.\.", ".*").replace("\\ ", r"\s+")
        answered = run(process, "bash", "-c", command).strip()
        assert re.fullmatch(pattern, answered, flags=re.S), (command, printed, answered)
    return bool(shown(text))


def test_the_scene_goes_as_it_is_shown(daemon: Process) -> None:
    assert goes_as_shown(daemon, SCENE)


def test_who_follows_the_five_minutes_sees_what_is_shown_and_openais_client_too(daemon: Process) -> None:
    assert goes_as_shown(daemon, STEPS)
    pytest.importorskip("openai")
    (code,) = PYTHON
    assert "under the stairs" in run(daemon, sys.executable, "-c", code.replace("http://127.0.0.1:8765", daemon.url))


def test_every_command_that_is_named_exists() -> None:
    named = re.findall(r"(?:`|\$ |```sh\n)pi-memory ([a-z]+(?: edit)?)\b", README)
    assert {"chat", "focus edit", "recall", "backup"} <= set(named)
    assert set(named) <= {name.removeprefix("pi-memory ") for name, _ in commands()}
