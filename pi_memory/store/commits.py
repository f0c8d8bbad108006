"""Commit counters in the database and in a small file beside it, which reveal lost commits.

SQLite reads a write-ahead log up to the first damaged frame and says nothing of the rest. The file is not synced: it
may lag behind the database, but is never ahead of what was acknowledged. Commits that were not synced count only until
the machine restarts, as a power cut may take them by contract.
"""

import os
from pathlib import Path

from msgspec import Struct
from sqlite_utils import Database

from pi_memory.store import state

KEY = "commits"
BOOT = Path("/proc/sys/kernel/random/boot_id")


class Noted(Struct):
    """`synced` is the number of the last commit that was synced to the card, `last` that of the last commit."""

    synced: int
    last: int
    boot: str = ""


def in_file(db: Database) -> int:
    """Number of the last commit in the database."""
    return int(state.get(db, KEY) or 0)


def put(db: Database, number: int) -> None:
    """Store the number of the commit under way."""
    state.put(db, KEY, str(number))


def noted(path: Path) -> Noted | None:
    """The numbers in the file beside the database; None when it is missing or unreadable."""
    try:
        synced, last, boot = _beside(path).read_text(encoding="ascii").split()
        return Noted(int(synced), int(last), boot)
    except (OSError, ValueError):
        return None


def note(path: Path, synced: int, last: int) -> None:
    """Write the numbers beside the database, in place: 60 bytes that need no room on a full disk.

    Raises `OSError`.
    """
    line = f"{synced:011} {last:011} {_boot():36}\n".encode()
    descriptor = os.open(_beside(path), os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.pwrite(descriptor, line, 0)
    finally:
        os.close(descriptor)


def missing(path: Path, number: int) -> int:
    """How many acknowledged commits are missing from a database whose last one is `number`."""
    known = noted(path)
    if known is None:
        return 0
    return max(0, (known.last if known.boot == _boot() else known.synced) - number)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-commits")


def _boot() -> str:
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return "-"
