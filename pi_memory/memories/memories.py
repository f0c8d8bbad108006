"""The interface of memories: the only place where they change. Every change is stored with its event in one
transaction.
"""

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import sqlite_utils
from msgspec.structs import replace

from pi_memory import decay
from pi_memory.errors import NotFound, RequestError
from pi_memory.event_bus import Events, MemoryChanged, TextForgotten
from pi_memory.memories import changes, forget, undo
from pi_memory.memories.changes import Cause, PastChange
from pi_memory.memories.namespaces import Scope
from pi_memory.memories.redaction import Forgetting, ForgottenTexts, Gone
from pi_memory.memories.validation import checked
from pi_memory.protocols import Clock
from pi_memory.store import conflicts, events, imports, memories, memory_fts, state, tombstones
from pi_memory.store.database import Database
from pi_memory.store.events import Event
from pi_memory.store.memories import Embedding, Filter
from pi_memory.store.tombstones import Tombstone
from pi_memory.tasks import Tasks
from pi_memory.types import Candidate, Memory

if TYPE_CHECKING:
    from pi_memory.memories.restore import Counts, NumberedLine

CHANGED = "memory.changed"
CLOSED = "memory.closed"
FADED = "memory.faded"
SUPERSEDED = "memory.superseded"

CHANGEABLE = ("content", "type", "namespace", "priority", "topics")


