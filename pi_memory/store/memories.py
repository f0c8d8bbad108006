"""The tables of memories. Columns that most rows share, and counters that change often, are in tables of their own."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory import decay
from pi_memory.store import memory_fts
from pi_memory.types import Candidate, Memory, MemoryType, Priority

COLUMNS = """memories.id, content, type, namespace, priority, source, created_at, coalesce(updated_at, created_at),
    coalesce(last_accessed_at, created_at), coalesce(valid_from, created_at), valid_to, superseded_by,
    coalesce(accesses, 0), coalesce(quote, ''), exchange_id, topics, forgotten_at"""
JOINED = """memories join memory_labels on memory_labels.id = label_id
    left join memory_uses on memory_uses.id = memories.id"""

LONGEST_TURN = 3_600.0
"""Seconds by which a memory may be older than the exchange it rests on, which is stored after its reply."""
RECENT = 200
"""Number of newest memories among which one is looked up that was stored before its exchange."""


class Embedding(msgspec.Struct, frozen=True):
    """A vector as `Packed.to_bytes` writes it: its scale as float32, then one int8 for each dimension.

    `space` is the embedder's id.
    """

    space: str
    packed: bytes

    @property
    def dimensions(self) -> int:
        return len(self.packed) - 4


LED = f"""(superseded_by is not null
    or label_id in (select id from memory_labels where priority = 'highest')
    or valid_to < {decay.LONGEST} + coalesce(
        (select last_accessed_at from memory_uses where memory_uses.id = memories.id), created_at))"""
FINDABLE = f"forgotten_at is null and (valid_to is null or {LED})"
"""SQL of memories that a search looks through: those that hold, those that were superseded, which lead to what holds in
their place, and those that somebody ended, which lead to what is not true any more. What only faded is still true.
"""


def is_findable(memory: Memory) -> bool:
    """`FINDABLE`, of a memory in RAM."""
    if memory.is_valid or memory.forgotten_at is not None:
        return memory.is_valid
    has_faded = (memory.valid_to or 0.0) >= decay.LONGEST + memory.last_accessed_at and memory.priority != "highest"
    return memory.superseded_by is not None or not has_faded


class Filter(msgspec.Struct, frozen=True):
    """Filters of a list of memories. Each of `namespaces` includes those below it. None filters nothing.

    `before` is above the ids that are listed; all are counted.
    """

    namespaces: tuple[str, ...] | None = None
    type: MemoryType | None = None
    priority: Priority | None = None
    topic: str | None = None
    valid: bool | None = True
    before: int = 2**63 - 1


def add(db: Database, candidate: Candidate, at: float, *, embedding: Embedding | None = None) -> Memory:
    """Insert a new memory at the time `at`."""
    memory = Memory(
        id=0,
        content=candidate.content,
        type=candidate.type,
        namespace=candidate.namespace,
        priority=candidate.priority,
        source=candidate.source,
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
        valid_from=at if candidate.said_at is None else min(at, candidate.said_at),
        quote=candidate.quote,
        exchange_id=candidate.exchange_id,
        topics=candidate.topics,
    )
    return put(db, memory, embedding=embedding)


def put(db: Database, memory: Memory, *, embedding: Embedding | None = None) -> Memory:
    """Insert a memory as it is, under the next free id if its own is 0."""
    values = {**_values(db, memory), **_vector(db, embedding), "id": memory.id or None}
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    cursor = db.execute(f"insert into memories ({names}) values ({marks})", values)
    assert cursor.lastrowid is not None
    memory = replace(memory, id=cursor.lastrowid)
    if memory.accesses or memory.last_accessed_at != memory.created_at:
        _put_uses(db, memory.id, memory.accesses, memory.last_accessed_at)
    memory_fts.added(db, memory.id)
    return memory


def update(db: Database, before: Memory, after: Memory) -> None:
    """Store the changes of a memory. A changed content loses its vector."""
    rewritten = (before.content, before.quote) != (after.content, after.quote)
    values = _values(db, after)
    if before.content != after.content:
        values |= {"space_id": None, "vector": None}
    with memory_fts.changed(db, after.id, rewritten=rewritten):
        sets = ", ".join(f"{name} = :{name}" for name in values)
        db.execute(f"update memories set {sets} where id = :id", {**values, "id": after.id})


def get(db: Database, number: int) -> Memory | None:
    rows = db.execute(f"select {COLUMNS} from {JOINED} where memories.id = ?", (number,)).fetchall()
    return _memory(rows[0]) if rows else None


def several(db: Database, ids: Sequence[int]) -> list[Memory]:
    """The existing memories among `ids`, by id."""
    query = f"""select {COLUMNS} from {JOINED} where memories.id in (select value from json_each(?))
        order by memories.id"""
    return [_memory(row) for row in db.execute(query, (msgspec.json.encode(ids).decode(),)).fetchall()]


def of_exchange(db: Database, exchange_id: int) -> list[Memory]:
    """The memories that rest on an exchange and are not forgotten. Reads those since then only."""
    said = db.execute("select at from exchanges where id = ?", (exchange_id,)).fetchone()
    first = _first_since(db, said[0] - LONGEST_TURN) if said else 0
    query = f"""select {COLUMNS} from {JOINED} where memories.id >= ? and exchange_id = ? and forgotten_at is null
        order by memories.id"""
    return [_memory(row) for row in db.execute(query, (first, exchange_id)).fetchall()]


def replaced(db: Database, ids: Sequence[int]) -> dict[int, list[int]]:
    """The ids of the memories in whose place each of `ids` came, but for what is forgotten."""
    query = """select superseded_by, id from memories where forgotten_at is null
        and superseded_by in (select value from json_each(?)) order by id"""
    found: dict[int, list[int]] = {}
    for newer, older in db.execute(query, (msgspec.json.encode(ids).decode(),)):
        found.setdefault(newer, []).append(older)
    return found


def _first_since(db: Database, at: float) -> int:
    """The first id from which on memories of exchanges were created at `at` or later: their ids grow with the time, as
    those of imported memories do not.
    """
    next_one = "select id, created_at from memories where id > ? and exchange_id is not null order by id limit 1"
    low, high = 0, int(db.execute("select coalesce(max(id), 0) from memories").fetchone()[0])
    while low < high:
        middle = (low + high) // 2
        row = db.execute(next_one, (middle,)).fetchone()
        low, high = (row[0], high) if row and row[1] < at else (low, middle)
    return low


def every(db: Database) -> Iterator[Memory]:
    """All memories by id, including those that no longer hold."""
    return map(_memory, db.execute(f"select {COLUMNS} from {JOINED} order by memories.id"))


def listed(db: Database, which: Filter, *, limit: int, offset: int = 0) -> list[Memory]:
    """Memories, newest first."""
    where, values = _where(which)
    values["before"] = which.before
    query = f"""select {COLUMNS} from {JOINED} where memories.id in (
            select id from memories where {where} and id < :before order by id desc limit :limit offset :offset)
        order by memories.id desc"""
    rows = db.execute(query, {**values, "limit": limit, "offset": offset}).fetchall()
    return [_memory(row) for row in rows]


def counted(db: Database, which: Filter) -> int:
    """The number of memories; reads all of them."""
    where, values = _where(which)
    return int(db.execute(f"select count(*) from memories where {where}", values).fetchone()[0])


class Outline(msgspec.Struct, frozen=True):
    """What RAM holds of a memory: `length` in characters of its content."""

    id: int
    namespace: str
    type: MemoryType
    priority: Priority
    length: int
    is_over: bool


def outlines(db: Database, *, after: int, limit: int) -> list[Outline]:
    """The `FINDABLE` memories above `after`, by id."""
    query = f"""select memories.id, namespace, type, priority, length(content), valid_to is not null from {JOINED}
        where memories.id > ? and {FINDABLE} order by memories.id limit ?"""
    return [Outline(*row) for row in db.execute(query, (after, limit)).fetchall()]


def superseded(db: Database, *, since: float, until: float, limit: int) -> list[tuple[Memory, Memory]]:
    """The memories that were superseded in a time, the last ones first, each with the one in whose place it was."""
    query = """select id, superseded_by from memories where superseded_by is not null and forgotten_at is null
        and valid_to >= ? and valid_to < ? order by valid_to desc, id desc limit ?"""
    pairs = db.execute(query, (since, until, limit)).fetchall()
    known = {memory.id: memory for memory in several(db, [id_ for pair in pairs for id_ in pair])}
    return [(known[old], known[new]) for old, new in pairs if old in known and new in known]


def successors(db: Database, ids: Sequence[int]) -> dict[int, Memory]:
    """The memories that hold in the place of those of `ids` which were superseded, by the ids of these."""
    query = """with recursive chain (first, last) as (
            select id, superseded_by from memories where superseded_by is not null and forgotten_at is null
                and id in (select value from json_each(?))
            union select first, superseded_by from chain join memories on id = last where superseded_by is not null)
        select first, last from chain"""
    steps = db.execute(query, (msgspec.json.encode(ids).decode(),)).fetchall() if ids else []
    holding = {memory.id: memory for memory in several(db, [last for _, last in steps]) if memory.is_valid}
    return {first: holding[last] for first, last in steps if last in holding}


def corrected(db: Database, *, ids: Sequence[int] = (), exchange_ids: Sequence[int] = ()) -> dict[int, list[str]]:
    """The contents of what was superseded by the memories `ids`, by memory; or by those that rest on exchanges, by
    exchange.
    """
    name, wanted = ("id", ids) if ids else ("exchange_id", exchange_ids)
    query = f"""select newer.{name}, older.content from memories newer join memories older
            on older.superseded_by = newer.id and older.forgotten_at is null
        where newer.{name} in (select value from json_each(?)) and newer.valid_to is null"""
    found: dict[int, list[str]] = {}
    for number, content in db.execute(query, (msgspec.json.encode(wanted).decode(),)):
        found.setdefault(number, []).append(content)
    return found


def ended(db: Database, exchange_ids: Sequence[int]) -> dict[int, list[str]]:
    """The sentences of these exchanges that memories rested on which were replaced, ended, or taken back by an undo, by
    exchange. What only faded is still true.
    """
    query = f"""select exchange_id, quote from memories where valid_to is not null and quote != '' and {LED}
        and exchange_id in (select value from json_each(?))"""
    found: dict[int, list[str]] = {}
    for exchange_id, quote in db.execute(query, (msgspec.json.encode(exchange_ids).decode(),)):
        found.setdefault(exchange_id, []).append(quote)
    return found


def used(db: Database, ids: Sequence[int], at: float) -> None:
    """Count a use of each memory, which restores its strength."""
    db.execute(
        """insert into memory_uses (id, accesses, last_accessed_at)
        select id, 1, max(:at, created_at) from memories
        where id in (select value from json_each(:ids)) and forgotten_at is null
        on conflict (id) do update set accesses = accesses + 1,
            last_accessed_at = max(last_accessed_at, excluded.last_accessed_at)""",
        {"at": at, "ids": msgspec.json.encode(list(ids)).decode()},
    )


def resting(db: Database, exchange_ids: Sequence[int]) -> list[tuple[int, int, str]]:
    """The valid memories that rest on sentences of these exchanges: ids, exchanges, quotes in one line."""
    query = """select id, exchange_id, quote from memories where valid_to is null and quote != ''
        and exchange_id in (select value from json_each(?))"""
    rows = db.execute(query, (msgspec.json.encode(exchange_ids).decode(),))
    return [(id_, exchange, " ".join(quote.split())) for id_, exchange, quote in rows]


def quotes(db: Database, exchange_ids: Sequence[int]) -> dict[int, list[str]]:
    """What memories, also ended ones, rest on of these exchanges, by exchange."""
    query = """select exchange_id, quote from memories where quote != ''
        and exchange_id in (select value from json_each(?))"""
    found: dict[int, list[str]] = {}
    for exchange, quote in db.execute(query, (msgspec.json.encode(exchange_ids).decode(),)):
        found.setdefault(exchange, []).append(quote)
    return found


def used_by_quote(db: Database, shown: Mapping[int, str], at: float) -> None:
    """Count a use of each memory whose quote stands in what was shown of its exchange, by exchange."""
    rows = resting(db, list(shown))
    used(db, [id_ for id_, exchange, quote in rows if quote in shown[exchange]], at)


def link_statements(db: Database, quotes: Sequence[str], exchange_id: int) -> None:
    """Set the source exchange of memories that were stored before it existed."""
    db.execute(
        """update memories set exchange_id = :exchange where id > (select max(id) - :recent from memories)
        and exchange_id is null and quote in (select value from json_each(:quotes))""",
        {"exchange": exchange_id, "recent": RECENT, "quotes": msgspec.json.encode(quotes).decode()},
    )


def touch(db: Database, number: int, at: float) -> None:
    """Restore a memory's strength without counting a use."""
    accesses = db.execute("select coalesce(max(accesses), 0) from memory_uses where id = ?", (number,)).fetchone()[0]
    _put_uses(db, number, accesses, at)


