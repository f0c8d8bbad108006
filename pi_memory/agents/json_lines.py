"""Reads large JSON files piece by piece, with places: JSON Lines, or one long array. Pure."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pi_memory.agents.history import Skipped

LONGEST = 64 << 20
"""Most bytes of a line or element."""
CHUNK = 1 << 20


def json_lines(
    path: Path, skipped: Skipped, *, advance: Callable[[int], None] = lambda read: None
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The objects of a JSON Lines file: offset, length in bytes, value. Lines that are no object are skipped."""
    with path.open("rb") as file:
        offset = number = 0
        while line := file.readline(LONGEST):
            number += 1
            value = _parsed(line, f"{path}:{number}", skipped) if line.strip() else None
            if value is not None:
                yield offset, len(line), value
            offset += len(line)
            advance(len(line))


def piece(path: Path, offset: int, length: int) -> Any:
    """The value that `json_lines` or `elements` found at a place."""
    with path.open("rb") as file:
        file.seek(offset)
        return json.loads(file.read(length))


def elements(path: Path, skipped: Skipped, *, chunk: int = CHUNK) -> Iterator[tuple[int, int, Any]]:
    """The elements of a file that is one array, or the one object that it is: offset, length in bytes, value.

    Everything after a syntax error is skipped. The file is read as Latin-1, in which a character is a byte: elements
    end at the same places as in UTF-8.
    """
    decoder = json.JSONDecoder()
    with path.open("rb") as file:
        text, base, position, more = file.read(chunk).decode("latin-1"), 0, 0, chunk
        begins = text.lstrip("\xef\xbb\xbf \t\r\n")[:1]
        if begins == "{":
            yield from _whole(path, skipped)
        elif begins != "[":
            skipped.add(str(path), "neither a conversation nor an array of them")
        if begins != "[":
            return
        position = text.index("[") + 1
        while True:
            position = _after_blanks(text, position)
            if text[position : position + 1] == "]":
                return
            try:
                _, end = decoder.raw_decode(text, position)
                if end == len(text):
                    raise ValueError("it ends too early")  # of a number there may be more
            except (ValueError, RecursionError) as error:
                text, base, position = text[position:], base + position, 0
                added = file.read(more).decode("latin-1")
                more = min(2 * more, LONGEST)  # a long element is not tried again for each small piece
                if not added or len(text) > LONGEST:
                    skipped.add(f"{path} at byte {base}", str(error))
                    return
                text += added
                continue
            try:
                yield base + position, end - position, json.loads(text[position:end].encode("latin-1"))
            except UnicodeDecodeError:
                skipped.add(f"{path} at byte {base + position}", "not UTF-8")
            position, more = end, chunk


def _whole(path: Path, skipped: Skipped) -> Iterator[tuple[int, int, Any]]:
    size = path.stat().st_size
    value = _parsed(path.read_bytes(), str(path), skipped) if size <= LONGEST else None
    if value is not None:
        yield 0, size, value


def _after_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in ", \t\r\n":
        position += 1
    return position


def _parsed(line: bytes, where: str, skipped: Skipped) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        skipped.add(where, "not JSON" if isinstance(error, ValueError) else "nested too deep")
        return None
    if not isinstance(value, dict):
        skipped.add(where, "not an object")
        return None
    return value
