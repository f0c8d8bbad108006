"""Removes forgotten texts from copies of the database beside it: those made before an upgrade or a restore, and
backups.

A copy may have an older schema, so every text column of every table is read.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from sqlite_utils import Database

from pi_memory.errors import PiMemoryError
from pi_memory.store import tombstones
from pi_memory.store.message_fts import JOINED, TEXT
from pi_memory.store.opening import database_on
from pi_memory.store.tombstones import Tombstone

Clean = Callable[..., str]
"""A function that cleans a text, given the message that it answers."""

HEADER = b"SQLite format 3\x00"
INDEXES = ("memory_words", "passage_words", "newest_words")
PROMPTED = "prompted"

logger = logging.getLogger(__name__)


def forget(copies: Iterable[Path], clean: Clean, buried: Sequence[Tombstone]) -> None:
    """Clean every copy, and add `buried` to its tombstones. A copy that cannot be read is named in the log: it may
    still hold what was forgotten.
    """
    for path in copies:
        try:
            _forget(path, clean, buried)
        except (sqlite3.Error, OSError) as error:
            logger.warning("%s may still hold what was forgotten: %s. Delete it if you do not need it.", path, error)


def databases(folder: Path) -> list[Path]:
    """The SQLite files in a folder, by name; none where there is no folder."""
    return [path for path in sorted(folder.iterdir()) if _is_database(path)] if folder.is_dir() else []


def lacks(path: Path, buried: Sequence[Tombstone]) -> bool:
    """Whether something was forgotten since the copy was made: it was out of reach then. Raises `PiMemoryError`."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return not set(buried) <= set(tombstones.every(database_on(connection)))
    except sqlite3.Error as error:
        raise PiMemoryError(f"{path} cannot be read: {error}", hint="Delete it.") from error


def _is_database(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(HEADER)) == HEADER
    except OSError:
        return False


def _forget(path: Path, clean: Clean, buried: Sequence[Tombstone]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        db = database_on(connection)
        db.execute("pragma secure_delete = on").fetchall()
        with db.atomic():
            tables = set(db.table_names())
            changed = {table: _clean_table(db, table, clean) for table in sorted(tables) if not _is_index(table)}
            if "tombstones" in tables:
                for tombstone in buried:
                    tombstones.put(db, tombstone)
            if "state" in tables:
                db.execute("delete from state where key = ?", (PROMPTED,))
            _forget_derived(db, tables, changed)
        if any(changed.values()):
            db.execute("vacuum")


def _is_index(table: str) -> bool:
    return table.startswith(INDEXES) or table.startswith("sqlite_")


def _clean_table(db: Database, table: str, clean: Clean) -> list[int]:
    """Clean the texts of a table. Returns the ids of changed rows, where rows have one."""
    keys = [column.name for column in db[table].columns if column.is_pk] or ["rowid"]
    columns = [column.name for column in db[table].columns if column.name not in keys]
    query = f"select {', '.join([*keys, *columns])} from {table}"
    changed = []
    for row in db.execute(query).fetchall():
        key, values = row[: len(keys)], dict(zip(columns, row[len(keys) :], strict=True))
        if cleaned := dict(_cleaned(values, clean)):
            sets = ", ".join(f"{name} = ?" for name in cleaned)
            where = " and ".join(f"{name} = ?" for name in keys)
            db.execute(f"update {table} set {sets} where {where}", (*cleaned.values(), *key))
            changed.append(key[0])
    return changed


def _cleaned(values: dict[str, Any], clean: Clean) -> Iterator[tuple[str, str]]:
    """The changed columns of a row."""
    question = values.get("user") if "reply" in values else None
    for name, value in values.items():
        if isinstance(value, str) and value:
            asked = question if name == "reply" and isinstance(question, str) else ""
            left = _in_json(value, clean) if value[0] in "[{" else clean(value, asked)
            if left != value:
                yield name, left


def _in_json(text: str, clean: Clean) -> str:
    """A JSON text with every string in it cleaned; `text` itself when it is no JSON."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return clean(text)
    cleaned = _in_value(value, clean)
    return text if cleaned == value else msgspec.json.encode(cleaned).decode()


def _in_value(value: Any, clean: Clean) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_in_value(item, clean) for item in value]
    if isinstance(value, dict):
        return {key: _in_value(item, clean) for key, item in value.items()}
    return value


def _forget_derived(db: Database, tables: set[str], changed: dict[str, list[int]]) -> None:
    """Delete the words and vectors derived from changed texts."""
    if "memory_words" in tables and changed.get("memories"):
        for number in changed["memories"]:
            db.execute("update memories set space_id = null, vector = null where id = ?", (number,))
        db.execute("insert into memory_words (memory_words) values ('rebuild')")
    if "passage_words" in tables and changed.get("exchanges"):
        derived = {"space_id", "vectors", "codes"} & set(db["passages"].columns_dict)  # an older copy has no codes
        emptied = ", ".join(f"{column} = null" for column in derived)
        for number in changed["exchanges"]:
            db.execute(f"update passages set {emptied} where id >> 1 = ?", (number,))
        db.execute("insert into passage_words (passage_words) values ('delete-all')")
        db.execute(f"insert into passage_words (rowid, text) select passages.id, {TEXT} from {JOINED}")
