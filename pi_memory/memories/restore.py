"""Import of an export of memories: all of it, or nothing.

Free ids are kept. What is already here is recognised by id and store, and stays as it is: the same import twice adds
nothing.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.embedding.quantized import is_unit
from pi_memory.errors import Forgotten, RequestError
from pi_memory.memories import changes, undo
from pi_memory.memories.export import FORMAT, VERSION, EventLine, ExportLine, Fields, Header, MemoryLine
from pi_memory.memories.validation import checked
from pi_memory.store import erasure, events, imports, memories, tombstones
from pi_memory.store.events import Event
from pi_memory.store.memories import Embedding
from pi_memory.types import Candidate, Memory

NumberedLine = tuple[int, bytes]
"""A line and its number, from 1."""

Sides = tuple[dict[str, Any] | None, ...]
"""`before` and `after` of an event."""

CHECKED = ("content", "quote", "type", "namespace", "priority", "topics")
AGAIN = "Export again: nothing was imported."


class Counts(msgspec.Struct):
    """The result of an import. `known` were here already; `forgotten` were left out."""

    memories: int = 0
    known: int = 0
    forgotten: int = 0
    events: int = 0
    tombstones: int = 0


class Restored(msgspec.Struct):
    """An import under way: their ids to ours; None for what was left out.

    `born` are those of our ids whose history begins in the file.
    """

    store: str
    is_ours: bool
    skip_forgotten: bool
    counts: Counts = msgspec.field(default_factory=Counts)
    ids: dict[int, int | None] = msgspec.field(default_factory=dict)
    new: dict[int, None] = msgspec.field(default_factory=dict)
    events: dict[int, int] = msgspec.field(default_factory=dict)
    born: set[int] = msgspec.field(default_factory=set)
    superseded: dict[int, int] = msgspec.field(default_factory=dict)


def is_export(line: bytes) -> bool:
    """Whether a file's first line is that of an export of memories."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and "format" in found


def restore(db: Database, lines: Iterator[NumberedLine], *, skip_forgotten: bool = False) -> Restored:
    """Import an export. Raises `RequestError`, naming the line; then the transaction must be rolled back."""
    number, first = next(lines, (1, b""))
    header = _decoded(number, first, Header)
    if (header.format, header.version) != (FORMAT, VERSION):
        raise RequestError(
            f"line {number}: {header.format} version {header.version}; this release reads version {VERSION}", hint=AGAIN
        )
    done = Restored(header.store, imports.adopt(db, header.store), skip_forgotten)
    for number, line in _body(lines):
        try:
            _take(db, line, done)
        except RequestError as error:
            raise type(error)(f"line {number}: {error.message}", hint=error.hint) from error
    _link(db, done)
    for number in done.new.keys() - done.born:
        events.add(db, Event(header.exported_at, undo.ADDED, undo.subject(number), "import"))
    return done


def _body(lines: Iterator[NumberedLine]) -> Iterator[tuple[int, ExportLine]]:
    """The lines between header and end. Raises `RequestError` when some are missing."""
    number, ended = 1, False
    for number, text in lines:
        if ended:
            raise RequestError(f"line {number}: there is more behind the end", hint="Import one export at a time.")
        line = _decoded(number, text, ExportLine)
        if line.end is not None and line.end != number - 1:
            raise RequestError(f"line {number}: {line.end} lines were written, {number - 1} are here", hint=AGAIN)
        ended = line.end is not None
        yield number, line
    if not ended:
        raise RequestError(f"line {number}: the end is missing, the file was cut", hint=AGAIN)


def _take(db: Database, line: ExportLine, done: Restored) -> None:
    if line.memory is not None:
        _take_memory(db, line.memory, done)
    if line.tombstone is not None:
        made = line.tombstone
        done.counts.tombstones += tombstones.put(db, (made.at, made.salt, made.hash))
    if line.event is not None:
        _take_event(db, line.event, done)


def _take_memory(db: Database, theirs: MemoryLine, done: Restored) -> None:
    if theirs.id in done.ids:
        raise RequestError(f"id: {theirs.id} is there twice", hint=AGAIN)
    if _is_forgotten(db, (theirs.content, theirs.quote), done):
        done.ids[theirs.id] = None
        done.counts.forgotten += 1
        return
    taken = memories.get(db, theirs.id)
    known = imports.find(db, done.store, theirs.id)
    if done.is_ours and taken is not None and taken.created_at == theirs.created_at:
        known = taken.id
    if known is not None:
        done.ids[theirs.id] = known
        done.counts.known += 1
        return
    number = _put(db, theirs, number=0 if taken else theirs.id)
    if not done.is_ours or number != theirs.id:
        imports.note(db, done.store, theirs.id, number)
    done.ids[theirs.id] = number
    done.new[number] = None
    done.counts.memories += 1
    if theirs.superseded_by is not None:
        done.superseded[number] = theirs.superseded_by


