"""What was acknowledged and is not in the database any more is noticed at the next start."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_memory.store import commits, state
from pi_memory.store.database import Database

SUFFIXES = ("", "-wal", "-commits")


async def durable(db: Database) -> None:
    await db.write(lambda db: state.put(db, "key", "value"), durable=True)


async def grouped(db: Database) -> None:
    await db.write(lambda db: state.put(db, "key", "value"))
    await db.flush()


@pytest.fixture
def crashed(tmp_path: Path) -> Callable[..., Path]:
    """The files of a daemon that was killed."""

    def make(*works: Callable[[Database], object]) -> Path:
        folder = tmp_path / "crashed"
        folder.mkdir()

        async def main() -> None:
            db = await Database.open(tmp_path / "m.db")
            for work in works:
                await work(db)  # type: ignore[misc]
            for suffix in SUFFIXES:
                shutil.copy(tmp_path / f"m.db{suffix}", folder)
            await db.close()

        asyncio.run(main())
        return folder / "m.db"

    return make


def problem(path: Path) -> str | None:
    async def main() -> str | None:
        db = await Database.open(path)
        await db.close()
        return db.problem

    return asyncio.run(main())


def power_cut(path: Path) -> None:
    """Another boot: what was not synced may be gone, by contract."""
    noted = commits.noted(path)
    assert noted
    Path(f"{path}-commits").write_text(f"{noted.synced:011} {noted.last:011} {'another-boot':36}\n")


def test_a_crash_loses_nothing(crashed: Callable[..., Path]) -> None:
    path = crashed(grouped, durable, grouped)
    assert problem(path) is None
    assert problem(path) is None, "nor does a clean stop"


@pytest.mark.parametrize("damage", ["emptied", "zeroed", "flipped"])
def test_a_damaged_log_is_noticed_and_kept(
    crashed: Callable[..., Path], damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = crashed(durable, durable)
    log = Path(f"{path}-wal")
    data = log.read_bytes()
    broken = {"emptied": b"", "zeroed": bytes(len(data)), "flipped": data[:40] + bytes([data[40] ^ 0xFF]) + data[41:]}[
        damage
    ]
    log.write_bytes(broken)
    assert "lacks 2 of the writes that were acknowledged" in str(problem(path))
    assert caplog.text.count("lacks 2 of the writes") == 1
    assert [aside.read_bytes() for aside in path.parent.glob("*.damaged-*-wal")] == ([broken] if broken else [])


def test_a_group_that_is_gone_is_noticed_unless_the_power_was_cut(crashed: Callable[..., Path]) -> None:
    path = crashed(durable, grouped)
    log = Path(f"{path}-wal")
    log.write_bytes(log.read_bytes()[:-100])
    power_cut(path)
    kept = {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in SUFFIXES}
    assert problem(path) is None
    for suffix, data in kept.items():
        Path(f"{path}{suffix}").write_bytes(data)
    commits.note(path, 1, 2)
    assert "lacks 1 of the writes" in str(problem(path))


def test_a_database_that_is_gone_is_not_replaced_without_a_word(crashed: Callable[..., Path]) -> None:
    path = crashed(durable)
    path.unlink()
    Path(f"{path}-wal").unlink()
    assert "is gone, and a new database was started" in str(problem(path))


def test_an_older_database_is_noticed(crashed: Callable[..., Path], tmp_path: Path) -> None:
    path = crashed(durable)
    asyncio.run(opened_and(path, durable))
    older = crashed_again(path, tmp_path)
    asyncio.run(opened_and(path, durable))
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    shutil.copy(older, path)
    assert "lacks 1 of the writes" in str(problem(path))


async def opened_and(path: Path, work: Callable[[Database], object]) -> None:
    db = await Database.open(path)
    await work(db)  # type: ignore[misc]
    await db.close()


def crashed_again(path: Path, folder: Path) -> Path:
    return Path(shutil.copy(path, folder / "older.db"))


def test_a_note_that_says_nothing_is_no_reason_for_alarm(crashed: Callable[..., Path]) -> None:
    path = crashed(durable)
    Path(f"{path}-commits").write_bytes(b"\xff nonsense")
    assert problem(path) is None


def test_writes_that_change_nothing_are_no_commit(tmp_path: Path) -> None:
    async def main() -> None:
        db = await Database.open(tmp_path / "m.db")
        await grouped(db)
        before = commits.noted(tmp_path / "m.db")
        await db.write(lambda db: db.execute("delete from exchanges where id = 7"))
        await db.flush()
        assert commits.noted(tmp_path / "m.db") == before
        await grouped(db)
        assert commits.noted(tmp_path / "m.db") != before
        await db.close()

    asyncio.run(main())
