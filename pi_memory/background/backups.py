"""Backups by themselves: a daily copy of everything while nobody waits, checked, and a restore rehearsed monthly.

Each is one file, `memory-2026-05-17.db`: the database, the files that the user edits, and the settings. What is
forgotten is forgotten in them too, in a folder that was out of reach as soon as it is back.
"""

import asyncio
import logging
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from pi_memory.atomic_file import read_file
from pi_memory.background.priority import TurnPriority
from pi_memory.clock import SteadyClock
from pi_memory.errors import PiMemoryError
from pi_memory.memories.memories import Memories
from pi_memory.settings import NOTES, Settings, as_lines
from pi_memory.store import backup, copies
from pi_memory.store.database import Database
from pi_memory.store.tombstones import Tombstone
from pi_memory.tasks import BackgroundWorker

LOOK_SECONDS = 600.0
"""Seconds after the start, and between two looks at whether a backup is due."""
DAYS, WEEKS = 7, 4
"""How many daily and weekly backups are kept."""
REHEARSE_DAYS = 30
LARGEST_TEXT = 2**24
"""Bytes of a file of the workspace that is backed up."""

NAME = "memory-%Y-%m-%d.db"
FOCUS = Path("memory") / "RECENT_FOCUS.md"
SETTINGS = "settings.env"

logger = logging.getLogger(__name__)


class Backups:
    """Makes and checks the backups. `problem` says what is wrong and what to do, `newest` when the last was made."""

    def __init__(
        self, settings: Settings, db: Database, memories: Memories, *, priority: TurnPriority, clock: SteadyClock
    ) -> None:
        self.problem: str | None = None
        self.newest: date | None = None
        self._settings = settings
        self._db = db
        self._memories = memories
        self._priority = priority
        self._clock = clock
        self._on = settings.memory.backups and not db.in_ram
        self._worker = BackgroundWorker("The backup", self.look, every=LOOK_SECONDS)

    def start(self) -> None:
        if self._on:
            self.newest = newest(self._settings.backups_dir, self._today())
            self._worker.start()

    async def stop(self) -> None:
        await self._worker.stop()

    async def look(self) -> None:
        """Make the backups that are due, in each folder; wait for the next look while somebody waits for a reply."""
        if self._priority.busy or self._clock() - self._clock.started_at < LOOK_SECONDS:
            return
        today = self._today()
        await self._db.flush()
        buried = await self._memories.tombstones()
        problems = []
        for folder in folders(self._settings):
            try:
                await asyncio.to_thread(self._look, folder, today)
                await asyncio.to_thread(self._forget, folder, buried)
            except (PiMemoryError, OSError) as error:
                problems.append(f"no backup in {folder}: {error}. {getattr(error, 'hint', '')}".strip())
        problem = "; ".join(problems) or None
        if problem and problem != self.problem:
            logger.warning("%s", problem)
        self.problem = problem

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock(), UTC).date()

    def _forget(self, folder: Path, buried: Sequence[Tombstone]) -> None:
        """Forget in backups what was forgotten while they were out of reach. Raises `PiMemoryError`."""
        if behind := [path for path in copies.databases(folder) if copies.lacks(path, buried)]:
            copies.forget(behind, self._memories.forgotten.clean, buried)

    def _look(self, folder: Path, today: date) -> None:
        if folder == self._settings.backups_dir:
            folder.mkdir(mode=0o700, exist_ok=True)
        elif not folder.is_dir():
            raise PiMemoryError("the folder is not there", hint="Plug it in, or change PI_MEMORY_BACKUP_DIR.")
        last = newest(folder, today)
        if not any(backup.counts(self._settings.database, check=False).values()):
            return
        if last is None or (last < today and self._changed_since(folder / last.strftime(NAME))):
            self._make(folder, today)
        self.newest = newest(folder, today)
        if self.newest and last != self.newest:
            self._rehearse(folder / self.newest.strftime(NAME), today)

    def _changed_since(self, path: Path) -> bool:
        """Whether a backup lacks something. Not all of it is read: this is asked at every look until a day has one."""
        try:
            same = backup.counts(path, check=False) == backup.counts(self._settings.database, check=False)
            return not same or backup.texts(path) != texts(self._settings)
        except PiMemoryError as error:
            logger.warning("%s", error)
            return True

    def _make(self, folder: Path, today: date) -> None:
        """Copy, check, and put in place under its name; then remove those that are no longer kept."""
        beside = folder / f".{today.strftime(NAME)}.new"
        beside.unlink(missing_ok=True)
        backup.back_up(self._settings.database, beside, texts(self._settings))
        try:
            backup.counts(beside)
        except PiMemoryError:
            beside.unlink()
            raise
        beside.replace(folder / today.strftime(NAME))
        known = dated(folder)
        for day in set(known) - kept(known, today):
            known[day].unlink()
        logger.info("Backed up to %s", folder / today.strftime(NAME))

    def _rehearse(self, made: Path, today: date) -> None:
        """Once a month restore a backup to a folder of its own and count what is in it. Raises `PiMemoryError`."""
        mark = self._settings.backups_dir / "rehearsed"
        with suppress(OSError):
            done = datetime.fromtimestamp(mark.stat().st_mtime, UTC).date()
            if timedelta() <= today - done < timedelta(days=REHEARSE_DAYS):
                return
        with tempfile.TemporaryDirectory(dir=self._settings.backups_dir) as scratch:
            database = Path(scratch) / "memory.db"
            backup.restore(made, database)
            if backup.counts(database) != backup.counts(made):
                raise PiMemoryError(f"{made} does not restore what is in it", hint="Delete it; another one is made.")
        mark.touch()
        os.utime(mark, (self._clock(), self._clock()))
        logger.info("A restore of %s was rehearsed", made)


