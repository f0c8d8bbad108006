"""Single values that survive a restart, such as the inbox's cursor and the last text of the focus file."""

from pi_memory.store.connection import Connection


def get(db: Connection, key: str) -> str | None:
    row = db.execute("select value from state where key = ?", (key,)).fetchone()
    return row[0] if row else None


def put(db: Connection, key: str, value: str) -> None:
    db.execute(
        "insert into state (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
        (key, value),
    )


def drop(db: Connection, key: str) -> None:
    db.execute("delete from state where key = ?", (key,))
