"""The connection that the functions of the store are given: SQLite's own, whose transactions nest."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Connection(sqlite3.Connection):
    """Nothing is begun or committed by itself."""

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """The block is written whole or not at all: in a transaction, or in a savepoint of the one that is open."""
        nested = self.in_transaction
        self.execute("savepoint block" if nested else "begin")
        try:
            yield
            self.execute("release block" if nested else "commit")
        except BaseException:
            if self.in_transaction:  # some errors end it, as that of a full disk
                self.execute("rollback to block" if nested else "rollback")
            if nested and self.in_transaction:
                self.execute("release block")
            raise

    def tables(self) -> set[str]:
        """The names of the tables, without views."""
        return {name for (name,) in self.execute("select name from sqlite_master where type = 'table'")}

    def columns(self, table: str) -> dict[str, bool]:
        """The columns of a table by name, in their order, and which are in its primary key."""
        found = self.execute("select name, pk from pragma_table_info(?) order by cid", (table,))
        return {name: bool(place) for name, place in found}


def connect(path: Path | str, *, timeout: float = 5.0, uri: bool = False) -> Connection:
    """A connection to a file. Raises `sqlite3.Error`."""
    return sqlite3.connect(path, timeout=timeout, uri=uri, isolation_level=None, factory=Connection)
