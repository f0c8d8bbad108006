"""Conflicts: pairs of memories of which the newer may make the older untrue. Both hold until somebody says which."""

from collections.abc import Sequence

import msgspec
from sqlite_utils import Database

LIKELY, DOUBTFUL, POSSIBLE = 0.34, 0.24, 0.05
"""The chances that a newer memory makes an older one untrue, from which on an answer has the newer one alone if it is
searched by words; somebody is asked which of the two holds; and an answer has the newer one alone if the question is
about both. What is less likely is not recorded.
"""

COLUMNS = "conflicts.id, at, newer_id, older_id, chance"
OPEN = """conflicts join memories newer on newer.id = newer_id join memories older on older.id = older_id
    where settled_at is null and newer.valid_to is null and newer.forgotten_at is null
        and older.valid_to is null and older.forgotten_at is null"""
"""SQL of the conflicts of memories that both hold."""


class Doubt(msgspec.Struct, frozen=True):
    """Ids of the two memories, and how likely the newer makes the older untrue, from 0 to 1."""

    id: int
    at: float
    newer: int
    older: int
    chance: float


def add(db: Database, newer: int, older: int, chance: float, at: float) -> None:
    """Record a doubt. A pair has one: until it is settled, the last chance counts."""
    db.execute(
        """insert into conflicts (newer_id, older_id, chance, at) values (?, ?, ?, ?)
            on conflict do update set chance = excluded.chance where settled_at is null""",
        (newer, older, round(chance, 3), at),
    )


def listed(db: Database) -> list[Doubt]:
    """The open conflicts that somebody is asked about, newest first."""
    query = (
        f"select conflicts.id, at, newer_id, older_id, chance from {OPEN} and chance >= ? order by conflicts.id desc"
    )
    return [Doubt(*row) for row in db.execute(query, (DOUBTFUL,))]


def doubted(db: Database, ids: Sequence[int]) -> dict[int, int]:
    """For each of the memories `ids` that a newer one likely makes untrue, the id of that one: the last, if that
    is doubted too.
    """
    query = f"""with recursive doubt (older, newer) as (select older_id, newer_id from {OPEN} and chance >= :least),
        chain (first, last) as (
            select older, newer from doubt where older in (select value from json_each(:ids))
            union select first, newer from chain join doubt on older = last where newer > last)
        select first, max(last) from chain where first < last group by first"""
    values = {"least": LIKELY, "ids": msgspec.json.encode(ids).decode()}
    return dict(db.execute(query, values)) if ids else {}


def possible(db: Database, ids: Sequence[int]) -> list[tuple[int, int, float]]:
    """Those of the memories `ids` that a newer one possibly makes untrue, each with the id of that one, and how likely;
    the newest last.
    """
    query = f"""select older_id, newer_id, chance from {OPEN} and chance >= ?
        and older_id in (select value from json_each(?)) order by newer_id"""
    return [*db.execute(query, (POSSIBLE, msgspec.json.encode(ids).decode()))] if ids else []


def get(db: Database, number: int) -> Doubt | None:
    """An open conflict by id."""
    query = f"select {COLUMNS} from {OPEN} and conflicts.id = ?"
    row = db.execute(query, (number,)).fetchone()
    return Doubt(*row) if row else None


def settle(db: Database, number: int, at: float) -> None:
    db.execute("update conflicts set settled_at = ? where id = ?", (at, number))


def settle_about(db: Database, memory_id: int, at: float) -> None:
    """Settle all conflicts of a memory: it says something else now."""
    query = "update conflicts set settled_at = :at where settled_at is null and :id in (newer_id, older_id)"
    db.execute(query, {"at": at, "id": memory_id})


def settled(db: Database, memory_id: int, at: float) -> int:
    """The number of conflicts of a memory that were settled at this time."""
    query = "select count(*) from conflicts where settled_at = ? and ? in (newer_id, older_id)"
    return int(db.execute(query, (at, memory_id)).fetchone()[0])


def reopen(db: Database, memory_ids: Sequence[int], at: float) -> None:
    """Open the conflicts of memories again that were settled at this time."""
    query = """update conflicts set settled_at = null where settled_at = :at
        and (newer_id in (select value from json_each(:ids)) or older_id in (select value from json_each(:ids)))"""
    db.execute(query, {"at": at, "ids": msgspec.json.encode(memory_ids).decode()})
