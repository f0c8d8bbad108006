"""The command line: what every command has in common."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from pi_memory import __version__
from pi_memory.cli import COMMANDS, Commands, main
from pi_memory.errors import PiMemoryError, RequestError, SettingsError, StartError


class Only(Commands):
    """Commands whose only one does `do` with the context's object."""

    def __init__(self, do: Callable[[Any], object], **given: Any) -> None:
        super().__init__(**given)
        self.do = do

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        return click.Command(cmd_name, callback=lambda: self.do(ctx.obj))


def raising(error: BaseException) -> Only:
    def end(_: object) -> None:
        raise error

    return Only(end)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def python(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    given = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=given | environ, capture_output=True, text=True, timeout=60, check=False)


def test_version() -> None:
    assert run("--version").output == f"pi-memory, version {__version__}\n"


def test_it_runs_as_a_module() -> None:
    done = python("-m", "pi_memory", "--version")
    assert (done.returncode, done.stdout) == (0, f"pi-memory, version {__version__}\n")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(flag: str) -> None:
    shown = run(flag).output
    assert all(f"\n  {command} " in shown for command in COMMANDS)
    assert "Example:" in shown


@pytest.mark.parametrize(
    "listed", ["main(['--help'], standalone_mode=False)", "main.shell_complete(main.context_class(main), 'e')"]
)
def test_commands_are_listed_without_being_imported(listed: str) -> None:
    code = f"import sys; from pi_memory.cli import main; {listed}; print(*sys.modules)"
    loaded = python("-c", code).stdout.split()
    assert {name for name in COMMANDS if f"pi_memory.cli.{name.replace('-', '_')}" in loaded} == set()
    assert "pi_memory.cli" in loaded


@pytest.mark.parametrize("arguments", [["no-such-command"], ["--no-such-option"], ["pull", "no-such-kind"]])
def test_a_usage_error_is_exit_code_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [(PiMemoryError, 1), (RequestError, 2), (StartError, 3), (SettingsError, 78)],
)
def test_an_error_is_two_lines_on_stderr_and_its_exit_code(error: type[PiMemoryError], code: int) -> None:
    result = CliRunner().invoke(raising(error("It broke", hint="Mend it.")), ["go"])
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr == "pi-memory: It broke\nMend it.\n"


def test_ctrl_c_is_exit_code_130_without_a_traceback() -> None:
    result = CliRunner().invoke(raising(KeyboardInterrupt()), ["go"])
    assert (result.exit_code, result.output.strip()) == (130, "")


def test_a_malformed_flag_names_its_setting() -> None:
    result = run("--log-level", "loud", "pull", "chat")
    assert result.exit_code == 78
    assert "PI_MEMORY_LOG_LEVEL" in result.stderr


def test_a_settings_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    result = run("--env-file", str(tmp_path / "none.env"), "pull", "chat")
    assert result.exit_code == 78
    assert "none.env" in result.stderr


def test_an_unknown_setting_in_the_environment_is_named_without_a_traceback() -> None:
    done = python("-m", "pi_memory", "chat", "Hello", PI_MEMORY_PROT="1")
    assert (done.returncode, done.stdout) == (78, "")
    assert done.stderr == "pi-memory: Unknown setting PI_MEMORY_PROT in the environment\nDid you mean PI_MEMORY_PORT?\n"


@pytest.mark.parametrize("command", [["chat", "Hello"], ["focus"], ["focus", "drop", "garden"]])
def test_without_a_daemon_the_message_says_how_to_start_it(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    with socket.socket() as taken:
        # Bound and not listening: nobody else gets the port meanwhile, and nobody answers there.
        taken.bind(("127.0.0.1", 0))
        file.write_text(f"PI_MEMORY_PORT={taken.getsockname()[1]}\n")
        result = run("--env-file", str(file), *command)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No daemon answers" in result.stderr
    assert "pi-memory serve" in result.stderr


def test_flag_over_environment_over_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []
    group = Only(lambda load: seen.append(load({}).data_dir), callback=main.callback, params=main.params)
    file = tmp_path / "settings.env"
    file.write_text(f"PI_MEMORY_DATA_DIR={tmp_path}/file\n")

    def data_dir(*flags: str) -> str:
        CliRunner().invoke(group, ["--env-file", str(file), *flags, "probe"], catch_exceptions=False)
        return seen[-1].name

    assert data_dir() == "file"
    monkeypatch.setenv("PI_MEMORY_DATA_DIR", f"{tmp_path}/environment")
    assert data_dir() == "environment"
    assert data_dir("--data-dir", f"{tmp_path}/flag") == "flag"


def test_serve_stays_light() -> None:
    unwanted = ("rich", "huggingface_hub", "tqdm", "llama_cpp", "sentence_transformers", "torch", "gguf")
    code = "import sys, pi_memory.cli.serve; print(*sys.modules)"
    loaded = python("-c", code).stdout.split()
    assert "pi_memory.service" in loaded
    assert not set(unwanted) & set(loaded)


def test_check_shows_the_address_of_the_page(tmp_path: Path) -> None:
    command, data = ("-m", "pi_memory", "check", "--url"), {"PI_MEMORY_DATA_DIR": str(tmp_path)}
    assert python(*command, **data).stdout.startswith("http://127.0.0.1:8765/\nOnly this machine")
    token = "0123456789abcdefghijklmnop"
    open_to_all = {"PI_MEMORY_HOST": "192.0.2.7", "PI_MEMORY_TOKEN": token, "PYTHONIOENCODING": "utf-8"}
    shown = python(*command, **data, **open_to_all).stdout
    assert shown.startswith("http://192.0.2.7:8765/\n")
    assert "▄" in shown
    assert token not in shown