def faded(db: Database, since: float) -> list[Memory]:
    """Valid memories last accessed before `since`, except those of the highest priority."""
    query = f"""select {COLUMNS} from {JOINED} where valid_to is null and forgotten_at is null
        and priority != 'highest' and coalesce(last_accessed_at, created_at) < ? order by memories.id"""
    return [_memory(row) for row in db.execute(query, (since,)).fetchall()]


def embed(db: Database, number: int, embedding: Embedding, *, content: str) -> bool:
    """Store the vector of `content`. Returns whether the memory still has that content."""
    values = {**_vector(db, embedding), "id": number, "content": content}
    query = """update memories set space_id = :space_id, vector = :vector
        where id = :id and content = :content and forgotten_at is null"""
    return db.execute(query, values).rowcount > 0


def embedding_of(db: Database, number: int) -> Embedding | None:
    query = "select name, vector from memories join spaces on spaces.id = space_id where memories.id = ?"
    row = db.execute(query, (number,)).fetchone()
    return Embedding(*row) if row else None


def vectors(db: Database, space: str, *, after: int = 0, limit: int = 1000) -> list[tuple[int, bytes]]:
    """Ids above `after` and packed vectors of the `FINDABLE` memories with a vector in `space`, by id."""
    query = f"""select memories.id, vector from memories join spaces on spaces.id = space_id
        where name = ? and memories.id > ? and {FINDABLE}
        order by memories.id limit ?"""
    return db.execute(query, (space, after, limit)).fetchall()


