"""The unit, as systemd itself reads it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from pi_memory.errors import SettingsError, StartError

UNIT = Path(__file__).parents[1] / "systemd" / "pi-memory@.service"
MOST_EXPOSURE = 1.5
"""By `systemd-analyze security`: 0 is a locked room, 10 an open door. A network port and the user's home cost 1.3."""

analyze = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(analyze is None, reason="systemd-analyze is not installed")


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """The unit of a user, with a program that is there."""
    text = UNIT.read_text(encoding="utf-8").replace("/opt/pi-memory/bin/pi-memory", shutil.which("true") or "/bin/true")
    path = tmp_path / "pi-memory@somebody.service"
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([analyze or "", *arguments], capture_output=True, text=True, timeout=60)


def values(key: str) -> list[str]:
    lines = UNIT.read_text(encoding="utf-8").splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


@needs_systemd
def test_systemd_finds_no_fault(instance: Path) -> None:
    verdict = run("verify", "--recursive-errors=yes", instance)
    assert (verdict.returncode, verdict.stderr) == (0, "")


@needs_systemd
def test_systemd_would_see_a_fault(instance: Path) -> None:
    instance.write_text(instance.read_text(encoding="utf-8").replace("WatchdogSec=120", "WatchdogSec=soon"))
    assert "soon" in run("verify", "--recursive-errors=yes", instance).stderr


@needs_systemd
def test_little_is_exposed(instance: Path) -> None:
    verdict = run("security", "--offline=true", f"--threshold={MOST_EXPOSURE * 10:.0f}", instance)
    assert verdict.returncode == 0, verdict.stdout


def test_what_will_not_pass_is_not_tried_again() -> None:
    (final,) = values("RestartPreventExitStatus")
    assert {"2", str(SettingsError.exit_code)} == set(final.split())
    assert str(StartError.exit_code) not in final.split()


def test_the_state_and_the_workspace_are_one_users() -> None:
    assert values("User") == ["%i"]
    assert values("StateDirectory") == ["pi-memory/%i"]
    assert values("Environment") == ["PI_MEMORY_WORKSPACE=~/pi-memory"]
    assert values("ReadWritePaths") == ["-/home/%i/pi-memory"]


def test_it_is_tried_again_for_as_long_as_it_takes() -> None:
    assert values("StartLimitIntervalSec") == ["0"]
    assert int(values("RestartSec")[0]) >= 10


def test_the_service_says_when_it_is_ready_and_alive() -> None:
    assert values("Type") == ["notify"]
    assert int(values("WatchdogSec")[0]) >= 30
