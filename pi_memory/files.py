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


def not_writable(folder: Path) -> str | None:
    """Why files cannot be made in a folder, or the folder itself, and what to do; None when they can."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return None
    return f"cannot write in {folder}. Make {there} a folder that may be written to."
