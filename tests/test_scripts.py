"""The scripts, as far as they can run without changing this machine."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(p for p in [*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run"] if p.suffix != ".txt")
USER = "nobody"

shellcheck = shutil.which("shellcheck")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "SUDO_USER"}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)


def install(*options: str) -> subprocess.CompletedProcess[str]:
    return run(ROOT / "scripts" / "install", *options)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.name)
def test_a_script_is_bash_and_can_be_run(script: Path) -> None:
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    assert run("bash", "-n", script).returncode == 0


@pytest.mark.skipif(shellcheck is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    found = run(shellcheck or "", *SCRIPTS)
    assert found.returncode == 0, found.stdout


def test_a_benchmark_that_is_not_there_is_an_error_of_usage() -> None:
    bench = run(ROOT / "scripts" / "bench", "no-such-benchmark")
    assert bench.returncode == 2
    assert "no-such-benchmark" in bench.stderr


def test_install_would_do_these_things_in_this_order() -> None:
    planned = install("--dry-run", "--user", USER)
    assert planned.returncode == 0, planned.stderr
    steps = (
        "-m pip install",
        "/usr/local/bin/pi-memory",
        "/etc/systemd/system/pi-memory@.service",
        "systemctl daemon-reload",
        f"systemctl enable pi-memory@{USER}.service",
        f"systemctl restart pi-memory@{USER}.service",
    )
    places = [planned.stdout.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)


def test_uninstall_would_keep_what_was_remembered() -> None:
    planned = install("--dry-run", "--uninstall", "--user", USER)
    assert planned.returncode == 0, planned.stderr
    commands = [line for line in planned.stdout.splitlines() if line.startswith("+")]
    assert any("rm -rf /opt/pi-memory" in command for command in commands)
    assert not any("/var/lib" in command or "/etc/pi-memory" in command for command in commands)
    assert "/var/lib/pi-memory" in planned.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "--user NAME"),
        (["--user"], "needs a name"),
        (["--user", "root"], "not run as root"),
        (["--user", "no-such-user"], "no user no-such-user"),
        (["--frobnicate"], "unknown option --frobnicate"),
    ],
)
def test_install_says_what_it_does_not_understand(options: list[str], said: str) -> None:
    refused = install("--dry-run", *options)
    assert refused.returncode == 2
    assert said in refused.stderr


def test_a_plain_user_may_see_what_would_be_done() -> None:
    as_nobody = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.geteuid() == 0 else []
    # Not from here: this checkout may lie in a folder that only its owner can read.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        shutil.copytree(ROOT / "scripts", Path(folder, "scripts"))
        planned = run(*as_nobody, Path(folder, "scripts", "install"), "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "systemctl enable pi-memory@" in planned.stdout


def test_roll_back_would_bring_the_old_program_back() -> None:
    planned = install("--dry-run", "--roll-back", "--user", USER)
    assert planned.returncode == 0, planned.stderr
    assert "+ mv /opt/pi-memory.previous /opt/pi-memory" in planned.stdout
    assert "memory.db.of-VERSION" in planned.stdout


def test_install_says_how_long_llama_takes() -> None:
    assert re.search(r"llama\.cpp (is compiled once: .* minutes|comes from a wheel|is there)", install_plan())


def install_plan() -> str:
    return install("--dry-run", "--user", USER).stdout


def test_install_tells_what_it_can_do() -> None:
    assert "--uninstall" in install("--help").stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is set up; its program prints what it is given."""
    for name, text in (("scripts/setup", "exit 0"), (".venv/bin/pi-memory", 'printf "given: %s\\n" "$*"')):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    shutil.copy(ROOT / "scripts" / "run", tmp_path / "scripts" / "run")
    return tmp_path


def test_run_hands_over_the_settings_beside_it(checkout: Path) -> None:
    assert "given: serve --port 9\n" in run(checkout / "scripts" / "run", "--port", "9").stdout
    (checkout / ".env").touch()
    assert "given: --env-file .env serve --port 9\n" in run(checkout / "scripts" / "run", "--port", "9").stdout


def test_run_puts_the_program_on_the_path(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = checkout / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{home}/.local/bin:/usr/bin:/bin")
    assert "terminal:    pi-memory chat\n" in run(checkout / "scripts" / "run").stdout
    assert (home / ".local/bin/pi-memory").resolve() == checkout / ".venv/bin/pi-memory"
    script = home / ".local/share/bash-completion/completions/pi-memory"
    assert script.read_text() == "given: completion bash\n"
    assert run("bash", "-c", "pi-memory --version").stdout == "given: --version\n"


def test_run_leaves_another_program_of_that_name_alone(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = checkout / "home/.local/bin/pi-memory"
    other.parent.mkdir(parents=True)
    other.symlink_to("/bin/true")
    monkeypatch.setenv("HOME", str(checkout / "home"))
    monkeypatch.setenv("PATH", f"{other.parent}:/usr/bin:/bin")
    assert f"terminal:    {checkout}/.venv/bin/pi-memory chat\n" in run(checkout / "scripts" / "run").stdout
    assert other.readlink() == Path("/bin/true")


def test_run_names_the_whole_path_where_it_is_on_no_path(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(checkout / "home"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert f"terminal:    {checkout}/.venv/bin/pi-memory chat\n" in run(checkout / "scripts" / "run").stdout
    assert not (checkout / "home").exists()
