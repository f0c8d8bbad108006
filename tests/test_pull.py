"""`pi-memory pull` against a small hub on loopback."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_memory.cli import main
from pi_memory.cli.pull import DEFAULTS
from tests.hub_server import Hub, hub_server

Pull = Callable[..., Result]


@pytest.fixture
def hub() -> Iterator[Hub]:
    files = {f"{source.repo}/{source.file}": source.file.encode() for source in DEFAULTS.values()}
    with hub_server(Hub(files=files)) as running:
        yield running


@pytest.fixture
def pull(hub: Hub, tmp_path: Path) -> Pull:
    def run(*arguments: str, endpoint: str = "") -> Result:
        where = ["--data-dir", str(tmp_path), "pull", "--endpoint", endpoint or hub.url]
        return CliRunner().invoke(main, [*where, *arguments])

    return run


def test_it_fetches_both_models_to_where_the_daemon_looks(pull: Pull, tmp_path: Path) -> None:
    result = pull()
    assert result.exit_code == 0, result.output
    assert (tmp_path / "models" / "chat" / "qwen2.5-0.5b-instruct-q4_0.gguf").is_file()
    assert (tmp_path / "models" / "embedder" / "all-MiniLM-L6-v2-Q8_0.gguf").is_file()
    assert result.output.count("uses it from its next start") == 2


def test_it_fetches_a_named_model_and_says_how_to_choose_it(pull: Pull, hub: Hub, tmp_path: Path) -> None:
    hub.files["me/mine/zzz.gguf"] = b"mine"
    assert pull("chat").exit_code == 0
    result = pull("chat", "--repo", "me/mine", "--file", "zzz.gguf", "--revision", "main")
    assert f"Set PI_MEMORY_MODEL={tmp_path / 'models' / 'chat' / 'zzz.gguf'}" in result.output


def test_the_configured_hub_gets_the_users_token(hub: Hub, tmp_path: Path) -> None:
    environ = os.environ | {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_of_the_user"}
    pull = [sys.executable, "-m", "pi_memory", "--data-dir", str(tmp_path), "pull", "chat"]
    subprocess.run(pull, env=environ, check=True, capture_output=True)
    assert hub.tokens.count("Bearer hf_of_the_user") == 2  # for the metadata and for the file


def test_a_failure_is_two_lines_and_exit_code_1(pull: Pull, hub: Hub) -> None:
    hub.files.clear()
    result = pull("chat")
    assert result.exit_code == 1
    assert result.stderr.startswith("pi-memory: The hub has no qwen2.5-0.5b")
    assert len(result.stderr.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sha256", "0" * 64], "say chat or embedder"),
        (["chat", "--repo", "me/mine"], "--repo and --file"),
        (["chat", "--repo", "me/mine", "--file", "model.bin"], "GGUF"),
        (["chat", "--sha256", "xyz"], "64 characters"),
        (["everything"], "everything"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(pull: Pull, hub: Hub, arguments: list[str], message: str) -> None:
    result = pull(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert hub.tokens == []