class Memories:
    """What was learned, as it is in the database; nothing is cached in RAM.

    `origin` is the cause of a change: `api`, `notice`, `extraction`, `import`, `time`. `durable` changes are on the
    card when the call returns, others within the group's seconds. `events` publishes every change, and what was
    forgotten; `before_forget` is called before the database forgets. `forgotten` holds the
    tombstones.
    """

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        forgotten: ForgottenTexts | None = None,
        events: Events | None = None,
        before_forget: Callable[[], None] = lambda: None,
    ) -> None:
        self.forgotten = forgotten or ForgottenTexts()
        self.events = events or Events()
        self._before_forget = before_forget
        self._db = db
        self._clock = clock
        self._tasks = Tasks()

    async def start(self) -> bool:
        """Load the tombstones. Returns whether a crash interrupted a forgetting before it reached all files: then
        `finished` has to be called after that.
        """
        await self._reload()
        return await self._db.read(partial(state.get, key=forget.UNFINISHED)) is not None

    async def finished(self) -> None:
        """Record that what was forgotten has left all files."""
        await self._db.write(partial(state.drop, key=forget.UNFINISHED), durable=True)

    async def tombstones(self) -> list[Tombstone]:
        """The tombstones: salted hashes of what was forgotten."""
        return await self._db.read(tombstones.every)

    async def finish(self) -> None:
        """Wait until forgetting under way is done."""
        await self._tasks.finish()

    # Reading.

    async def get(self, number: int) -> Memory:
        """A memory by id, also one that no longer holds or was forgotten (without content). Raises `NotFound`."""
        return await self._db.read(partial(changes.get, number=number))

    async def several(self, ids: Sequence[int]) -> list[Memory]:
        """The existing memories among `ids`, by id."""
        return await self._db.read(partial(memories.several, ids=ids))

    async def listed(
        self, which: Filter | None = None, *, limit: int = 50, offset: int = 0
    ) -> tuple[list[Memory], int]:
        """Memories, newest first, and their total number; only those that hold unless `which` says otherwise."""
        found = await self.some(which or Filter(), limit=limit, offset=offset)
        return found, await self._db.read(partial(memories.counted, which=which or Filter()))

    async def some(self, which: Filter, *, limit: int, offset: int = 0) -> list[Memory]:
        """Memories, newest first. Does not count them, which takes as long as reading all."""
        return await self._db.read(partial(memories.listed, which=which, limit=limit, offset=offset))

    async def outlines(self, *, after: int, limit: int) -> list[memories.Outline]:
        """Outlines of the memories that a search looks through."""
        return await self._db.read(partial(memories.outlines, after=after, limit=limit))

    async def search_words(self, match: str, *, limit: int) -> list[tuple[int, float]]:
        """Ids and BM25 (greater is better), best first, also of memories that no longer hold.

        `match` is an FTS5 query without phrases of several words, over contents and quotes.
        """
        return await self._db.write(partial(memory_fts.search, match=match, limit=limit))

    async def like_words(self, match: str, *, limit: int) -> list[int]:
        """Ids as from `search_words`, with memories that are not indexed yet. Writes nothing."""
        return await self._db.read(partial(_like_words, match=match, limit=limit))

    async def vectors(self, space: str, *, after: int = 0, limit: int = 1000) -> list[tuple[int, bytes]]:
        """Ids above `after` and packed vectors of the memories that hold and have one in the space."""
        return await self._db.read(partial(memories.vectors, space=space, after=after, limit=limit))

    async def without_vector(self, space: str, *, limit: int = 32) -> list[tuple[int, str]]:
        """Ids and contents of the memories that hold and have no vector in the embedder's space."""
        return await self._db.read(partial(memories.without_vector, space=space, limit=limit))

    async def said(self, what: str, seen: Scope) -> list[Gone]:
        """Sentences of users that contain all the words of `what`, newest first; of projects only those `seen`."""
        return await self._db.read(partial(forget.said, what=what, seen=seen))

    async def quotes(self, exchange_ids: Sequence[int]) -> dict[int, list[str]]:
        """What memories, also ended ones, rest on of these exchanges, by exchange."""
        return await self._db.read(partial(memories.quotes, exchange_ids=exchange_ids))

    async def history(self, number: int) -> list[PastChange]:
        """The events of a memory, newest first. Raises `NotFound`."""
        return await self._db.read(partial(changes.history, number=number))

    async def beginning(self, number: int) -> Event:
        """The event with which a memory began: that which ended others in its favour, or else its addition. Raises
        `NotFound`.
        """
        found = await self._db.read(partial(events.of_memory, number=number))
        ended = (event for event in found if event.kind == SUPERSEDED and undo.favours(event, number))
        added = (event for event in found if event.kind == undo.ADDED)
        if (event := next(itertools.chain(ended, added), None)) is None:
            raise NotFound(f"There is no memory {number}", hint="GET /memories lists them.")
        return event

    # What happens.

    async def add(
        self, candidate: Candidate, *, origin: str, vector: Embedding | None = None, durable: bool = False
    ) -> Memory:
        """Add a memory. Raises `RequestError`, naming the field, for an invalid one, and `Forgotten`."""
        candidate, cause = checked(candidate), self._cause(origin)
        add = partial(changes.add, candidate=candidate, cause=cause, embedding=vector)
        return await self._published(await self._db.write(add, durable=durable))

    async def let_in(self, *texts: str) -> None:
        """Lift the tombstones of what these texts state, because the user says so. Durable."""
        await self._db.write(partial(forget.let_in, texts=texts), durable=True)
        await self._reload()

    async def refuse_forgotten(self, *texts: str) -> None:
        """Raises `Forgotten` when a text states what was forgotten."""
        await self._db.read(lambda db: changes.refuse_forgotten(db, *texts))

    async def change(self, number: int, *, origin: str, durable: bool = False, **fields: Any) -> Memory:
        """Change fields of `CHANGEABLE`. Raises `NotFound`, `Conflict`, `RequestError`, `Forgotten`."""
        assert set(fields) <= set(CHANGEABLE), fields
        change = partial(_change, number=number, fields=fields, cause=self._cause(origin))
        return await self._published(await self._db.write(change, durable=durable))

    async def close(self, number: int, *, origin: str, durable: bool = False) -> Memory:
        """End the interval of a memory; an ended one stays as it is. Raises `NotFound`."""
        close = partial(_close, number=number, cause=self._cause(origin))
        return await self._published(await self._db.write(close, durable=durable))

    async def supersede(
        self,
        number: int,
        candidate: Candidate,
        *,
        origin: str,
        also: Sequence[int] = (),
        restated: Sequence[tuple[int, str]] = (),
        vector: Embedding | None = None,
        durable: bool = False,
    ) -> Memory:
        """Close a memory, and with it those of `also`, have others say something else, by id, and add the replacement,
        which is returned. One transaction. Raises as `add` and `change` do.
        """
        candidate, cause = checked(candidate), self._cause(origin)
        supersede = partial(
            _supersede, numbers=(number, *also), restated=restated, candidate=candidate, cause=cause, embedding=vector
        )
        *ended, new = await self._db.write(supersede, durable=durable)
        for old in ended:
            await self._published(old)
        return await self._published(new)

    async def doubt(self, newer: int, older: int, chance: float) -> None:
        """Record that one memory may make another untrue: both hold until somebody says which. No event."""
        at = float(int(self._clock()))
        await self._db.write(partial(conflicts.add, newer=newer, older=older, chance=chance, at=at))

    async def conflicts(self) -> list[tuple[conflicts.Doubt, Memory, Memory]]:
        """The open conflicts, newest first, each with its newer and its older memory."""
        return await self._db.read(_conflicts)

    async def settle(self, number: int, holds: int | None, *, origin: str) -> None:
        """Settle a conflict: the memory `holds` ends the other one, or with None both hold. Durable.

        Raises `NotFound`, and `RequestError` for a memory that is none of the two.
        """
        work = partial(_settle, number=number, holds=holds, cause=self._cause(origin))
        ended = await self._db.write(work, durable=True)
        if ended is not None:
            await self._published(ended)

    async def forget(self, number: int, *, origin: str = "api", dry_run: bool = False) -> Forgetting:
        """Erase a memory's fact for good, also from the files, and refuse it from now on. Durable.

        With `dry_run` nothing changes, and the result says what would be erased. Raises `NotFound`.
        """
        return await self._forgetting(partial(forget.forget, number=number, cause=self._cause(origin)), dry_run)

    async def forget_text(self, text: str, *, origin: str = "api", dry_run: bool = False) -> Forgetting:
        """Erase what a text states from all that was said or learned, as `forget` does."""
        return await self._forgetting(partial(forget.forget_text, text=text, cause=self._cause(origin)), dry_run)

    async def erase(self, exchange_ids: Collection[int], *, origin: str = "api", dry_run: bool = False) -> Forgetting:
        """Erase exchanges whole, and forget the memories learned from them, as `forget` does. Raises `NotFound`."""
        work = partial(forget.erase, exchange_ids=exchange_ids, cause=self._cause(origin))
        return await self._forgetting(work, dry_run)

    async def _forgetting(self, work: Callable[[sqlite_utils.Database], Forgetting], dry_run: bool) -> Forgetting:
        if dry_run:
            return await self._db.write(partial(forget.tried, work=work))
        # Done to its end: a row that is erased is not forgotten while a prompt, an index or a file has it.
        return await self._tasks.run(self._forgotten_everywhere(work))

    async def _forgotten_everywhere(self, work: Callable[[sqlite_utils.Database], Forgetting]) -> Forgetting:
        self._before_forget()
        forgetting = await self._db.write(work, durable=True)
        await self._reload()
        for memory in await self.several(forgetting.memory_ids):
            await self._published(memory)
        await self.events.publish(TextForgotten(forgetting.clean, forgetting.exchange_ids, forgetting.erased))
        await self._db.scrub()
        await self.finished()
        return forgetting

    async def _reload(self) -> None:
        buried = await self._db.read(tombstones.load)
        self.forgotten.is_gone = buried or None

    async def undo(self, event_id: int, *, dry_run: bool = False, origin: str = "api") -> list[undo.Change]:
        """Take an event back, which is an event too. Returns the changes, with `dry_run` without making them. Durable.

        Raises `NotFound`, `Conflict` when something was changed again since, `Forgotten`.
        """
        take_back = partial(changes.take_back, number=event_id, cause=self._cause(origin), dry_run=dry_run)
        if dry_run:
            return (await self._db.read(take_back))[0]
        done, changed = await self._db.write(take_back, durable=True)
        for memory in changed:
            await self._published(memory)
        return done

    async def used(self, ids: Sequence[int], at: float | None = None) -> None:
        """Reinforce memories that were put to use. No event: count and time are in the row."""
        if ids:
            await self._db.write(partial(memories.used, ids=ids, at=self._clock() if at is None else at))

    async def link_statements(self, quotes: Sequence[str], exchange_id: int) -> None:
        """Set the source exchange of memories stored before it. No event: nothing visible changes."""
        await self._db.write(partial(memories.link_statements, quotes=quotes, exchange_id=exchange_id))

    async def weaken(self, number: int) -> None:
        """Halve a memory's strength, because it did not help. No event. Raises `NotFound`."""
        await self._db.write(partial(_weaken, number=number))

    async def embedded(self, number: int, vector: Embedding, *, content: str) -> bool:
        """Store the vector of `content`. Returns whether the memory still has that content. Raises `RequestError` for a
        wrong size.
        """
        return await self._db.write(partial(_embed, number=number, vector=vector, content=content))

    async def prune(self, now: float) -> int:
        """Close the memories whose strength is below `decay.GONE`. Returns how many."""
        since = now - decay.gone_at(0, rate=decay.MEMORY_RATE)
        closed = await self._db.write(partial(_prune, since=since, cause=Cause("time", float(int(now)))))
        for memory in closed:
            await self._published(memory)
        return len(closed)

    async def export(self, file: BinaryIO) -> None:
        """Write all memories with their history to `file`, which `restore` can read."""
        from pi_memory.memories.export import export

        await self._db.write(imports.store_id, durable=True)
        await self._db.read(partial(export, file=file, at=self._clock()))

    async def restore(self, lines: Iterator["NumberedLine"], *, skip_forgotten: bool = False) -> "Counts":
        """Import an export, all of it or nothing. Durable. Raises `RequestError`, naming the line, and `Forgotten`."""
        from pi_memory.memories.restore import restore

        done = await self._db.write(partial(restore, lines=lines, skip_forgotten=skip_forgotten), durable=True)
        await self._reload()
        for number in done.new:
            await self._published(await self.get(number))
        return done.counts

    def _cause(self, origin: str) -> Cause:
        # Whole seconds are stored in half the bytes.
        return Cause(origin, float(int(self._clock())))

    async def _published(self, memory: Memory) -> Memory:
        await self.events.publish(MemoryChanged(memory))
        return memory


