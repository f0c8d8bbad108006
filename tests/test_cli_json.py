"""`--json`: every command that has a result prints it as JSON."""

import json
from pathlib import Path

from tests.command import run
from tests.process import serving
from tests.test_docs import commands, long_options

WITHOUT = {
    "pi-memory": "a group",
    "pi-memory serve": "runs until it is stopped",
    "pi-memory hook": "prints what an agent reads",
    "pi-memory mcp": "speaks JSON",
    "pi-memory completion": "prints a script",
}
"""Commands without a result, and why."""
ELSEWHERE = {"pull": "tests/test_pull.py", "export-embedder": "tests/test_export_embedder.py"}
"""Commands that need more than a daemon, and who runs them."""

BEFORE = [["remember", "The pump needs a seal"], ["chat", "My cat is called Miso"], ["focus", "touch", "garden"]]
RUNS = {
    "chat": ["hello"],
    "check": [],
    "focus": [],
    "focus drop": ["garden"],
    "focus edit": [],
    "focus rename": ["garden", "orchard"],
    "focus touch": ["garden"],
    "memories": [],
    "recall": ["pump"],
    "remember": ["The valve is shut"],
    "edit": ["m1", "The pump needs two seals"],
    "forget": ["m1", "--dry-run"],
    "exchanges": [],
    "conversations": [],
    "conflicts": [],
    "history": ["1"],
    "undo": ["1", "--dry-run"],
    "token": [],
    "token add": ["kitchen"],
    "token remove": ["kitchen"],
    "audit": [],
    "export": ["memories.jsonl"],
    "backup": ["memory.backup"],
    "import": ["talk.md"],
}


def test_every_command_has_it() -> None:
    lacking = {name for name, command in commands() if "--json" not in long_options(command)}
    assert lacking == set(WITHOUT)


def test_every_command_is_run() -> None:
    names = {name.removeprefix("pi-memory ") for name, _ in commands() if name not in WITHOUT}
    assert names == {*RUNS, *ELSEWHERE, "restore"}


def test_every_command_prints_it(tmp_path: Path) -> None:
    (tmp_path / "talk.md").write_text("User: My bicycle is red\nAssistant: I see\n")
    with serving(tmp_path, PI_MEMORY_COMMIT_SECONDS=0) as process:
        for words in BEFORE:
            run(process, tmp_path, *words).check_returncode()
        for command, words in RUNS.items():
            run(process, tmp_path, "focus", "touch", "garden").check_returncode()
            done = run(process, tmp_path, *command.split(), *words, "--json")
            assert isinstance(json.loads(done.stdout or "null"), dict), done
        process.stop()
    done = run(None, tmp_path, "restore", "memory.backup", "--json")
    assert json.loads(done.stdout)["database"] == str(tmp_path / "data" / "memory.db")


def test_nothing_is_an_empty_list(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        for words in (["memories"], ["exchanges"], ["conversations"], ["focus"], ["recall", "tea"]):
            found = json.loads(run(process, tmp_path, *words, "--json").stdout)
            assert next(iter(found.values())) == [], words
