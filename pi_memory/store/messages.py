"""The messages of exchanges as search sees them. Their text stays in the exchanges.

A message's id is twice that of its exchange, plus one for the reply, so that neither exchange nor role needs a column.
(The tables are called `passages`.)
"""

import bisect
import contextlib
import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec
from sqlite_utils import Database

from pi_memory.store import message_fts, sessions
from pi_memory.store.message_fts import JOINED, TEXT
from pi_memory.types import Source

KEPT = f"""select passages.id, session_id, project, length({TEXT}), iif(space_id = :space, vectors, null),
    coalesce(passages.at, exchanges.at), aside from {JOINED}"""

ASIDE, REMARK = 1, 2


class Passage(msgspec.Struct, frozen=True):
    """A message to be indexed: `vectors` as `Packed.to_bytes` writes them and the `codes` of its tokens, of the
    embedder numbered `space`.

    `at` and `ref` are those of an imported message; `at` is set only where it differs from its exchange's.
    An `aside` (`ASIDE`) is no answer to a question: it only asks, or is what an assistant replied in a chat. A `REMARK`
    states nothing that lasts.
    """

    id: int
    text: str
    vectors: bytes | None = None
    space: int | None = None
    at: float | None = None
    ref: str | None = None
    aside: int = 0
    codes: bytes | None = None


class Kept(msgspec.Struct, frozen=True):
    """What RAM holds of a message. `vectors` is None when they are not of the requested space."""

    id: int
    session_id: int
    project: str | None
    length: int
    vectors: bytes | None
    at: float
    aside: int


class StoredMessage(msgspec.Struct, frozen=True):
    """A message with its text, as it is shown."""

    id: int
    text: str
    at: float
    conversation_id: str
    source: Source
    ref: str | None
    aside: int


def id_of(exchange_id: int, *, reply: bool) -> int:
    return 2 * exchange_id + reply


def exchange_of(id_: int) -> int:
    """The id of a message's exchange."""
    return id_ >> 1


def is_reply(id_: int) -> bool:
    return bool(id_ & 1)


def next_ids(id_: int) -> tuple[int, int]:
    """The ids that the next message may have: the next one, or that after it where there was no reply."""
    return id_ + 1, id_ + 2


def add(db: Database, passages: Iterable[Passage]) -> None:
    """Store and index messages; existing ones stay as they are. Text erased since from their exchanges is left out,
    with its vectors.
    """
    for p in passages:
        said = db.execute(
            "select iif(? & 1, reply, user) from exchanges where id = ?", (p.id, exchange_of(p.id))
        ).fetchone()
        if said is None or not said[0].strip():
            continue
        space, vectors, codes = (p.space, p.vectors, p.codes) if said[0] == p.text else (None, None, None)
        added = db.execute(
            """insert or ignore into passages (id, at, ref, space_id, vectors, aside, codes)
            values (?, ?, ?, ?, ?, ?, ?)""",
            (p.id, p.at, p.ref, space, vectors, p.aside, codes),
        )
        if added.rowcount > 0:
            message_fts.add(db, p.id, said[0])


def erase(db: Database, exchange_ids: Collection[int]) -> list[int]:
    """Erase the messages of exchanges from table and index, and return their ids. Call it before the texts are erased:
    the index removes words by the text.
    """
    return erase_messages(db, [id_of(number, reply=reply) for number in exchange_ids for reply in (False, True)])


def erase_messages(db: Database, ids: Collection[int]) -> list[int]:
    """As `erase`, for single messages by their ids."""
    erased = []
    for id_ in ids:
        for (text,) in db.execute(f"select {TEXT} from {JOINED} where passages.id = ?", (id_,)).fetchall():
            message_fts.remove(db, id_, text)
            db.execute("delete from passages where id = ?", (id_,))
            erased.append(id_)
    return erased