def without_vector(db: Database, space: str, *, limit: int = 32) -> list[tuple[int, str]]:
    """Ids and contents of the `FINDABLE` memories without a vector in `space`."""
    query = f"""select memories.id, content from memories left join spaces on spaces.id = space_id
        where name is not ? and {FINDABLE} order by memories.id limit ?"""
    return db.execute(query, (space, limit)).fetchall()


def dimensions(db: Database, space: str) -> int | None:
    """Dimensions of the vectors in a space; None for a new space."""
    row = db.execute("select dimensions from spaces where name = ?", (space,)).fetchone()
    return row[0] if row else None


def _where(which: Filter) -> tuple[str, dict[str, object]]:
    """A condition on `memories` alone: what rows share is looked up first."""
    parts, labels = ["1"], ["1"]
    values: dict[str, object] = {"type": which.type, "priority": which.priority}
    if which.namespaces is not None:
        values["roots"] = msgspec.json.encode(which.namespaces).decode()
        labels.append(
            """exists (select 1 from json_each(:roots)
            where namespace = value or substr(namespace, 1, length(value) + 1) = value || '/')"""
        )
    labels += [f"{name} = :{name}" for name in ("type", "priority") if values[name] is not None]
    if len(labels) > 1:
        parts.append(f"label_id in (select id from memory_labels where {' and '.join(labels)})")
    if which.topic is not None:
        values["topic"] = msgspec.json.encode(which.topic).decode()
        parts.append("instr(topics, :topic)")
    if which.valid is not None:
        parts.append(f"{'' if which.valid else 'not'} (valid_to is null and forgotten_at is null)")
    return " and ".join(parts), values


