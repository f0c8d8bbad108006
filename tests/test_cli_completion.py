"""The shell completes commands, and what only the daemon knows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import run
from tests.process import Process, serving

BASH = """
source <(pi-memory completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pi_memory_completion pi-memory
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("daemon")
    program = folder / "bin" / "pi-memory"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pi_memory "$@"\n')
    program.chmod(0o755)
    with serving(folder, PI_MEMORY_COMMIT_SECONDS=0) as process:
        for words in (
            ["focus", "touch", "garden/irrigation"],
            ["remember", "The pump needs a seal", "--project", "garden"],
            ["chat", "hello", "--conversation", "workshop", "--project", "bicycles"],
        ):
            run(process, folder, *words).check_returncode()
        yield process


def complete(process: Process, *words: str, port: str | None = None) -> list[str]:
    """What bash offers for the last of the words."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {"PATH": f"{process.folder}/bin:{environ['PATH']}", "PI_MEMORY_DATA_DIR": str(process.folder / "data")}
    environ |= {"PI_MEMORY_PORT": port or process.url.rpartition(":")[2]}
    command = ["bash", "-c", BASH, "bash", "pi-memory", *words]
    return subprocess.check_output(command, env=environ, text=True, timeout=60).split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["exp"], ["export", "export-embedder"]),
        (["focus", "drop", "gar"], ["garden/irrigation"]),
        (["recall", "--project", ""], ["bicycles", "garden"]),
        (["memories", "--namespace", "pro"], ["project/garden"]),
        (["chat", "--agent", "co"], ["coder"]),
        (["chat", "--conversation", "work"], ["workshop"]),
        (["forget", ""], ["m1", "e1"]),
        (["edit", ""], ["m1"]),
        (["history", ""], ["m1"]),
        (["undo", ""], ["2"]),
    ],
)
def test_bash_offers_what_there_is(daemon: Process, words: list[str], offered: list[str]) -> None:
    assert complete(daemon, *words) == offered


def test_without_a_daemon_it_offers_nothing(daemon: Process) -> None:
    assert complete(daemon, "focus", "drop", "gar", port="1") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str, tmp_path: Path) -> None:
    assert f"_PI_MEMORY_COMPLETE={shell}_complete" in run(None, tmp_path, "completion", shell).stdout