def strength(memory: Memory, now: float) -> float:
    """0.95 ** days since the last access; 1 for what the user stated."""
    if memory.priority == "highest":
        return 1.0
    return decay.strength(memory.last_accessed_at, now, rate=decay.MEMORY_RATE)


def fades_at(memory: Memory) -> float | None:
    """When a memory no longer holds unless it is used; None for what the user stated, and for what has ended."""
    if memory.priority == "highest" or not memory.is_valid:
        return None
    return decay.gone_at(memory.last_accessed_at, rate=decay.MEMORY_RATE)


def _like_words(db: sqlite_utils.Database, *, match: str, limit: int) -> list[int]:
    return [*(number for number, _ in memory_fts.indexed(db, match, limit=limit)), *memory_fts.unindexed(db)]


def _change(db: sqlite_utils.Database, number: int, *, fields: dict[str, Any], cause: Cause) -> Memory:
    memory = changes.valid(db, number)
    fit = checked(Candidate(**{name: getattr(memory, name) for name in ("quote", "source", *CHANGEABLE)} | fields))
    after = replace(memory, **{name: getattr(fit, name) for name in CHANGEABLE})
    saved = changes.save(db, CHANGED, [memory], {number: after}, cause)
    return saved[0] if saved else memory


def _close(db: sqlite_utils.Database, number: int, *, cause: Cause) -> Memory:
    memory = changes.get(db, number)
    if not memory.is_valid:
        return memory
    return changes.save(db, CLOSED, [memory], {number: _over(memory, cause.at)}, cause)[0]


