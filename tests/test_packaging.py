"""The Debian package, as far as it can be tried without building one: its scripts, its launcher, its manual."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import commands

ROOT = Path(__file__).parents[1]
PEOPLE = "root:x:0:0::/root:/bin/sh\nana:x:1000:1000::/home/ana:/bin/bash\n"
TWO = PEOPLE + "bo:x:1001:1001::/srv/bo:/bin/bash\n"
UNIT = "/usr/lib/systemd/system/pi-memory@.service"

PI_4 = "Features\t: fp asimd evtstrm crc32 cpuid"
PI_5 = "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"
OLD_PC = "flags\t\t: fpu vme sse sse2 ssse3 cx16 sse4_1 sse4_2 popcnt avx f16c lahf_lm"
NEW_PC = "flags\t\t: fpu vme sse2 ssse3 fma cx16 sse4_2 avx f16c rdrand abm bmi1 avx2 smep bmi2 erms"

TOOLS = {
    "systemctl": "",
    "deb-systemd-invoke": "",
    "adduser": "",
    "deluser": "",
    "id": "echo ana",
    "install": 'for last; do :; done; [ "$last" ] && : >"$last"',
    "runuser": 'for last; do :; done; case $last in *.of-*) : >"$last" ;; esac',
}
"""What the maintainer scripts run, and what stands in for it here: it is only written down."""


class Debian:
    """A root folder with the tools of a Debian, which write down how they were called."""

    def __init__(self, root: Path, people: str = PEOPLE) -> None:
        self.root = root
        self.calls = root / "calls"
        self.calls.touch()
        (root / "bin").mkdir()
        for name, body in {
            **TOOLS,
            "getent": f"[ -n \"$2\" ] && set -- '^'$2: || set -- .\nprintf '{people}' | grep $1",
        }.items():
            self._tool(name, body)
        for folder in ("opt/pi-memory/bin", "opt/pi-memory/lib", "run/systemd/system", "etc/systemd/system"):
            (root / folder).mkdir(parents=True)
        self.wanted = root / "etc/systemd/system/multi-user.target.wants"
        shutil.copy(root / "bin/systemctl", root / "opt/pi-memory/bin/python")
        self._tool("../opt/pi-memory/bin/pi-memory", "echo pi-memory, version 0.1.0")

    def _tool(self, name: str, body: str) -> None:
        tool = self.root / "bin" / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.calls}"\n{body}\n', encoding="utf-8")
        tool.chmod(0o755)

    def run(self, script: str, *arguments: str, **environment: str) -> str:
        """Run a maintainer script; what it called."""
        env = {"PATH": f"{self.root}/bin:/usr/bin:/bin", "PI_MEMORY_ROOT": str(self.root), **environment}
        done = subprocess.run(
            ["sh", ROOT / "deb" / script, *arguments], env=env, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return self.calls.read_text(encoding="utf-8")

    def runs_for(self) -> list[str]:
        return sorted(link.name for link in self.wanted.glob("*"))

    def data(self, user: str) -> Path:
        folder = self.root / "var/lib/pi-memory" / user
        folder.mkdir(parents=True)
        (folder / "memory.db").touch()
        return folder


@pytest.fixture
def debian(tmp_path: Path) -> Debian:
    return Debian(tmp_path)


def test_it_starts_for_the_one_who_installs(debian: Debian) -> None:
    called = debian.run("postinst", "configure", SUDO_USER="ana")
    assert debian.runs_for() == ["pi-memory@ana.service"]
    assert str((debian.wanted / "pi-memory@ana.service").readlink()) == UNIT
    assert "deb-systemd-invoke restart pi-memory@ana.service" in called
    assert (debian.root / "etc/pi-memory/ana.env").exists()


def test_root_installs_it_for_the_only_person(debian: Debian) -> None:
    debian.run("postinst", "configure")
    assert debian.runs_for() == ["pi-memory@ana.service"]


def test_of_several_nobody_is_chosen_and_it_has_its_own_account(tmp_path: Path) -> None:
    debian = Debian(tmp_path, TWO.replace("/srv/bo", "/home/bo"))
    called = debian.run("postinst", "configure")
    assert debian.runs_for() == ["pi-memory@pi-memory.service"]
    assert "adduser --system" in called


def test_a_home_elsewhere_may_be_written_to(tmp_path: Path) -> None:
    debian = Debian(tmp_path, TWO)
    debian.run("postinst", "configure", SUDO_USER="bo")
    drop_in = tmp_path / "etc/systemd/system/pi-memory@bo.service.d/home.conf"
    assert "ReadWritePaths=-/srv/bo/pi-memory" in drop_in.read_text(encoding="utf-8")


def test_an_upgrade_restarts_it_for_those_it_ran_for(debian: Debian) -> None:
    debian.run("postinst", "configure", SUDO_USER="ana")
    (debian.root / "etc/pi-memory/ana.env").write_text("PI_MEMORY_PORT=1\n", encoding="utf-8")
    debian.calls.write_text("", encoding="utf-8")
    called = debian.run("postinst", "configure", "0.1.0-1", SUDO_USER="bo")
    assert debian.runs_for() == ["pi-memory@ana.service"]
    assert "restart pi-memory@ana.service" in called
    assert (debian.root / "etc/pi-memory/ana.env").read_text(encoding="utf-8") == "PI_MEMORY_PORT=1\n"


def test_who_it_ran_for_from_source_it_runs_for_from_the_package(debian: Debian) -> None:
    debian.wanted.mkdir(parents=True)
    (debian.wanted / "pi-memory@ana.service").symlink_to("/etc/systemd/system/pi-memory@.service")
    debian.run("postinst", "configure", SUDO_USER="bo")
    assert debian.runs_for() == ["pi-memory@ana.service"]
    assert str((debian.wanted / "pi-memory@ana.service").readlink()) == UNIT


def test_an_upgrade_starts_nothing_that_was_switched_off(debian: Debian) -> None:
    assert "restart" not in debian.run("postinst", "configure", "0.1.0-1", SUDO_USER="ana")
    assert debian.runs_for() == []


def test_an_upgrade_keeps_a_copy_first(debian: Debian) -> None:
    folder = debian.data("ana")
    called = debian.run("prerm", "upgrade", "0.2.0-1").splitlines()
    stopped = called.index("deb-systemd-invoke stop pi-memory@*.service")
    copied = next(n for n, call in enumerate(called) if f"backup {folder}/memory.db.of-0.1.0" in call)
    assert stopped < copied


def test_the_copies_of_two_versions_are_kept(debian: Debian) -> None:
    folder = debian.data("ana")
    for age, name in enumerate(["memory.db.of-0.0.9", "memory.db.of-0.0.8", "memory.db.of-0.0.7"]):
        (folder / name).touch()
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    debian.run("prerm", "upgrade", "0.2.0-1")
    kept = {path.name for path in folder.glob("memory.db.of-*")}
    assert kept == {"memory.db.of-0.1.0", "memory.db.of-0.0.9"}


def test_remove_takes_the_bytecode_and_keeps_what_was_remembered(debian: Debian) -> None:
    compiled = debian.root / "opt/pi-memory/lib/somewhere/__pycache__"
    compiled.mkdir(parents=True)
    debian.run("postinst", "configure", SUDO_USER="ana")
    folder = debian.data("ana")
    debian.run("prerm", "remove")
    debian.run("postrm", "remove")
    assert not compiled.exists()
    assert (folder / "memory.db").exists()
    assert debian.runs_for() == ["pi-memory@ana.service"]


def test_purge_takes_all_but_what_lies_in_a_home(debian: Debian) -> None:
    debian.run("postinst", "configure", SUDO_USER="ana")
    debian.data("ana")
    notes = debian.root / "home/ana/pi-memory"
    notes.mkdir(parents=True)
    debian.run("postrm", "purge")
    assert debian.runs_for() == []
    assert not (debian.root / "var/lib/pi-memory").exists()
    assert not (debian.root / "etc/pi-memory").exists()
    assert notes.exists()


@pytest.mark.parametrize("script", ["preinst", "postinst", "prerm", "postrm", "launcher"])
def test_a_script_is_sound_for_every_shell(script: str) -> None:
    text = (ROOT / "deb" / script).read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    assert subprocess.run(["sh", "-n", ROOT / "deb" / script], timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("architecture", "processor", "fast"),
    [("arm64", PI_4, False), ("arm64", PI_5, True), ("amd64", OLD_PC, False), ("amd64", NEW_PC, True)],
)
def test_the_launcher_takes_the_library_that_the_processor_can_run(
    tmp_path: Path, architecture: str, processor: str, fast: bool
) -> None:
    assert launched(tmp_path, architecture, processor) == ("fast" if fast else "")


def test_the_launcher_leaves_the_choice_to_the_user(tmp_path: Path) -> None:
    assert launched(tmp_path, "arm64", PI_5, LLAMA_CPP_LIB_PATH="/srv/mine") == "mine"


def launched(home: Path, architecture: str, processor: str, **environment: str) -> str:
    """The folder of libraries that the launcher chooses for a processor; empty for the usual one."""
    machine = {"arm64": "aarch64", "amd64": "x86_64"}[architecture]
    result = subprocess.check_output([ROOT / "scripts/processor", "--faster", machine], text=True, timeout=60)
    _, _, features = result.strip().partition(" ")
    text = (ROOT / "deb/launcher").read_text(encoding="utf-8")
    for name, value in {
        "@FEATURES@": features,
        "@FASTER@": "fast",
        "/proc/cpuinfo": f"{home}/cpuinfo",
        "/opt/pi-memory": str(home),
    }.items():
        text = text.replace(name, value)
    (home / "cpuinfo").write_text(f"processor\t: 0\n{processor}\n", encoding="utf-8")
    (home / "launcher").write_text(text, encoding="utf-8")
    (home / "bin").mkdir()
    (home / "bin/python").write_text('#!/bin/sh\nbasename "${LLAMA_CPP_LIB_PATH:-}"\n', encoding="utf-8")
    (home / "bin/python").chmod(0o755)
    env = {"PATH": "/usr/bin:/bin", **environment}
    return subprocess.check_output(["sh", home / "launcher"], env=env, text=True, timeout=60).strip()


def test_only_wheels_for_this_machine_are_given_to_pip(tmp_path: Path) -> None:
    (tmp_path / "faster").mkdir()
    (tmp_path / "llama_cpp_python-1-py3-none-manylinux_2_36_riscv64.whl").touch()
    assert wheels(tmp_path) == []
    (tmp_path / f"llama_cpp_python-1-py3-none-manylinux_2_36_{platform.machine()}.whl").touch()
    assert wheels(tmp_path) == ["--find-links", str(tmp_path)]


def wheels(folder: Path) -> list[str]:
    return subprocess.check_output([ROOT / "scripts/processor", folder], text=True, timeout=60).split()


@pytest.fixture(scope="module")
def page() -> str:
    return subprocess.check_output([sys.executable, "deb/manual.py"], cwd=ROOT, text=True, timeout=60)


def test_the_manual_has_every_command_and_setting(page: str) -> None:
    for name, _ in list(commands())[1:]:
        assert f".SS {name.replace('-', chr(92) + '-')} " in page
    assert "PI_MEMORY_WORKSPACE" in page


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_finds_no_fault(page: str, tmp_path: Path) -> None:
    (tmp_path / "page.1").write_text(page, encoding="utf-8")
    shown = subprocess.run(
        ["man", "--warnings", "--local-file", "-Tutf8", tmp_path / "page.1"], capture_output=True, timeout=60
    )
    assert (shown.returncode, shown.stderr) == (0, b"")


@pytest.mark.parametrize("script", ["build-wheels", "build-deb", "check-boot", "processor", "release"])
def test_a_script_tells_what_it_can_do_and_what_it_does_not_understand(script: str) -> None:
    helped = subprocess.run([ROOT / "scripts" / script, "--help"], capture_output=True, text=True, timeout=60)
    assert (helped.returncode, f"scripts/{script}" in helped.stdout) == (0, True)
    refused = subprocess.run([ROOT / "scripts" / script, "--frobnicate"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert "--frobnicate" in refused.stderr
