"""Backups by themselves: daily, checked, in two places, and what is forgotten is in none of them."""

import sqlite3
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.background import backups
from pi_memory.background.backups import DAYS, WEEKS, dated, kept
from pi_memory.store.backup import counts, texts
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock

DAY = date(2026, 5, 17)


def looked(client: Client, clock: FakeClock, *, days: float = 0) -> None:
    """Time passes, and the daemon looks at whether a backup is due."""
    assert client.portal is not None
    client.settle()
    clock.pass_time(days=days, minutes=11)
    client.portal.call(client.parts.backups.look)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("memory-*.db"))


def test_a_day_with_something_new_has_a_backup_and_no_other(daemon: Daemon, clock: FakeClock, tmp_path: Path) -> None:
    client, folder = daemon(), tmp_path / "data" / "backups"
    looked(client, clock)
    assert names(folder) == [], "there is nothing to keep"
    client.post("/memories", json={"content": "The stopcock is under the stairs."})
    for _ in range(3):
        looked(client, clock, days=1)
    (first,) = names(folder)
    client.post("/memories", json={"content": "The ladder is in the shed."})
    looked(client, clock, days=1)
    assert names(folder)[0] == first
    assert [counts(path)["memories"] for path in sorted(folder.glob("*.db"))] == [1, 2]
    assert [path.stat().st_mode & 0o077 for path in (folder, *folder.glob("*.db"))] == [0, 0, 0]