@contextlib.contextmanager
def rewritten(db: Database, exchange_id: int) -> Iterator[None]:
    """A context manager around a change of an exchange's texts: its messages are indexed anew and lose their
    vectors.
    """
    query = f"select passages.id, {TEXT} from {JOINED} where exchanges.id = ? and passages.id in (?, ?)"
    values = (exchange_id, id_of(exchange_id, reply=False), id_of(exchange_id, reply=True))
    for id_, text in db.execute(query, values).fetchall():
        message_fts.remove(db, id_, text)
    yield
    for id_, text in db.execute(query, values).fetchall():
        if text.strip():
            message_fts.add(db, id_, text)
            db.execute("update passages set space_id = null, vectors = null, codes = null where id = ?", (id_,))
        else:
            db.execute("delete from passages where id = ?", (id_,))


def after(db: Database, id_: int, *, space: int | None, limit: int) -> list[Kept]:
    """The messages with ids above `id_`, ascending."""
    query = f"{KEPT} where passages.id > :after order by passages.id limit :limit"
    return [Kept(*row) for row in db.execute(query, {"space": space, "after": id_, "limit": limit}).fetchall()]


def of(db: Database, exchange_ids: Collection[int], *, space: int | None) -> list[Kept]:
    """The messages of exchanges."""
    numbers = [id_of(number, reply=reply) for number in exchange_ids for reply in (False, True)]
    query = f"{KEPT} where passages.id in (select value from json_each(:ids))"
    values = {"space": space, "ids": msgspec.json.encode(numbers).decode()}
    return [Kept(*row) for row in db.execute(query, values).fetchall()]


def ids(db: Database) -> list[int]:
    """Ids of all messages, ascending."""
    return [id_ for (id_,) in db.execute("select id from passages order by id").fetchall()]


def session(db: Database, conversation: str) -> int | None:
    """The session number of a conversation."""
    row = db.execute("select id from sessions where name = ?", (conversation,)).fetchone()
    return row[0] if row else None


def said_before(db: Database, ids: Sequence[int], at: float) -> int:
    """How many of a conversation's messages, in order of id, were said before Unix time `at`."""

    def said_at(id_: int) -> float:
        row = db.execute("select at from exchanges where id = ?", (exchange_of(id_),)).fetchone()
        return float(row[0]) if row else -math.inf

    return bisect.bisect_left(ids, at, key=said_at)


def shown(db: Database, ids: Sequence[int]) -> list[StoredMessage]:
    """The existing messages among those asked for."""
    rows = db.execute(
        f"""select passages.id, {TEXT}, coalesce(passages.at, exchanges.at), sessions.name, {sessions.SOURCE}, ref,
        aside
        from {JOINED} join sessions on sessions.id = session_id
        where passages.id in (select value from json_each(?))""",
        (msgspec.json.encode(ids).decode(),),
    ).fetchall()
    return [StoredMessage(*row) for row in rows]


def without_vectors(db: Database, space: int, *, limit: int) -> list[tuple[int, str, bool]]:
    """Ids and texts of messages without vectors or codes of this space, newest first, and whether only codes are
    missing.
    """
    return db.execute(
        f"""select passages.id, {TEXT}, space_id is :space from {JOINED} where space_id is not :space or codes is null
        order by passages.id desc limit :limit""",
        {"space": space, "limit": limit},
    ).fetchall()


def put_vectors(db: Database, made: Sequence[tuple[int, bytes, bytes]], *, space: int) -> None:
    """Store the vectors and the codes of messages; a message that is gone is skipped."""
    for id_, packed, codes in made:
        values = (space, packed, codes, id_)
        db.execute("update passages set space_id = ?, vectors = ?, codes = ? where id = ?", values)


def codes(db: Database, ids: Sequence[int], *, space: str) -> dict[int, bytes]:
    """The codes of those messages that have any of this embedder."""
    return dict(
        db.execute(
            """select id, codes from passages where id in (select value from json_each(?)) and length(codes) > 0
            and space_id = (select id from spaces where name = ?)""",
            (msgspec.json.encode(ids).decode(), space),
        ).fetchall()
    )
