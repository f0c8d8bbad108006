"""What became of a memory, as its events tell it."""

from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from pi_memory.memories import changes, undo
from pi_memory.store import events
from pi_memory.store.events import Event


@dataclass(frozen=True, slots=True)
class Told:
    """A memory's event, with what it changed of that memory. `before` is None for the one that added it."""

    event: Event
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def history(db: Database, number: int) -> list[Told]:
    """The events of a memory, newest first. Raises `NotFound`."""
    memory = changes.get(db, number)
    told = []
    for event in events.of_memory(db, number):
        if event.kind == undo.ADDED and event.subject == undo.subject(number):
            shown = {field: getattr(memory, field) for field in undo.FIELDS}
            told.append(Told(event, None, None if memory.forgotten_at else shown))
            continue
        before, after = ((side or {}).get(str(number)) for side in (event.before, event.after))
        memory = replace(memory, **(before or {}))
        told.append(Told(event, before, after))
    return told
