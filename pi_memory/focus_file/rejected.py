"""Copies of rejected texts: what was saved as the focus file and is none, kept beside it until the user removes it."""

import errno
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

from pi_memory.atomic_file import commit, create, prepare, read_at_most

MOST = 8
"""Most copies. When there are so many, the next rejected text stays in place and the focus file is not written."""

LARGEST_COPY = 16 << 20
"""Most bytes of a copied text: a larger one was hardly written by hand, and would fill the disk."""

logger = logging.getLogger(__name__)


class Rejected:
    """The copies of one focus file: `RECENT_FOCUS.md.rejected`, then `.rejected-2` and so on."""

    def __init__(self, path: Path) -> None:
        first = path.with_name(f"{path.name}.rejected")
        self._places = [first, *(first.with_name(f"{first.name}-{number}") for number in range(2, MOST + 1))]

    def paths(self) -> list[Path]:
        """Paths of the existing copies."""
        return [path for path in self._places if path.is_file() and not path.is_symlink()]

    def keep(self, descriptor: int) -> Path | None:
        """Copy an open file, whole and synced, with its mode. None when an equal copy exists, or when the file is blank
        and any copy exists.

        Raises `OSError`, also when the file is too large or there are too many copies.
        """
        is_small = os.fstat(descriptor).st_size <= LARGEST_COPY
        data = read_at_most(descriptor, LARGEST_COPY + 1) if is_small else b""
        if not is_small or len(data) > LARGEST_COPY:
            raise OSError(errno.EFBIG, f"it is larger than {LARGEST_COPY:,} bytes")
        copies = self.paths()
        if (copies and not data.strip()) or any(_holds(path, data) for path in copies):
            return None
        free = next((path for path in self._places if not os.path.lexists(path)), None)
        if free is None:
            raise OSError(errno.EEXIST, f"there are {MOST} rejected texts beside it already")
        create(free, data, mode=stat.S_IMODE(os.fstat(descriptor).st_mode))
        return free

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Change the text of every copy. A copy that cannot be changed is logged."""
        for path in self.paths():
            try:
                text = path.read_text(encoding="utf-8", errors="surrogateescape")
                if (changed := change(text)) != text:
                    prepared = prepare(path, changed)
                    prepared.chmod(stat.S_IMODE(path.stat().st_mode))
                    commit(prepared, path)
            except OSError as error:
                logger.warning("Cannot rewrite %s: %s", path, error)


def _holds(path: Path, data: bytes) -> bool:
    return path.stat().st_size == len(data) and path.read_bytes() == data