def folders(settings: Settings) -> list[Path]:
    """The folders for backups; the second one only when it is set."""
    return [settings.backups_dir, *filter(None, [settings.paths.backup_dir])]


def dated(folder: Path) -> dict[date, Path]:
    """The backups in a folder by their day."""
    found = {}
    for path in folder.glob("memory-*.db"):
        with suppress(ValueError):
            found[datetime.strptime(path.name, NAME).date()] = path
    return found


def newest(folder: Path, today: date) -> date | None:
    """The day of the newest backup in a folder; one from the future, by a clock that was wrong, is none."""
    return max((day for day in dated(folder) if day <= today), default=None)


def kept(days: Iterable[date], today: date) -> set[date]:
    """The days whose backups stay: the last DAYS, and the last of each of the WEEKS before. What is from the future, by
    a clock that was wrong, stays too.
    """
    days = set(days)
    past = sorted((day for day in days if day <= today), reverse=True)
    daily, older = past[:DAYS], past[DAYS:]
    weekly = {day.isocalendar()[:2]: day for day in reversed(older)}
    return {*daily, *sorted(weekly.values(), reverse=True)[:WEEKS], *(days - {*past})}


def texts(settings: Settings) -> dict[str, str]:
    """The files that the user edits, by their path in the workspace, and the settings that are not the default."""
    found = {SETTINGS: as_lines(settings)}
    for name in (FOCUS, *map(Path, NOTES)):
        try:
            found[str(name)] = read_file(settings.workspace / name, LARGEST_TEXT).decode()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            logger.warning("%s is in no backup: %s", name, error)
    return found


def put_back(found: dict[str, str], settings: Settings) -> list[Path]:
    """Write the texts of a backup to the workspace. Another file in the place of one is kept beside it, with
    `.before-restore` behind its name; settings are written beside the database, for whoever wants to use them.
    """
    written = []
    for name in (FOCUS, *map(Path, NOTES)):
        if (text := found.get(str(name))) is not None:
            path = settings.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.with_name(f"{path.name}.before-restore")
            if path.is_file() and path.read_text(encoding="utf-8", errors="replace") != text:
                shutil.copy2(path, before)
            elif path.exists() and not path.is_file():
                path.rename(before)  # a pipe, or a link to a device
            path.write_text(text, encoding="utf-8")
            written.append(path)
    if found.get(SETTINGS):
        path = settings.data_dir / "settings.of-backup.env"
        path.touch(mode=0o600)
        path.write_text(found[SETTINGS], encoding="utf-8")
        written.append(path)
    return written
