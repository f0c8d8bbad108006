"""Atomic file writes: after a power cut the file has its old content or its new one."""

import errno
import os
import stat
from pathlib import Path

PRIVATE = 0o600


def create(path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
    """Write a new file, synced. On failure nothing is left. Raises `OSError`, also when the path exists.

    A link at the path counts as existing: it is never followed.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(descriptor, mode)
            file.flush()
            os.fsync(descriptor)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def prepare(path: Path, text: str) -> Path:
    """Write the text beside `path`, synced and with mode 0600. This is the slow part, so that `commit` is one
    rename.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)  # after a power cut, or a link that somebody put there
    create(beside, text.encode(errors="surrogateescape"))
    return beside


def commit(prepared: Path, path: Path) -> None:
    """Rename the prepared file to `path` and sync the folder. Without the sync half of all power cuts leave a broken
    file.
    """
    prepared.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def not_writable(folder: Path) -> str | None:
    """The reason why files cannot be made in a folder (or the folder itself) and what to do, or None."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return None
    return f"cannot write in {folder}. Make {there} a folder that may be written to."


def read_file(path: Path, size: int) -> bytes:
    """A file of at most `size` bytes. Raises `OSError` for a longer one and for what is no file: a pipe is not waited
    for, and of a device without end nothing is read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is no file")
        data = read_at_most(descriptor, size + 1)
    finally:
        os.close(descriptor)
    if len(data) > size:
        raise OSError(errno.EFBIG, f"is larger than {size} bytes")
    return data


PIECE = 1 << 16
"""Bytes read at once: the buffer is made before anybody knows how small the file is."""


def read_at_most(descriptor: int, size: int) -> bytes:
    """The first `size` bytes of an open file, or all of it. Raises `OSError`."""
    data = bytearray()
    while piece := os.pread(descriptor, min(PIECE, size - len(data)), len(data)):
        data += piece
    return bytes(data)
