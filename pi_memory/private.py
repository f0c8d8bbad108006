"""What only its user may read: the access token, and the modes of files and folders.

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
    """The token in a data directory; empty when there is none, or it is not for us to read."""
    try:
        with (folder / TOKEN).open(encoding="ascii") as file:
            return file.read(LONGEST).strip()
    except (OSError, UnicodeDecodeError):
        return ""


def ensure_token(folder: Path) -> str:
    """The token in a data directory. One that is missing, too short, or that others could read or have written, is
    replaced. Raises `OSError` when that cannot be written.
    """
    known, path = token(folder), folder / TOKEN
    if len(known) >= SHORTEST and known.isprintable() and _is_private(path):
        return known
    made = new_token()
    commit(prepare(path, f"{made}\n"), path)
    return made


def new_token() -> str:
    """A token that nobody can guess."""
    return os.urandom(32).hex()


def _is_private(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & OTHERS


def narrow(paths: Iterable[Path]) -> list[Path]:
    """Take from files and folders what other users may do with them; links are left alone. Those that others may still
    use, as they are not ours to change, are returned.
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
