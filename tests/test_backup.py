"""Copies of the database: whole, readable anywhere, and never in the place of another one."""

import asyncio
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pi_memory.errors import Conflict, PiMemoryError
from pi_memory.store import state
from pi_memory.store.backup import back_up, restore
from pi_memory.store.database import Database
from pi_memory.store.migrations import LATEST


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return written(tmp_path / "data" / "memory.db", "first")


def written(path: Path, value: str) -> Path:
    """A database that says `value`."""

    async def write() -> None:
        db = await Database.open(path)
        await db.write(partial(state.put, key="said", value=value), durable=True)
        await db.close()

    asyncio.run(write())
    return path


def said(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db:
        (value,) = db.execute("select value from state where key = 'said'").fetchone()
        return str(value)


def changed(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return path


def test_a_backup_is_one_file_that_needs_no_other_to_be_read(database: Path, tmp_path: Path) -> None:
    back_up(database, copy := tmp_path / "copy.db")
    assert copy.stat().st_mode & 0o077 == 0, "nobody else may read it"
    with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("delete",)
    restore(copy, database)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["copy.db"]
    with pytest.raises(Conflict):
        back_up(database, copy)
    with pytest.raises(PiMemoryError, match="There is no folder"):
        back_up(database, tmp_path / "no" / "where.db")


def test_no_restore_takes_what_an_earlier_one_kept(database: Path, tmp_path: Path) -> None:
    back_up(database, copy := tmp_path / "copy.db")
    kept = []
    for value in ("second", "third"):
        written(database, value)
        kept.append(restore(copy, database).kept)
        assert said(database) == "first"
    assert [said(path) for path in kept if path] == ["second", "third"]
    last = restore(kept[0], database).kept if kept[0] else None
    assert last is not None
    assert (said(database), said(last), len({*kept, last})) == ("second", "first", 3)


def test_where_nothing_is_nothing_is_kept(database: Path, tmp_path: Path) -> None:
    back_up(database, copy := tmp_path / "copy.db")
    assert restore(copy, tmp_path / "new" / "memory.db").kept is None
    assert said(tmp_path / "new" / "memory.db") == "first"


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "newer", "of another program"])
def test_what_is_no_sound_database_of_ours_is_refused(database: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "file.db"
    if kind == "of another program":
        changed(file, "create table notes (text)", f"pragma user_version = {LATEST}")
    elif kind == "newer":
        back_up(database, file)
        changed(file, f"pragma user_version = {LATEST + 1}")
    else:
        whole = database.read_bytes()
        file.write_bytes({"empty": b"", "text": b"no database " * 99, "cut": whole[: len(whole) // 2]}[kind])
    with pytest.raises(PiMemoryError, match=r"file\.db"):
        restore(file, database)
    assert said(database) == "first"
    assert {path.name for path in database.parent.iterdir()} == {"memory.db", "memory.db-commits"}
