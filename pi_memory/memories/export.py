"""Export: every memory with its history, as JSON Lines that this or another store can import.

The first line says what it is, the last one how many lines precede it, which reveals a truncated file.
"""

from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO

import msgspec
from msgspec import Meta
from sqlite_utils import Database

from pi_memory.memories import undo
from pi_memory.store import events, imports, memories, tombstones
from pi_memory.types import MemoryType, Priority

FORMAT = "pi-memory memories"
VERSION = 1

Id = Annotated[int, Meta(gt=0, lt=2**30)]
"""Ids are 32 bits in RAM, and later ids need room above them."""
Count = Annotated[int, Meta(ge=0, lt=2**31)]
Time = Annotated[float, Meta(ge=0, lt=253_402_300_800)]
"""A Unix time before the year 10000."""
Name = Annotated[str, Meta(max_length=200)]


class Header(msgspec.Struct, forbid_unknown_fields=True):
    format: Name
    version: int
    store: Name
    exported_at: Time


class MemoryLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A memory as it is stored; `vector` is packed, in `space`."""

    id: Id
    content: str
    type: MemoryType
    namespace: str
    priority: Priority
    source: str
    created_at: Time
    updated_at: Time
    last_accessed_at: Time
    valid_from: Time
    valid_to: Time | None = None
    superseded_by: Id | None = None
    accesses: Count = 0
    quote: str = ""
    exchange_id: Id | None = None
    topics: tuple[str, ...] = ()
    forgotten_at: Time | None = None
    space: Name | None = None
    vector: bytes | None = None


class TombstoneLine(msgspec.Struct, forbid_unknown_fields=True):
    at: Time
    salt: bytes
    hash: bytes


class Fields(msgspec.Struct, forbid_unknown_fields=True):
    """The fields of a memory that an event changed."""

    content: str | msgspec.UnsetType = msgspec.UNSET
    quote: str | msgspec.UnsetType = msgspec.UNSET
    type: MemoryType | msgspec.UnsetType = msgspec.UNSET
    namespace: str | msgspec.UnsetType = msgspec.UNSET
    priority: Priority | msgspec.UnsetType = msgspec.UNSET
    topics: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    valid_to: Time | msgspec.UnsetType | None = msgspec.UNSET
    superseded_by: Id | msgspec.UnsetType | None = msgspec.UNSET


class EventLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    id: Id
    at: Time
    kind: Name
    memory: Id
    origin: Name
    before: dict[Id, Fields] | None = None
    after: dict[Id, Fields] | None = None
    undoes: Id | None = None


class ExportLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One line of an export."""

    memory: MemoryLine | None = None
    tombstone: TombstoneLine | None = None
    event: EventLine | None = None
    end: Count | None = None


def export(db: Database, file: BinaryIO, at: float) -> None:
    """Write all memories, tombstones and events to `file`."""
    file.write(_encoded(Header(FORMAT, VERSION, imports.store_id(db), at)))
    count = 1
    for line in _lines(db):
        file.write(_encoded(line))
        count += 1
    file.write(_encoded(ExportLine(end=count)))


def _lines(db: Database) -> Iterator[ExportLine]:
    for memory in memories.every(db):
        fields: dict[str, Any] = {name: getattr(memory, name) for name in memory.__struct_fields__}
        if (found := memories.embedding_of(db, memory.id)) is not None:
            fields |= {"space": found.space, "vector": found.packed}
        yield ExportLine(memory=MemoryLine(**fields))
    for made in tombstones.every(db):
        yield ExportLine(tombstone=TombstoneLine(*made))
    for event in events.oldest_first(db, kind="memory."):
        yield ExportLine(event=_event(event))


def _event(event: events.Event) -> EventLine:
    before, after = _fields(event.before), _fields(event.after)
    memory = undo.memory_id(event)
    return EventLine(event.id, event.at, event.kind, memory, event.origin, before, after, event.undoes)


def _fields(side: Any) -> dict[int, Fields] | None:
    return msgspec.convert(side, dict[int, Fields] | None, strict=False)


def _encoded(line: msgspec.Struct) -> bytes:
    return msgspec.json.encode(line) + b"\n"
