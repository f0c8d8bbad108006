"""Crashes at every write: the files as they are before each statement of some work, and after the last."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from pi_memory.store.database import Database


async def at_every_write(db: Database, folder: Path, work: Callable[[], Awaitable[object]]) -> list[Path]:
    """Copies of the database in `folder`, `memory.db`, in folders of their own.

    Have `db` commit each write (`commit_seconds=0`), or what is written in two goes looks as if it were one.
    """
    copies: list[Path] = []

    def copy(statement: str) -> None:
        target = folder / f"copy{len(copies):03}"
        target.mkdir()
        for file in folder.glob("memory.db*"):
            shutil.copy(file, target)
        copies.append(target)

    await db.read(lambda opened: opened.conn.set_trace_callback(copy))
    await work()
    await db.read(lambda opened: opened.conn.set_trace_callback(None))
    copy("")
    return copies