def test_a_clock_that_was_years_ahead_once_holds_up_no_backup(
    daemon: Daemon, clock: FakeClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock.pass_time(days=3_650)
    client, folder = daemon(), tmp_path / "data" / "backups"
    client.post("/memories", json={"content": "The stopcock is under the stairs."})
    looked(client, clock)
    client.stop()
    (ahead,) = names(folder)
    clock.pass_time(days=-3_650)
    client = daemon()
    caplog.set_level("INFO")
    looked(client, clock)
    client.post("/memories", json={"content": "The ladder is in the shed."})
    looked(client, clock, days=1)
    assert len(names(folder)) == 3
    assert [counts(path)["memories"] for path in sorted(folder.glob("*.db"))] == [1, 2, 1]
    assert names(folder)[-1] == ahead
    assert caplog.text.count("was rehearsed") == 1


def test_a_backup_has_the_files_that_the_user_edits(daemon: Daemon, clock: FakeClock, tmp_path: Path) -> None:
    client = daemon(MEMORY_MAX_TURNS=3)
    client.parts.settings.workspace.mkdir(exist_ok=True)
    (client.parts.settings.workspace / "ASSISTANT.md").write_text("Be brief.\n")
    client.post("/chat", json={"message": "The boiler is from 2019."})
    looked(client, clock)
    (made,) = (tmp_path / "data" / "backups").glob("*.db")
    found = texts(made)
    assert found["ASSISTANT.md"] == "Be brief.\n"
    assert "MEMORY_MAX_TURNS=3\n" in found["settings.env"]
    assert "memory/RECENT_FOCUS.md" in found


def test_nothing_is_backed_up_while_somebody_waits_or_when_it_is_switched_off(
    daemon: Daemon, clock: FakeClock, tmp_path: Path
) -> None:
    client = daemon(PI_MEMORY_BACKUPS=False)
    client.post("/memories", json={"content": "The ladder is in the shed."})
    assert "backups" not in client.get("/healthz").json()["parts"]
    client.stop()
    client = daemon()
    with client.parts.backups._priority.turn():
        looked(client, clock)
    assert names(tmp_path / "data" / "backups") == []
    looked(client, clock)
    assert len(names(tmp_path / "data" / "backups")) == 1


def test_a_second_folder_that_is_missing_is_named_and_filled_when_it_is_back(
    daemon: Daemon, clock: FakeClock, tmp_path: Path
) -> None:
    stick = tmp_path / "stick"
    client = daemon(PI_MEMORY_BACKUP_DIR=stick)
    client.post("/memories", json={"content": "The ladder is in the shed."})
    looked(client, clock)
    part = client.get("/healthz").json()["parts"]["backups"]
    assert (part["status"], str(stick) in part["todo"], stick.exists()) == ("degraded", True, False)
    stick.mkdir()
    looked(client, clock)
    assert client.get("/healthz").json()["parts"]["backups"]["status"] == "ok"
    assert names(stick) == names(tmp_path / "data" / "backups") != []


def test_what_is_forgotten_leaves_backups_at_once_and_a_stick_when_it_is_back(
    daemon: Daemon, clock: FakeClock, tmp_path: Path
) -> None:
    stick, away = tmp_path / "stick", tmp_path / "away"
    stick.mkdir()
    client = daemon(PI_MEMORY_BACKUP_DIR=stick)
    added = client.post("/memories", json={"content": "My vault word is quartz."}).json()
    looked(client, clock)
    stick.rename(away)
    client.delete(f"/memories/{added['id']}?forget=1").raise_for_status()
    assert not any(b"quartz" in path.read_bytes() for path in (tmp_path / "data").rglob("*.db"))
    (left,) = away.glob("*.db")
    assert b"quartz" in left.read_bytes()
    away.rename(stick)
    looked(client, clock)
    assert not any(b"quartz" in path.read_bytes() for path in stick.glob("*.db"))


def test_a_damaged_backup_is_replaced_by_a_sound_one(daemon: Daemon, clock: FakeClock, tmp_path: Path) -> None:
    client, folder = daemon(), tmp_path / "data" / "backups"
    client.post("/memories", json={"content": "The ladder is in the shed."})
    looked(client, clock)
    (made,) = folder.glob("*.db")
    made.write_bytes(b"no database" * 999)
    looked(client, clock, days=1)
    newest = max(folder.glob("*.db"))
    assert newest != made
    assert counts(newest)["memories"] == 1


def test_a_restore_is_rehearsed_and_leaves_nothing_behind(daemon: Daemon, clock: FakeClock, tmp_path: Path) -> None:
    client, folder = daemon(), tmp_path / "data" / "backups"
    client.post("/memories", json={"content": "The ladder is in the shed."})
    looked(client, clock)
    assert sorted(path.name for path in folder.iterdir()) == [*names(folder), "rehearsed"]


@given(days=st.sets(st.integers(0, 90)), today=st.integers(0, 90))
def test_a_week_of_days_and_four_weeks_before_stay(days: set[int], today: int) -> None:
    now = DAY + timedelta(days=today)
    made = {DAY + timedelta(days=day) for day in days}
    past = sorted((day for day in made if day <= now), reverse=True)
    stays = kept(made, now)
    assert stays <= made
    assert set(past[:DAYS]) <= stays, "the newest always stay"
    assert len([day for day in stays if day <= now]) <= DAYS + WEEKS
    assert stays == kept(stays, now), "to look again removes nothing"


def test_other_files_in_the_folder_are_no_backups(tmp_path: Path) -> None:
    for name in ("memory-2026-05-17.db", "memory-of-ana.db", "memory-2026-13-01.db", "notes.txt"):
        (tmp_path / name).touch()
    assert list(dated(tmp_path)) == [DAY]


@pytest.mark.parametrize("text", ["Mine.\n", "Be brief.\n"])
def test_put_back_keeps_a_file_that_says_something_else(tmp_path: Path, text: str, daemon: Daemon) -> None:
    settings = daemon().parts.settings
    settings.workspace.mkdir(exist_ok=True)
    (settings.workspace / "ASSISTANT.md").write_text(text)
    backups.put_back({"ASSISTANT.md": "Be brief.\n"}, settings)
    assert (settings.workspace / "ASSISTANT.md").read_text() == "Be brief.\n"
    beside = settings.workspace / "ASSISTANT.md.before-restore"
    assert beside.exists() == (text == "Mine.\n")


def test_a_backup_is_readable_by_any_sqlite(daemon: Daemon, clock: FakeClock, tmp_path: Path) -> None:
    client = daemon()
    client.post("/memories", json={"content": "The ladder is in the shed."})
    looked(client, clock)
    (made,) = (tmp_path / "data" / "backups").glob("*.db")
    with closing(sqlite3.connect(f"{made.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)


def test_an_idle_hour_writes_nothing_once_the_day_has_its_backup(
    daemon: Daemon, clock: FakeClock, tmp_path: Path
) -> None:
    client = daemon()
    client.post("/chat", json={"message": "The ladder is in the shed."})
    swept(client, clock, minutes=61)  # the conversation has ended
    looked(client, clock)
    before = written(client, tmp_path)
    for sweep in range(120):
        swept(client, clock, seconds=30)
        if sweep % 20 == 0:
            looked(client, clock)
    assert written(client, tmp_path) == before


def swept(client: Client, clock: FakeClock, *, minutes: float = 0, seconds: float = 0) -> None:
    """Time passes, and the daemon does what it does twice a minute."""
    assert client.portal is not None
    clock.pass_time(minutes=minutes, seconds=seconds)
    client.portal.call(client.parts.housekeeping.daily)
    client.portal.call(client.parts.housekeeping.sweep)
    client.settle()


def written(client: Client, folder: Path) -> dict[str, tuple[int, int]]:
    """Each file that was written, by size and time; the index of the log is rebuilt by each reader."""
    assert client.portal is not None
    client.portal.call(client.parts.db.flush)
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}
