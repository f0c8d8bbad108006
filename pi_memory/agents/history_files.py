"""Finds history in files and folders.

The format is recognised by the content: an agent's log, conversations in JSON Lines or in one list, a transcript.
"""

from collections.abc import Iterable, Iterator
from errno import EINVAL
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pi_memory.agents import chat_exports, claude_log, transcript
from pi_memory.agents.history import Advance, Exchange, Read, Skipped, Source, time_of
from pi_memory.agents.json_lines import elements, json_lines, piece

LINES = (".jsonl", ".ndjson")
SUFFIXES = (*LINES, ".json", ".md", ".markdown", ".txt")
PEEK = 50
"""Most lines before the first that identifies the format."""


def found(paths: Iterable[Path], skipped: Skipped) -> list[Source]:
    """The sessions and conversations in these files, and in the files of these folders."""
    sources: dict[Path, list[Source]] = {}
    for path in paths:
        for file in _files(path):
            try:
                sources[file.resolve()] = _sources(file, skipped, named=file == path)
            except OSError as error:
                skipped.add(str(file), error.strerror or str(error))
    return [source for several in sources.values() for source in several]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)


def _sources(path: Path, skipped: Skipped, *, named: bool) -> list[Source]:
    """The sources in a file. In a folder other files are normal; a file that was `named` should be history."""
    suffix, before = path.suffix.lower(), skipped.count
    if not path.is_file():
        raise OSError(EINVAL, "not a file")
    if suffix in LINES and _is_log(path):
        there = _one(path, partial(_log, path, skipped), peek=partial(_log, path, Skipped()))
    elif suffix in LINES:
        there = _conversations(path, json_lines(path, skipped))
    elif suffix == ".json":
        there = _conversations(path, elements(path, skipped if named else Skipped()))
    else:
        there = _one(path, partial(_transcript, path), peek=partial(_transcript, path))
    if named and not there and skipped.count == before:
        skipped.add(str(path), "no conversation in it")
    return there


def _is_log(path: Path) -> bool:
    return any(claude_log.is_entry(value) for _, _, value in islice(json_lines(path, Skipped()), PEEK))


def _one(path: Path, read: Read, *, peek: Read) -> list[Source]:
    """A source of one session; it is read up to its first exchange, for its time."""
    first = next(peek(lambda read: None), None)
    return [] if first is None else [_source(path, first, path.stat().st_size, read)]


def _conversations(path: Path, places: Iterable[tuple[int, int, Any]]) -> list[Source]:
    sources = []
    for offset, length, value in places:
        first = next(chat_exports.exchanges(value), None) if isinstance(value, dict) else None
        if first is not None:
            sources.append(_source(path, first, length, partial(_conversation, path, offset, length)))
    return sources


def _source(path: Path, first: Exchange, size: int, read: Read) -> Source:
    begins = time_of(first)
    return Source(path, path.stat().st_mtime if begins is None else begins, size, read)


def _log(path: Path, skipped: Skipped, advance: Advance) -> Iterator[Exchange]:
    for exchange in claude_log.exchanges(value for _, _, value in json_lines(path, skipped, advance=advance)):
        yield {**exchange, "session_id": chat_exports.session_id(str(exchange["session_id"]) or path.stem)}


def _conversation(path: Path, offset: int, length: int, advance: Advance) -> Iterator[Exchange]:
    yield from chat_exports.exchanges(piece(path, offset, length))
    advance(length)


def _transcript(path: Path, advance: Advance) -> Iterator[Exchange]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from transcript.exchanges(lines, name=path.name)
    advance(path.stat().st_size)
