"""Quarantine of values that cannot be decoded: each moves to a table, so that one of them does not block the others.

Nothing searches for them until one is met; then every column is checked once.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlite_utils import Database

from pi_memory.types import ToolCall

JSON: dict[tuple[str, str], tuple[Any, str | None]] = {
    ("exchanges", "tool_calls"): (list[ToolCall], None),
    ("exchanges", "file_paths"): (list[str], None),
    ("topics", "file_paths"): (list[str], "[]"),
    ("topics", "directories"): (list[str], "[]"),
    ("memories", "topics"): (list[str], None),
}
"""The type of each JSON column, and the value that replaces a damaged one."""

OF_MEMORIES = dict[str, dict[str, Any]]
"""The sides of memory events: fields by memory id."""


def set_aside(db: Database, at: float) -> list[str]:
    """Move values that cannot be decoded to the table `set_aside`. Returns where they were, such as `events.before of
    row 3`.
    """
    found = [*_broken_texts(db), *_broken_json(db), *_broken_events(db)]
    for table, column, row, value, instead in found:
        place = f"{table}.{column}"
        db.execute("insert into set_aside (at, place, row, value) values (?, ?, ?, ?)", (at, place, row, value))
        db.execute(f"update {table} set {column} = ? where rowid = ?", (instead, row))
    return [f"{table}.{column} of row {row}" for table, column, row, *_ in found]


Broken = tuple[str, str, int, bytes, str | None]


def _broken_texts(db: Database) -> Iterator[Broken]:
    """Texts that are not UTF-8; the readable part stays in place."""
    for table, column in _text_columns(db):
        query = f"select rowid, cast({column} as blob) from {table} where typeof({column}) = 'text'"
        for row, value in db.execute(query).fetchall():
            try:
                value.decode()
            except UnicodeDecodeError:
                yield table, column, row, value, value.decode(errors="replace")


def _text_columns(db: Database) -> list[tuple[str, str]]:
    return db.execute(
        """select t.name, c.name from pragma_table_list t join pragma_table_info(t.name) c
        where t.schema = 'main' and t.type = 'table' and not t.wr and lower(c.type) = 'text'
        and t.name not in ('set_aside', 'sqlite_schema')"""
    ).fetchall()


def _broken_json(db: Database) -> Iterator[Broken]:
    for (table, column), (kind, instead) in JSON.items():
        query = f"select rowid, cast({column} as blob) from {table} where {column} is not null"
        for row, value in db.execute(query).fetchall():
            if not _decodes(value, kind):
                yield table, column, row, value, instead


def _broken_events(db: Database) -> Iterator[Broken]:
    """Events with one broken side, both sides of each: one alone can be neither shown nor undone."""
    query = """select rowid, kind like 'memory.%', cast(before as blob), cast(after as blob) from events
        where before is not null or after is not null"""
    for row, of_memory, *sides in db.execute(query).fetchall():
        kind = OF_MEMORIES if of_memory else Any
        if not all(side is None or _decodes(side, kind) for side in sides):
            named = zip(("before", "after"), sides, strict=True)
            yield from (("events", column, row, side, None) for column, side in named if side is not None)


def _decodes(value: bytes, kind: Any) -> bool:
    try:
        msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
