"""`pi-memory hook --install` and `--uninstall`, in processes of their own, with a home of their own."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest


def run(home: Path, *words: str, said: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PI_MEMORY_", "XDG_", "CLAUDE_"))}
    command = [sys.executable, "-m", "pi_memory", "hook", *words]
    return subprocess.run(
        command,
        input=said,
        capture_output=True,
        text=True,
        env=kept | {"HOME": str(home)} | environ,
        cwd=home,
        check=False,
    )


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(
        '{\n    "model": "opus",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}\n}\n'
    )
    return file


def test_it_shows_asks_writes_and_can_be_undone(tmp_path: Path, settings: Path) -> None:
    before = settings.read_text()
    settings.chmod(0o640)
    refused = run(tmp_path, "--install", said="n\n")
    assert (refused.returncode, settings.read_text()) == (1, before)
    assert '+    "SessionStart"' not in before
    assert "SessionStart" in refused.stdout
    assert not (tmp_path / ".config").exists()
    done = run(tmp_path, "--install", said="y\n", PI_MEMORY_PORT="9999", PI_MEMORY_TOKEN="sesame")
    assert (done.returncode, done.stderr) == (0, "")
    written = json.loads(settings.read_text())
    assert written["hooks"]["Stop"][0]["hooks"][0]["command"] == "beep"
    assert written["hooks"]["PostToolUse"][0]["matcher"] == "*"
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert settings.with_name("settings.json.backup").read_text() == before
    known = tmp_path / ".config" / "pi-memory" / "hook.json"
    data = str(tmp_path / ".local" / "state" / "pi-memory")
    address = {"host": "127.0.0.1", "port": 9999, "token": "sesame", "data_dir": data}
    assert json.loads(known.read_text()) == address
    assert stat.S_IMODE(known.stat().st_mode) == 0o600
    assert "sesame" not in done.stdout
    assert "needs no change" in run(tmp_path, "--install", "--yes").stdout
    assert run(tmp_path, "--uninstall", "--yes").returncode == 0
    assert settings.read_text() == before
    assert not known.exists()
    assert "needs no change" in run(tmp_path, "--uninstall", "--yes").stdout


def test_what_it_installs_runs(tmp_path: Path) -> None:
    assert run(tmp_path, "--install", "--yes").returncode == 0
    written = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    (group,) = written["hooks"]["SessionStart"]
    # Modules of the project where the agent works are not ours.
    (tmp_path / "json.py").write_text("raise SystemExit('a project has a module of that name')")
    done = subprocess.run(
        group["hooks"][0]["command"],
        shell=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PI_MEMORY_PORT": "1"},
        input='{"hook_event_name": "SessionStart", "session_id": "s"}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "SessionStart" in (tmp_path / ".local" / "state" / "pi-memory" / "hook.log").read_text()


def test_a_link_stays_a_link(tmp_path: Path, settings: Path) -> None:
    kept = settings.rename(tmp_path / "dotfiles.json")
    settings.symlink_to(kept)
    assert run(tmp_path, "--install", "--yes").returncode == 0
    assert settings.is_symlink()
    assert "pi-memory" in kept.read_text()


def test_a_project_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    done = run(tmp_path, "--install", "--project", "--yes", CLAUDE_CONFIG_DIR=str(tmp_path / "config"))
    assert done.returncode == 0
    assert "hook" in (tmp_path / ".claude" / "settings.json").read_text()
    run(tmp_path, "--install", "--yes", CLAUDE_CONFIG_DIR=str(tmp_path / "config")).check_returncode()
    assert "hook" in (tmp_path / "config" / "settings.json").read_text()


@pytest.mark.parametrize("text", [b"{", b"\xff", b'{"hooks": 1}'])
def test_malformed_settings_are_refused_and_left_alone(tmp_path: Path, settings: Path, text: bytes) -> None:
    settings.write_bytes(text)
    done = run(tmp_path, "--install", "--yes")
    assert done.returncode == 2
    assert "settings" in done.stderr
    assert "Traceback" not in done.stderr
    assert settings.read_bytes() == text
    assert not settings.with_name("settings.json.backup").exists()


def test_what_goes_together(tmp_path: Path) -> None:
    assert run(tmp_path, "--yes").returncode == 2
