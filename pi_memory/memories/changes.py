"""Changes of memories in the database, each with its event, inside the caller's transaction.

Every path by which a text becomes a memory leads through here, so that none lets in what was forgotten.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.errors import Conflict, Forgotten, NotFound, RequestError
from pi_memory.memories import undo
from pi_memory.store import conflicts, events, exchanges, memories, tombstones
from pi_memory.store.events import Event
from pi_memory.store.memories import Embedding
from pi_memory.text.fact import states
from pi_memory.types import Candidate, Memory

AGAIN = 'What was forgotten is not stored again; only you can let it in: POST /memories with "anyway": true.'


class Cause(Struct, frozen=True):
    """The origin and time of a change, and the event that it takes back, if it is an undo."""

    origin: str
    at: float
    undoes: int | None = None


def add(db: Database, candidate: Candidate, cause: Cause, *, embedding: Embedding | None = None) -> Memory:
    """Insert a memory. Raises `Forgotten`, also when the exchange that it rests on was erased meanwhile, and
    `RequestError` for a vector of the wrong size.
    """
    refuse_forgotten(db, candidate.content, candidate.quote)
    if candidate.exchange_id is not None and not exchanges.several(db, [candidate.exchange_id]):
        raise Forgotten("What this rests on was erased", hint=AGAIN)
    refuse_size(db, embedding)
    memory = memories.add(db, candidate, cause.at, embedding=embedding)
    events.add(db, Event(cause.at, undo.ADDED, undo.subject(memory.id), cause.origin))
    return memory


def save(db: Database, kind: str, before: Sequence[Memory], after: Mapping[int, Memory], cause: Cause) -> list[Memory]:
    """Store changed memories with one event, filed under the first. Raises `Forgotten`. Returns those that changed.

    Conflicts of a memory are settled at the time of an event that changes what it says, and open again with its undo.
    """
    changes = [change for memory in before for change in undo.between(memory, after[memory.id])]
    found = []
    for old in before:
        if any(change.memory_id == old.id for change in changes):
            new = replace(after[old.id], updated_at=cause.at)
            if (old.content, old.quote) != (new.content, new.quote) or new.is_valid:
                refuse_forgotten(db, new.content, new.quote)
            memories.update(db, old, new)
            if old.content != new.content:
                conflicts.settle_about(db, old.id, cause.at)
            found.append(new)
    if found:
        was, now = undo.sides(changes)
        subject = undo.subject(before[0].id)
        events.add(db, Event(cause.at, kind, subject, cause.origin, was, now, undoes=cause.undoes))
    return found


def get(db: Database, number: int) -> Memory:
    """A memory by id. Raises `NotFound`."""
    memory = memories.get(db, number)
    if memory is None:
        raise NotFound(f"There is no memory {number}", hint="GET /memories lists them.")
    return memory


def valid(db: Database, number: int) -> Memory:
    """A memory that may be changed. Raises `NotFound`, `Forgotten`, and `Conflict` for one that no longer holds."""
    memory = get(db, number)
    if memory.forgotten_at is not None:
        raise Forgotten(f"Memory {number} was forgotten", hint="What was forgotten stays so; add a new memory.")
    if not memory.is_valid:
        raise Conflict(f"Memory {number} no longer holds", hint="Undo what closed it first; see its history.")
    return memory


def take_back(
    db: Database, number: int, cause: Cause, *, dry_run: bool = False
) -> tuple[list[undo.Change], list[Memory]]:
    """Undo an event. Returns the changes and the resulting memories. Raises `NotFound`, `Conflict`, `Forgotten`."""
    event = _of_memory(db, number)
    if event.kind == undo.SETTLED:
        _open_again(db, event, replace(cause, undoes=number), dry_run=dry_run)
        return [], []
    touched = {int(key) for key in event.before or {}} | {undo.memory_id(event)}
    known = {memory.id: memory for memory in memories.several(db, sorted(touched))}
    wanted = undo.inverse(event, known)
    if not wanted and event.kind == undo.UNDONE and event.before is None:
        raise Conflict(f"Event {number} opened a conflict again", hint="Settle it: GET /memories/conflicts.")
    if not wanted:
        raise Forgotten(f"Event {number} is about what was forgotten", hint="It cannot be brought back.")
    stale = undo.changed_since(wanted, known)
    if stale is not None:
        raise _changed_since(db, event, stale)
    after = {**known, **undo.applied(wanted, known)}
    first = undo.memory_id(event)
    before = sorted((m for m in known.values() if m.forgotten_at is None), key=lambda m: (m.id != first, m.id))
    for memory in before:
        refuse_forgotten(db, after[memory.id].content, after[memory.id].quote)
    if dry_run:
        return wanted, []
    saved = save(db, undo.UNDONE, before, after, replace(cause, undoes=number))
    conflicts.reopen(db, sorted(touched), event.at)
    for old in before:
        if not old.is_valid and after[old.id].is_valid:
            memories.touch(db, old.id, cause.at)  # or it would be closed again for its weakness
    return wanted, saved


def _open_again(db: Database, event: Event, cause: Cause, *, dry_run: bool) -> None:
    """Take back that somebody said of two memories that both hold. Raises `Conflict`."""
    subject = undo.memory_id(event)
    if not conflicts.settled(db, subject, event.at):
        raise Conflict(f"The conflict of event {event.id} is open again", hint="GET /memories/conflicts lists it.")
    if not dry_run:
        conflicts.reopen(db, [subject], event.at)
        events.add(db, Event(cause.at, undo.UNDONE, event.subject, cause.origin, undoes=cause.undoes))


def refuse_forgotten(db: Database, *texts: str) -> None:
    """Raises `Forgotten` when a text states what was forgotten, in any wording or person."""
    buried = tombstones.load(db)
    if buried and any(states(text, buried) for text in texts):
        raise Forgotten("This was to be forgotten", hint=AGAIN)


def refuse_size(db: Database, embedding: Embedding | None) -> None:
    """Raises `RequestError` for a vector of another size than its space."""
    if embedding is None:
        return
    known = memories.dimensions(db, embedding.space)
    if embedding.dimensions < 1 or known not in (None, embedding.dimensions):
        raise RequestError(
            f"vector: {embedding.dimensions} numbers, but {known or 'at least 1'} in {embedding.space}",
            hint="Embed the content again with the embedder that is named.",
        )


def _of_memory(db: Database, number: int) -> Event:
    event = events.get(db, number)
    if event is None:
        raise NotFound(f"There is no event {number}", hint="GET /events lists them.")
    if not event.kind.startswith("memory."):
        raise Conflict(f"Event {number} is no memory's", hint="Only changes of memories can be undone.")
    return event


def _changed_since(db: Database, event: Event, stale: undo.Change) -> Conflict:
    later = events.listed(db, kind="memory.", limit=-1)
    latest = next((other for other in later if other.id > event.id and undo.touches(other, stale)), None)
    first = f"Undo event {latest.id} first." if latest else "Change it by hand."
    return Conflict(f"Memory {stale.memory_id} was changed again after event {event.id} ({stale.field})", hint=first)


class PastChange(Struct, frozen=True):
    """An event of a memory with its changes of that memory. `before` is None for the event that added it."""

    event: Event
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def history(db: Database, number: int) -> list[PastChange]:
    """The events of a memory, newest first. Raises `NotFound`."""
    memory = get(db, number)
    found = []
    for event in events.of_memory(db, number):
        if event.kind == undo.ADDED and event.subject == undo.subject(number):
            shown = {field: getattr(memory, field) for field in undo.FIELDS}
            found.append(PastChange(event, None, None if memory.forgotten_at else shown))
            continue
        before, after = ((side or {}).get(str(number)) for side in (event.before, event.after))
        memory = replace(memory, **(before or {}))
        found.append(PastChange(event, before, after))
    return found
