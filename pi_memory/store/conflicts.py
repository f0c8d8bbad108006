"""Conflicts: pairs of memories of which the newer may make the older untrue. Both hold until somebody says which."""

from dataclasses import dataclass

from sqlite_utils import Database

COLUMNS = "conflicts.id, at, newer_id, older_id, chance"
OPEN = """conflicts join memories newer on newer.id = newer_id join memories older on older.id = older_id
    where settled_at is null and newer.valid_to is null and newer.forgotten_at is null
        and older.valid_to is null and older.forgotten_at is null"""
"""SQL of the conflicts of memories that both hold."""


@dataclass(frozen=True, slots=True)
class Doubt:
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


def listed(db: Database, *, least: float) -> list[Doubt]:
    """The open conflicts of at least this chance, newest first."""
    query = (
        f"select conflicts.id, at, newer_id, older_id, chance from {OPEN} and chance >= ? order by conflicts.id desc"
    )
    return [Doubt(*row) for row in db.execute(query, (least,))]


def get(db: Database, number: int) -> Doubt | None:
    """An open conflict by id."""
    query = f"select {COLUMNS} from {OPEN} and conflicts.id = ?"
    row = db.execute(query, (number,)).fetchone()
    return Doubt(*row) if row else None


def settle(db: Database, number: int, at: float) -> None:
    db.execute("update conflicts set settled_at = ? where id = ?", (at, number))
