"""Import ledgers: which messages, log lines and exports are already stored."""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.store import exchanges, messages, state
from pi_memory.store.message_fts import JOINED, TEXT
from pi_memory.store.messages import Passage
from pi_memory.types import Exchange, Role, Source


class KnownMessage(Struct, frozen=True):
    """A message that is stored, or about to be; `at` is None when no time was given."""

    role: Role
    content: str
    at: float | None
    ref: str | None


class ImportEntry(Struct, frozen=True):
    """An exchange to store and its messages to index; only the lowest bit of a message's id counts."""

    exchange: Exchange
    passages: tuple[Passage, ...]


def source_of(db: Database, name: str) -> Source | None:
    """The source of the session called `name`, None when it does not exist."""
    row = db.execute("select source from sessions where name = ?", (name,)).fetchone()
    return row[0] if row else None


def known(db: Database, name: str) -> list[KnownMessage]:
    """The messages of a session."""
    rows = db.execute(
        f"""select passages.id & 1, {TEXT}, coalesce(passages.at, exchanges.at), ref
        from {JOINED} where session_id = (select id from sessions where name = ?) order by passages.id""",
        (name,),
    ).fetchall()
    return [KnownMessage("assistant" if reply else "user", *rest) for reply, *rest in rows]


def add(db: Database, entries: Sequence[ImportEntry], at: float, *, extract: bool = False) -> list[int]:
    """Store exchanges imported at `at` and return their ids. With `extract` they are queued for learning."""
    added: dict[str, list[int]] = {}
    for entry in entries:
        name = entry.exchange.conversation_id
        number = exchanges.add(db, entry.exchange)
        made = [replace(p, id=messages.id_of(number, reply=messages.is_reply(p.id))) for p in entry.passages]
        messages.add(db, made)
        added.setdefault(name, []).append(number)
    for name, numbers in added.items():
        db.execute("update sessions set ended_at = ? where name = ?", (at, name))
        if extract:
            db.execute(
                "insert into lessons (session_id, after, upto) select id, ?, ? from sessions where name = ?",
                (numbers[0] - 1, numbers[-1], name),
            )
    return [number for numbers in added.values() for number in numbers]


STORE = "store"


def store_id(db: Database, make: Callable[[int], str] = secrets.token_hex) -> str:
    """The random id of this store."""
    found = state.get(db, STORE)
    if found is None:
        found = make(8)
        state.put(db, STORE, found)
    return found


def adopt(db: Database, store: str) -> bool:
    """Take over the store id of an export if this store is empty. Returns whether the ids are equal."""
    if db.execute("select 1 from memories limit 1").fetchone() is None:
        state.put(db, STORE, store)
    return state.get(db, STORE) == store


def find(db: Database, store: str, their_id: int) -> int | None:
    row = db.execute("select id from imported where store = ? and their_id = ?", (store, their_id)).fetchone()
    return row[0] if row else None


def note(db: Database, store: str, their_id: int, number: int) -> None:
    db.execute("insert into imported (store, their_id, id) values (?, ?, ?)", (store, their_id, number))


def ref(text: str) -> int:
    """The key of a log line: a hash of its identity, as a signed 64-bit integer."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), signed=True)


def recorded(db: Database, refs: Iterable[int]) -> set[int]:
    """The keys among `refs` that are already recorded."""
    return {r for r in refs if db.execute("select 1 from recorded where ref = ?", (r,)).fetchone()}


def add_recorded(db: Database, exchange: Exchange, *, refs: Sequence[int]) -> int:
    """Append an exchange made from log lines and return its id. Raises `sqlite3.IntegrityError` if a line is already
    recorded.
    """
    for r in refs:
        db.execute("insert into recorded (ref) values (?)", (r,))
    return exchanges.add(db, exchange)
