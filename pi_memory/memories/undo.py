"""Changes of memories as events record them, and their inverse. Pure.

An event records, for each memory, the fields that changed. The fields of an added memory are in its row; when it is
undone, its interval becomes empty.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.store.events import Event
from pi_memory.types import Memory

ADDED = "memory.added"
UNDONE = "memory.undone"
SETTLED = "memory.settled"
"""Somebody said of a conflict that both memories hold, which changes neither."""
FIELDS = ("content", "quote", "type", "namespace", "priority", "topics", "valid_to", "superseded_by")
"""Fields of a memory that events record and undo can restore."""
TEXTS = ("content", "quote", "topics")


class Change(Struct, frozen=True):
    """A field of a memory, before and after."""

    memory_id: int
    field: str
    before: Any
    after: Any


def subject(memory_id: int) -> str:
    """The subject of events about a memory."""
    return f"memory:{memory_id}"


def memory_id(event: Event) -> int:
    """The memory of an event's subject."""
    return int(event.subject.removeprefix("memory:"))


def favours(event: Event, number: int) -> bool:
    """Whether an event ended memories in favour of this one."""
    return any(fields.get("superseded_by") == number for fields in (event.after or {}).values())


def between(before: Memory, after: Memory) -> list[Change]:
    """The changes that turn one memory into the other."""
    pairs = ((field, getattr(before, field), getattr(after, field)) for field in FIELDS)
    return [Change(before.id, field, old, new) for field, old, new in pairs if old != new]


def sides(changes: Iterable[Change]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """The changes as an event's `before` and `after`: fields by memory id."""
    before: dict[str, dict[str, Any]] = {}
    after: dict[str, dict[str, Any]] = {}
    for change in changes:
        before.setdefault(str(change.memory_id), {})[change.field] = change.before
        after.setdefault(str(change.memory_id), {})[change.field] = change.after
    return before, after


def changes(event: Event, memories: Mapping[int, Memory]) -> list[Change]:
    """The changes that an event records; none if they were erased from it."""
    if event.kind == ADDED:
        memory = memories[memory_id(event)]
        return [Change(memory.id, "valid_to", memory.valid_from, None)]
    return [
        Change(int(number), field, _value(field, old), _value(field, (event.after or {})[number][field]))
        for number, fields in (event.before or {}).items()
        for field, old in fields.items()
    ]


def inverse(event: Event, memories: Mapping[int, Memory]) -> list[Change]:
    """The changes that take an event back, of the memories that are not forgotten."""
    return [
        Change(change.memory_id, change.field, change.after, change.before)
        for change in changes(event, memories)
        if memories[change.memory_id].forgotten_at is None
    ]


def changed_since(wanted: Sequence[Change], memories: Mapping[int, Memory]) -> Change | None:
    """The first of the wanted changes whose field has changed since."""
    return next(
        (change for change in wanted if getattr(memories[change.memory_id], change.field) != change.before), None
    )


def touches(event: Event, change: Change) -> bool:
    """Whether an event changed the same field of the same memory."""
    return change.field in (event.after or {}).get(str(change.memory_id), {})


def applied(wanted: Iterable[Change], memories: Mapping[int, Memory]) -> dict[int, Memory]:
    """The memories after the changes, by id."""
    made: dict[int, Memory] = {}
    for change in wanted:
        memory = made.get(change.memory_id, memories[change.memory_id])
        made[change.memory_id] = replace(memory, **{change.field: change.after})
    return made


def _value(field: str, value: Any) -> Any:
    return tuple(value) if field == "topics" else value
