"""The embedders whose vectors are kept, each by a small number."""

from sqlite_utils import Database


def number(db: Database, name: str, *, dimensions: int) -> int:
    """The number of an embedder's space, a new one if need be."""
    row = db.execute("select id from spaces where name = ?", (name,)).fetchone()
    if row is None:
        insert = "insert into spaces (name, dimensions) values (?, ?) returning id"
        row = db.execute(insert, (name, dimensions)).fetchone()
    return int(row[0])
