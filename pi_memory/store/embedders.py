"""Numbers of vector spaces: one for each embedder whose vectors are stored."""

from sqlite_utils import Database


def number(db: Database, name: str, *, dimensions: int) -> int:
    """The number of an embedder's space, assigned at first use."""
    row = db.execute("select id from spaces where name = ?", (name,)).fetchone()
    if row is None:
        insert = "insert into spaces (name, dimensions) values (?, ?) returning id"
        row = db.execute(insert, (name, dimensions)).fetchone()
    return int(row[0])