def _supersede(
    db: sqlite_utils.Database,
    numbers: Sequence[int],
    *,
    restated: Sequence[tuple[int, str]],
    candidate: Candidate,
    cause: Cause,
    embedding: Embedding | None,
) -> list[Memory]:
    """Returns the memories that changed, and the one that holds instead of those that ended."""
    old = [changes.valid(db, number) for number in numbers]
    others = {number: changes.valid(db, number) for number, _ in restated}
    new = changes.add(db, candidate, cause, embedding=embedding)
    # The new one's state before this is an interval of no length, so that undo ends it again.
    unborn = replace(new, valid_to=new.valid_from)
    after = {memory.id: _over(memory, cause.at, new.id) for memory in old} | {new.id: new}
    after |= {number: replace(others[number], content=content) for number, content in restated}
    return changes.save(db, SUPERSEDED, [*old, *others.values(), unborn], after, cause)


def _conflicts(db: sqlite_utils.Database) -> list[tuple[conflicts.Doubt, Memory, Memory]]:
    found = conflicts.listed(db)
    known = {memory.id: memory for memory in memories.several(db, [i for c in found for i in (c.newer, c.older)])}
    return [(conflict, known[conflict.newer], known[conflict.older]) for conflict in found]


def _settle(db: sqlite_utils.Database, *, number: int, holds: int | None, cause: Cause) -> Memory | None:
    """Returns the memory that ended, if one did."""
    conflict = conflicts.get(db, number)
    if conflict is None:
        raise NotFound(f"There is no open conflict {number}", hint="GET /memories/conflicts lists them.")
    if holds not in (None, conflict.newer, conflict.older):
        pair = f"{conflict.newer} or {conflict.older}"
        raise RequestError(f"holds: memory {holds} is not in conflict {number}", hint=f"Give {pair}, or both.")
    conflicts.settle(db, number, cause.at)
    if holds is None:
        events.add(db, Event(cause.at, undo.SETTLED, undo.subject(conflict.newer), cause.origin))
        return None
    other = changes.get(db, conflict.older if holds == conflict.newer else conflict.newer)
    return changes.save(db, SUPERSEDED, [other], {other.id: _over(other, cause.at, holds)}, cause)[0]


def _over(memory: Memory, at: float, superseded_by: int | None = None) -> Memory:
    return replace(memory, valid_to=max(at, memory.valid_from), superseded_by=superseded_by)


def _prune(db: sqlite_utils.Database, *, since: float, cause: Cause) -> list[Memory]:
    return [
        changes.save(db, FADED, [memory], {memory.id: _over(memory, cause.at)}, cause)[0]
        for memory in memories.faded(db, since)
    ]


def _weaken(db: sqlite_utils.Database, *, number: int) -> None:
    memory = changes.get(db, number)
    memories.touch(db, number, memory.last_accessed_at - math.log(0.5, decay.MEMORY_RATE) * decay.DAY)


def _embed(db: sqlite_utils.Database, *, number: int, vector: Embedding, content: str) -> bool:
    changes.refuse_size(db, vector)
    return memories.embed(db, number, vector, content=content)