def _put(db: Database, theirs: MemoryLine, *, number: int) -> int:
    """Store a line and return its id: its own, or with 0 the next one."""
    fields = {name: getattr(theirs, name) for name in Memory.__struct_fields__}
    if theirs.forgotten_at is None:
        fields |= _checked({name: fields[name] for name in (*CHECKED, "source")})
    elif theirs.content or theirs.quote or theirs.topics:
        raise RequestError("content: a forgotten memory has none", hint=AGAIN)
    vector = None
    if theirs.vector is not None and theirs.space is not None:
        vector = Embedding(theirs.space, theirs.vector)
        changes.refuse_size(db, vector)
        if not is_unit(vector.packed):
            raise RequestError("vector: not of unit length", hint=AGAIN)
    evidence = theirs.exchange_id if erasure.is_evidence(db, theirs.exchange_id, theirs.quote) else None
    memory = Memory(**{**fields, "id": number, "superseded_by": None, "exchange_id": evidence})
    return memories.put(db, memory, embedding=vector).id


def _take_event(db: Database, theirs: EventLine, done: Restored) -> None:
    """Store an event, as far as it concerns memories that this import added."""
    if theirs.memory not in done.ids:
        raise RequestError(f"memory: {theirs.memory} was not in a line before", hint=AGAIN)
    if not theirs.kind.startswith("memory."):
        raise RequestError("kind: no memory's", hint=AGAIN)
    number = done.ids[theirs.memory]
    if number not in done.new:
        return
    before, after = _ours(db, theirs, done)
    undoes = None if theirs.undoes is None else done.events.get(theirs.undoes)
    event = Event(theirs.at, theirs.kind, undo.subject(number), theirs.origin, before, after, theirs.id, undoes)
    done.events[theirs.id] = events.add(db, event)
    if event.kind == undo.ADDED:
        done.born.add(number)
    done.counts.events += 1


def _ours(db: Database, theirs: EventLine, done: Restored) -> Sides:
    """The sides of an event under our ids, without memories that were left out and without forgotten texts."""
    if theirs.before is None and theirs.after is None:
        return None, None
    before, after = (_stored_fields(side or {}) for side in (theirs.before, theirs.after))
    if _shape(before) != _shape(after):
        raise RequestError("event: before and after do not fit", hint=AGAIN)
    kept = []
    for their_id in before:
        sides = (before[their_id], after[their_id])
        texts = tuple(side.get(name, "") for side in sides for name in ("content", "quote"))
        if done.ids.get(their_id) is not None and not _is_forgotten(db, texts, done):
            kept.append(their_id)
    return tuple({str(done.ids[n]): _linked(side[n], done) for n in kept} for side in (before, after))


def _stored_fields(side: dict[int, Fields]) -> dict[int, dict[str, Any]]:
    """The fields as they are stored. Raises `RequestError` for fields that no memory has."""
    stored = {their_id: msgspec.to_builtins(fields) for their_id, fields in side.items()}
    for fields in stored.values():
        _checked({name: value for name, value in fields.items() if name in CHECKED})
    return stored


def _shape(side: dict[int, dict[str, Any]]) -> dict[int, set[str]]:
    return {their_id: set(fields) for their_id, fields in side.items()}


def _linked(fields: dict[str, Any], done: Restored) -> dict[str, Any]:
    if fields.get("superseded_by") is None:
        return fields
    return fields | {"superseded_by": done.ids.get(fields["superseded_by"])}


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of a candidate in their normal form. Raises `RequestError`."""
    fit = checked(Candidate(**{"content": "x", **fields}))
    return {name: getattr(fit, name) for name in fields}


def _is_forgotten(db: Database, texts: tuple[str, ...], done: Restored) -> bool:
    """Whether a line states something forgotten. Raises `Forgotten` unless such lines are to be left out."""
    try:
        changes.refuse_forgotten(db, *texts)
    except Forgotten as error:
        if not done.skip_forgotten:
            raise Forgotten(error.message, hint="With skip_forgotten=1 all else is imported.") from error
        return True
    return False


def _link(db: Database, done: Restored) -> None:
    """Link superseded memories, once every memory has its id."""
    for number, theirs in done.superseded.items():
        memory = changes.get(db, number)
        memories.update(db, memory, replace(memory, superseded_by=done.ids.get(theirs)))


def _decoded(number: int, text: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"line {number}: {error}", hint=AGAIN) from error
