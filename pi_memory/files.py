"""Writing a file so that a power cut leaves the old one or the new one, never a broken one."""

import os
from pathlib import Path


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
    """Put what was prepared in the place of `path`, synced: without it half of all power cuts leave a broken file."""
    prepared.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
