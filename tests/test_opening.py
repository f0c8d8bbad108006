"""A place that cannot be written at start, on a real file system: nothing is acknowledged, and all goes there later."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

import pi_memory
from pi_memory.errors import NotSaved, StartError
from pi_memory.store import exchanges, state
from pi_memory.store.database import Database
from pi_memory.types import Exchange


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True).returncode:
        pytest.skip("only root may mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def remount(folder: Path, mode: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{mode}", folder], check=True)


def fill(folder: Path) -> Path:
    file = folder / "filler"
    with file.open("wb", buffering=0) as out, suppress(OSError):
        while True:
            out.write(b"x" * 4096)
    return file


def using(path: Path, work: Callable[[Database], Awaitable[None]], commit_seconds: float = 0.05) -> None:
    async def main() -> None:
        db = await Database.open(path, commit_seconds=commit_seconds)
        try:
            await work(db)
        finally:
            await db.close()

    asyncio.run(main())


def said(n: int) -> Exchange:
    return Exchange("c", f"question {n}", "", float(n))


async def add(db: Database, n: int) -> int:
    return await db.put(partial(exchanges.add, exchange=said(n)))


async def healed(db: Database) -> None:
    async with asyncio.timeout(10):
        await db.writable()


def stored(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("select user from exchanges order by id")]


async def talk_without_room(db: Database, heal: Callable[[], None]) -> None:
    """Nothing is acknowledged; when there is room, all of it is there."""
    assert await add(db, 2)
    assert "nothing is saved" in str(db.problem)
    with pytest.raises(NotSaved):
        await db.write(lambda db: state.put(db, "key", "value"), durable=True)
    assert await db.read(lambda db: state.get(db, "key")) is None
    heal()
    await healed(db)
    assert db.problem is None
    assert await add(db, 3)


def test_a_disk_that_is_full_at_start(disk: Path) -> None:
    filler = fill(disk)
    using(disk / "data" / "m.db", partial(talk_without_room, heal=filler.unlink))
    assert stored(disk / "data" / "m.db") == ["question 2", "question 3"]


def test_a_full_disk_with_a_database_on_it(disk: Path) -> None:
    path = disk / "m.db"

    async def first(db: Database) -> None:
        await add(db, 1)

    using(path, first)
    filler = fill(disk)
    using(path, partial(talk_without_room, heal=filler.unlink))
    assert stored(path) == ["question 1", "question 2", "question 3"]


@pytest.mark.parametrize("left", [("", "-wal", "-commits"), ("", "-wal", "-shm", "-commits")])
def test_a_read_only_disk_with_a_log_that_a_crash_left(disk: Path, tmp_path: Path, left: tuple[str, ...]) -> None:
    path = disk / "m.db"

    async def crash(db: Database) -> None:
        await add(db, 1)
        await db.flush()
        for suffix in left:
            shutil.copy(f"{path}{suffix}", tmp_path)

    async def restart(db: Database) -> None:
        assert [e.user for _, e in await db.read(exchanges.inbox)] == ["question 1"], "the log is read, too"
        await talk_without_room(db, lambda: remount(disk, "rw"))

    using(path, crash)
    for suffix in left:
        shutil.copy(tmp_path / f"m.db{suffix}", disk)
    remount(disk, "ro")
    using(path, restart)
    assert stored(path) == ["question 1", "question 2", "question 3"]


def test_a_file_that_was_put_there_meanwhile_is_left_alone(disk: Path, tmp_path: Path) -> None:
    async def other(db: Database) -> None:
        await add(db, 9)

    using(tmp_path / "other.db", other)
    remount(disk, "ro")

    async def work(db: Database) -> None:
        await add(db, 1)
        remount(disk, "rw")
        shutil.copy(tmp_path / "other.db", disk / "m.db")
        with pytest.raises(NotSaved, match="another one than when this daemon started"):
            await db.flush()
        assert "another one" in str(db.problem)

    using(disk / "m.db", work, commit_seconds=3600)
    assert stored(disk / "m.db") == ["question 9"]


def test_a_database_that_is_deleted_while_it_is_open_is_written_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "data" / "m.db"

    async def work(db: Database) -> None:
        await add(db, 1)
        await db.flush()
        shutil.rmtree(path.parent)
        await add(db, 2)
        await db.flush()
        assert "was deleted while it was in use" in str(db.problem)
        assert stored(path) == ["question 1", "question 2"]

    using(path, work, commit_seconds=10)
    assert stored(path) == ["question 1", "question 2"]
    assert caplog.text.count("was deleted") == 1


def test_a_log_that_is_deleted_while_it_is_open_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        await add(db, 1)
        await db.flush()
        os.unlink(f"{path}-wal")  # noqa: PTH108
        await add(db, 2)
        await db.flush()
        assert stored(path) == ["question 1", "question 2"]

    using(path, work, commit_seconds=10)


def test_a_database_that_is_replaced_while_it_is_open_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def work(db: Database) -> None:
        await db.flush()
        (tmp_path / "new").write_bytes(b"of somebody else")
        os.replace(tmp_path / "new", path)  # noqa: PTH105 - the name says that it overwrites
        with pytest.raises(NotSaved, match="was replaced"):
            await db.write(lambda db: state.put(db, "key", "value"), durable=True)

    using(path, work, commit_seconds=3600)
    assert path.read_bytes() == b"of somebody else"


def test_a_database_of_another_program_with_other_tables_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("create table photos (name text)")
    before = path.read_bytes()
    with pytest.raises(StartError, match="no database of pi-memory"):
        asyncio.run(Database.open(path))
    assert path.read_bytes() == before


def test_plugins_of_other_packages_are_left_alone(tmp_path: Path) -> None:
    about = tmp_path / "meddler-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: meddler\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[sqlite_utils]\nmeddler = meddler\n")
    (tmp_path / "meddler.py").write_text("raise SystemExit('the plugin was loaded')\n")
    path = f"{tmp_path}{os.pathsep}{Path(pi_memory.__file__).parents[1]}"
    code = "from pi_memory.store import opening; opening.open_file(None, 0.0)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True)
