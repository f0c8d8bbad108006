"""The access token, and the modes of private files and folders.

The token is made at the first start, kept in the data directory, and read by every local client.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from pi_memory.atomic_file import commit, prepare

TOKEN = "token"
SHORTEST, LONGEST = 32, 1_000

OTHERS = 0o077


def token(folder: Path) -> str:
    """The token of a data directory; empty when there is none or it is not readable."""
    try:
        with (folder / TOKEN).open(encoding="ascii") as file:
            return file.read(LONGEST).strip()
    except (OSError, UnicodeDecodeError):
        return ""


def ensure_token(folder: Path) -> str:
    """The token of a data directory. A token that is missing, too short, or was readable or writable by others is
    replaced. Raises `OSError` when it cannot be written.
    """
    known, path = token(folder), folder / TOKEN
    if len(known) >= SHORTEST and known.isprintable() and is_private(path):
        return known
    made = new_token()
    commit(prepare(path, f"{made}\n"), path)
    return made


def new_token() -> str:
    """A random token of 256 bits."""
    return os.urandom(32).hex()


def is_private(path: Path) -> bool:
    """Whether a file is this user's, and nobody else could read or write it. Raises `OSError`."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & OTHERS


def narrow(paths: Iterable[Path]) -> list[Path]:
    """Remove other users' permissions from files and folders; links are skipped. Returns the paths that are not ours to
    change and still open to others.
    """
    return [path for path in paths if not _narrowed(path)]


def _narrowed(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
        if mode & OTHERS and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return True