def _values(db: Database, memory: Memory) -> dict[str, object]:
    """The columns of a memory except id, uses and vector. Null means the same time as `created_at`."""
    return {
        "label_id": _label(db, memory),
        "created_at": memory.created_at,
        "updated_at": _unless(memory.updated_at, memory.created_at),
        "valid_from": _unless(memory.valid_from, memory.created_at),
        "valid_to": memory.valid_to,
        "superseded_by": memory.superseded_by,
        "forgotten_at": memory.forgotten_at,
        "exchange_id": memory.exchange_id,
        "topics": msgspec.json.encode(memory.topics).decode() if memory.topics else None,
        "content": memory.content,
        "quote": memory.quote or None,
    }


def _unless(value: float, other: float) -> float | None:
    return None if value == other else value


def _label(db: Database, memory: Memory) -> int:
    values = (memory.namespace, memory.type, memory.priority, memory.source)
    query = "select id from memory_labels where namespace = ? and type = ? and priority = ? and source = ?"
    row = db.execute(query, values).fetchone()
    if row is None:
        insert = "insert into memory_labels (namespace, type, priority, source) values (?, ?, ?, ?) returning id"
        row = db.execute(insert, values).fetchone()
    return int(row[0])


def _vector(db: Database, embedding: Embedding | None) -> dict[str, object]:
    if embedding is None:
        return {}
    row = db.execute("select id from spaces where name = ?", (embedding.space,)).fetchone()
    if row is None:
        insert = "insert into spaces (name, dimensions) values (?, ?) returning id"
        row = db.execute(insert, (embedding.space, embedding.dimensions)).fetchone()
    return {"space_id": row[0], "vector": embedding.packed}


def _put_uses(db: Database, number: int, accesses: int, at: float) -> None:
    db.execute(
        """insert into memory_uses (id, accesses, last_accessed_at) values (?, ?, ?) on conflict (id) do update
        set accesses = excluded.accesses, last_accessed_at = excluded.last_accessed_at""",
        (number, accesses, at),
    )


def _memory(row: tuple) -> Memory:  # type: ignore[type-arg]
    topics = tuple(msgspec.json.decode(row[-2], type=list[str])) if row[-2] else ()
    return Memory(*(*row[:-2], topics, row[-1]))
