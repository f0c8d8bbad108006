"""`GET /export` and `POST /import`: JSON Lines of any length, in bounded memory."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from typing import BinaryIO

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pi_memory.errors import RequestError, StoreError, TooLarge
from pi_memory.http.endpoint import Endpoint, answer, flag
from pi_memory.http.lines import ShownMessages, ShownTaken, conversation
from pi_memory.http.parts import Parts
from pi_memory.knowledge.restore import Counts, Numbered, is_export

IN_RAM = 4 * 2**20
"""Bytes up to which a file stays in RAM, and does not go to the card."""
LONGEST_LINE = 2**24
PIECE = 2**16


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
            async for piece in request.stream():
                file.write(piece)
        except OSError as error:
            raise _no_room(error) from error
        file.seek(0)
        _, first = next(_lines(file), (1, b""))
        if not first:
            raise RequestError(
                "line 1: the file is empty", hint="GET /export makes one; docs/http.md describes another."
            )
        file.seek(0)
        if not is_export(first):
            given = [conversation(line, number) for number, line in _lines(file)]
            extract, wait = flag(request, "extract"), request.query_params.get("wait") != "0"
            added = await parts.conversations.take(given, extract=extract, wait=wait)
            if extract:
                parts.reflect.soon()
            return answer(ShownTaken(ShownMessages(len(given), added)))
        skip = flag(request, "skip_forgotten")
        return answer(ShownImport(await parts.memories.restore(_lines(file), skip_forgotten=skip)))


def _file(parts: Parts) -> BinaryIO:
    """A file without a name, beside the database if there is one."""
    folder = None if parts.db.in_ram else str(parts.settings.data_dir)
    return tempfile.SpooledTemporaryFile(IN_RAM, dir=folder)  # type: ignore[return-value]


def _lines(file: BinaryIO) -> Iterator[Numbered]:
    """Lines that are not empty, with their numbers. Raises `TooLarge`."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise TooLarge(
                f"line {number}: longer than {LONGEST_LINE} bytes", hint="One memory or conversation a line."
            )
        if line.strip():
            yield number, line


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece


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
    ),
    Endpoint(
        "POST",
        "/import",
        take,
        "Take in an export of memories, or conversations, all of it or nothing.",
        answer=ShownImport,
        query={
            "skip_forgotten": "1: leave out what was forgotten here, instead of refusing the file",
            "extract": "1: also learn from the conversations",
            "wait": "0: answer before messages are found by their meaning; their words find them at once",
        },
    ),
]
