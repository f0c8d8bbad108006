"""Single values that survive a restart, such as the inbox's cursor and the last text of the focus file."""

from sqlite_utils import Database


def get(db: Database, key: str) -> str | None:
    row = db.execute("select value from state where key = ?", (key,)).fetchone()
    return row[0] if row else None


def put(db: Database, key: str, value: str) -> None:
    db.execute(
        "insert into state (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
        (key, value),
    )


def drop(db: Database, key: str) -> None:
    db.execute("delete from state where key = ?", (key,))
