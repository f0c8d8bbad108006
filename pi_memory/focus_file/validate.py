"""Whether a focus file is all there: text, of a size to be read, and not cut off in the middle. Pure."""

import re

from pi_memory.errors import PiMemoryError
from pi_memory.focus_file.document import GENERATED

LARGEST = 1 << 20
"""Bytes of a focus file: what is larger is none, and would fill the memory, which has several of its texts."""
TELLING = 6
"""Characters of a line of ours that the user will not have typed by chance."""

FIGURES = re.compile(r"[0-9]\s*sessions?\b|\blast:", re.IGNORECASE)


class UnreadableDocument(PiMemoryError):
    """The focus file is not one: empty, binary, too large, truncated or without its heading. It changes nothing."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The focus file {why}",
            hint="The text is kept beside the file as `.rejected`, and the file is written again.",
        )


def intact(data: bytes | str, *, base: str | None) -> str:
    """The text of a file, with plain line ends; a `str` is a text of ours and may be of any size. `base`, the one last
    written, makes a cut-off copy of it recognisable.

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
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
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
