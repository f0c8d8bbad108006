"""The notes a user keeps for the assistant in the workspace: ASSISTANT.md and MEMORY.md."""

import logging
from collections.abc import Callable
from pathlib import Path

from pi_memory.settings import NOTES

MOST_CHARACTERS = 100_000
"""More characters than any budget has room for."""

logger = logging.getLogger(__name__)


def notes(folder: Path, *, count: Callable[[str], int], tokens: int) -> dict[str, str]:
    """File name to text, within `tokens` in all; a note is cut at the end of a line. Files that are no text are
    skipped.
    """
    found = {}
    for name in NOTES:
        text = _cut(_read(folder / name), count=count, tokens=tokens)
        if text:
            found[name] = text
            tokens -= count(text)
    return found


def _read(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MOST_CHARACTERS).strip()
    except (OSError, UnicodeDecodeError) as error:
        logger.warning("%s is left out of the prompt: %s", path, error)
        return ""


def _cut(text: str, *, count: Callable[[str], int], tokens: int) -> str:
    lines = text.splitlines()
    while lines and count("\n".join(lines)) > tokens:
        lines = lines[: min(len(lines) - 1, len(lines) * 3 // 4)]
    return "\n".join(lines)
