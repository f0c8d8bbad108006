"""`GET /export` and `POST /import`: JSON Lines of any length, in bounded memory."""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Iterator
from typing import BinaryIO

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pi_memory.agents.import_conversations import Given
from pi_memory.errors import RequestError, StoreError, TooLarge
from pi_memory.http.endpoint import Endpoint, answer, flag
from pi_memory.http.import_format import ShownMessages, ShownTaken, conversation
from pi_memory.memories.restore import Counts, NumberedLine, is_export
from pi_memory.parts import Parts

IN_RAM = 4 * 2**20
"""Bytes up to which a temporary file stays in RAM, off the card."""
LONGEST_LINE = 2**24
PIECE = 2**16
GROUP_BYTES = 2**18
"""Bytes of conversations that are stored at a time."""
LINE = re.compile(rb"\S[^\n]*")
"""A line that is not blank, from its first character."""


class ShownImport(msgspec.Struct):
    imported: Counts


async def export(request: Request, parts: Parts) -> Response:
    file = _file(parts)
    try:
        await parts.memories.export(file)
    except OSError as error:
        raise _no_room(error) from error
    file.seek(0)
    headers = {"Content-Disposition": 'attachment; filename="pi-memory.jsonl"'}
    return StreamingResponse(_pieces(file), 200, headers, "application/x-ndjson")


async def take(request: Request, parts: Parts) -> Response:
    with _file(parts) as file:
        try:
            await _receive(request, file)
        except OSError as error:
            raise _no_room(error) from error
        if not await parts.worker.run(_begins_export, file):
            return answer(ShownTaken(await _take_conversations(request, parts, file)))
        skip = flag(request, "skip_forgotten")
        return answer(ShownImport(await parts.memories.restore(_lines(file), skip_forgotten=skip)))


async def _receive(request: Request, file: BinaryIO) -> None:
    """Write the body to `file`. Raises `TooLarge` as soon as a line is too long."""
    number, length = 1, 0
    async for piece in request.stream():
        lines = piece.count(b"\n")
        length += piece.index(b"\n") if lines else len(piece)
        if length > LONGEST_LINE:
            raise _too_long(number)
        if lines:
            number, length = number + lines, len(piece) - piece.rindex(b"\n") - 1
        await asyncio.to_thread(file.write, piece)


async def _take_conversations(request: Request, parts: Parts, file: BinaryIO) -> ShownMessages:
    """Import conversations. All lines are checked before the first is stored. If the import breaks off, repeating it
    adds the rest.
    """
    extract, wait = flag(request, "extract"), request.query_params.get("wait") != "0"
    async for group in _groups(parts, file):
        await parts.conversation_import.check(group)
    taken = ShownMessages(0, 0)
    async for group in _groups(parts, file):
        taken.messages += await parts.conversation_import.take(group, extract=extract, wait=wait)
        taken.conversations += len(group)
    if extract:
        parts.reflection.soon()
    return taken


async def _groups(parts: Parts, file: BinaryIO) -> AsyncIterator[list[Given]]:
    lines = _lines(file)
    while group := await parts.worker.run(_group, lines):
        yield group


def _group(lines: Iterator[NumberedLine]) -> list[Given]:
    """The next conversations, about `GROUP_BYTES` and at least one."""
    group, size = [], 0
    while size < GROUP_BYTES and (found := next(lines, None)) is not None:
        number, line = found
        group.append(conversation(line, number))
        size += len(line)
    return group


def _begins_export(file: BinaryIO) -> bool:
    """Whether it is an export of memories. Raises `RequestError` for an empty file."""
    number, first = next(_lines(file), (1, b""))
    if not first:
        hint = "GET /export makes one; docs/http.md describes another."
        raise RequestError(f"line {number}: the file is empty", hint=hint)
    return is_export(first)


def _file(parts: Parts) -> BinaryIO:
    """A temporary file without a name, beside the database if there is one."""
    folder = None if parts.db.in_ram else str(parts.settings.data_dir)
    return tempfile.SpooledTemporaryFile(IN_RAM, dir=folder)  # type: ignore[return-value]


def _lines(file: BinaryIO) -> Iterator[NumberedLine]:
    """The file's lines with their numbers, without blank ones, of which there may be millions.

    Raises `TooLarge`.
    """
    file.seek(0)
    number, length, begun = 1, 0, list[bytes]()
    while piece := file.read(PIECE):
        end = piece.find(b"\n")
        begun.append(piece if end < 0 else piece[:end])
        length += len(begun[-1])
        if length > LONGEST_LINE:
            raise _too_long(number)
        if end < 0:
            continue
        if (line := b"".join(begun)).strip():
            yield number, line
        last = piece.rindex(b"\n")
        for found in LINE.finditer(piece, end, last):
            number, end = number + piece.count(b"\n", end, found.start()), found.start()
            yield number, found[0]
        number += piece.count(b"\n", end, last + 1)
        begun = [piece[last + 1 :]]
        length = len(begun[0])
    if (line := b"".join(begun)).strip():
        yield number, line


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece


def _too_long(number: int) -> TooLarge:
    return TooLarge(f"line {number}: longer than {LONGEST_LINE} bytes", hint="One memory or conversation a line.")


def _no_room(error: OSError) -> StoreError:
    return StoreError(f"The file cannot be kept: {error}", hint="Free some space on the disk of the data directory.")


# The length of what is imported is not bounded: see `http/guard.py`.
ENDPOINTS = [
    Endpoint(
        "GET",
        "/export",
        export,
        "Every memory with its history, as JSON Lines.",
        media_type="application/x-ndjson",
        needs="all",
    ),
    Endpoint(
        "POST",
        "/import",
        take,
        "Take in an export of memories, all of it or nothing; or conversations.",
        answer=ShownImport,
        query={
            "skip_forgotten": "1: leave out what was forgotten here, instead of refusing the file",
            "extract": "1: also learn from the conversations",
            "wait": "0: answer before messages are found by their meaning; their words find them at once",
        },
    ),
]
