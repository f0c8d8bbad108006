"""Validates a focus file: text, of a bearable size, and not truncated. Pure."""

import re

from pi_memory.errors import PiMemoryError
from pi_memory.focus_file.document import GENERATED

LARGEST = 1 << 20
"""Most bytes of a focus file: several of its texts are in RAM."""
TELLING = 6
"""Least characters of a line of ours that nobody types by chance."""

FIGURES = re.compile(r"[0-9]\s*sessions?\b|\blast:", re.IGNORECASE)


class UnreadableDocument(PiMemoryError):
    """The file is no focus file: empty, binary, too large, truncated or without its title. It changes nothing."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The focus file {why}",
            hint="The text is kept beside the file as `.rejected`, and the file is written again.",
        )


def intact(data: bytes | str, *, base: str | None) -> str:
    """The text of a file, with plain line ends; a `str` is a text of ours, of any size. With `base`, the text last
    written, a truncated copy of it is recognised.

    Raises `UnreadableDocument`.
    """
    if isinstance(data, bytes) and len(data) > LARGEST:
        raise UnreadableDocument(f"is larger than {LARGEST:,} bytes")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableDocument("is not UTF-8 text") from error
    if "\x00" in text:
        raise UnreadableDocument("is binary")
    if not text.strip("\ufeff \t\r\n"):
        raise UnreadableDocument("is empty")
    text = re.sub(r"\r[ \t]*\n", "\n", text.removeprefix("\ufeff")).replace("\r", "\n")
    if _is_cut(text, base):
        raise UnreadableDocument("is truncated")
    return text


def _is_cut(text: str, base: str | None) -> bool:
    """Whether the text ends in the middle of a line that we wrote."""
    last = text.rpartition("\n")[2]
    if not last:
        return False
    if base is not None and base.startswith(text):
        return base[len(text) :][:1] not in ("", "\n")
    if base is not None:
        lines = text.split("\n")
        return len(last) >= TELLING and any(ours.startswith(last) and ours not in lines for ours in base.split("\n"))
    unfinished = last.count("**") == 1 or bool(FIGURES.search(last) and "strength:" not in last)
    return (last.startswith("- **") and unfinished) or (last != GENERATED and GENERATED.startswith(last))
