"""Exchanges, verbatim. The inbox has no table of its own: it is every exchange after the cursor in `state`."""

from collections.abc import Callable, Collection
from typing import Any, Literal

import msgspec
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.store import matching, messages, sessions, state, tombstones
from pi_memory.text.fact import states, without
from pi_memory.types import Exchange, Role, ToolCall

CURSOR = "inbox"
DONE = f"(select coalesce(max(cast(value as integer)), 0) from state where key = '{CURSOR}')"

IMPORTED = f"""(select coalesce(imported_at, ended_at) from sessions
    where sessions.id = session_id and {sessions.SOURCE} = 'import')"""
"""SQL of when an exchange was imported; null for what was not."""
OVER = f"""(id <= {DONE} or {IMPORTED} is not null) and coalesce({IMPORTED}, at) <= :before and session_id not in (
    select id from sessions where ended_at is null
    and id in (select session_id from exchanges where at >= :idle_since))
    and not exists (select 1 from lessons where lessons.session_id = exchanges.session_id
    and exchanges.id > lessons.after and exchanges.id <= lessons.upto)"""
"""Processed exchanges up to `before` of sessions that have ended or were idle since `idle_since`, learned from."""

COLUMNS = f"""exchanges.id, sessions.name, {sessions.SOURCE}, user, reply, at, partial, exchanges.project,
    tool_calls, file_paths"""
JOINED = "exchanges join sessions on sessions.id = exchanges.session_id"
SAID = "(user != '' or reply != '')"
"""A condition that excludes the empty row of an erased exchange, kept so that its id is not reused."""


class ExchangeQuery(msgspec.Struct, frozen=True):
    """Filters of a list of exchanges; times are Unix times, `until` is exclusive. None filters nothing. `is_project`
    tells the names of one project, such as `shop` and `/home/me/shop`.
    """

    words: tuple[str, ...] = ()
    conversation: str | None = None
    is_project: Callable[[str], bool] | None = None
    since: float | None = None
    until: float | None = None
    before: int = 2**63 - 1


def add(db: Database, exchange: Exchange) -> int:
    """Append an exchange to its session, and so to the inbox, with what was forgotten removed. Returns its id."""
    exchange = _unforgotten(db, exchange)
    session = sessions.touch(
        db, exchange.conversation_id, exchange.at, source=exchange.source, project=exchange.project
    )
    values = (
        session,
        exchange.at,
        exchange.user,
        exchange.reply,
        exchange.partial,
        exchange.project,
        msgspec.json.encode(exchange.tool_calls).decode() if exchange.tool_calls else None,
        msgspec.json.encode(exchange.file_paths).decode() if exchange.file_paths else None,
        _receipt(exchange),
    )
    cursor = db.execute(
        """insert into exchanges (session_id, at, user, reply, partial, project, tool_calls, file_paths, receipt)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        values,
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def inbox(db: Database) -> list[tuple[int, Exchange]]:
    """Exchanges that are not yet processed, with their ids, oldest first; imported ones never are."""
    rows = db.execute(
        f"""select {COLUMNS} from {JOINED} where exchanges.id > {DONE} and {sessions.SOURCE} != 'import'
        order by exchanges.id"""
    ).fetchall()
    return [(row[0], _exchange(row)) for row in rows]


def processed(db: Database, exchange_id: int) -> None:
    """Move the inbox's cursor past an exchange. (A flag on its row would write that page a second time.)"""
    state.put(db, CURSOR, str(exchange_id))


def windows(db: Database, *, limit: int) -> dict[str, list[Exchange]]:
    """The last exchanges of each window of the conversations that have not ended, oldest first, by conversation id."""
    rows = db.execute(
        f"""select * from (
            select {COLUMNS}, row_number() over (partition by exchanges.session_id order by exchanges.id desc) as n
            from {JOINED} left join windows on windows.session_id = sessions.id
            where {sessions.SOURCE} = 'chat' and ended_at is null and exchanges.id > coalesce(after, 0) and {SAID})
        where n <= ? order by id""",
        (limit,),
    ).fetchall()
    found: dict[str, list[Exchange]] = {}
    for row in rows:
        found.setdefault(row[1], []).append(_exchange(row[:-1]))
    return found


def between(db: Database, session_id: int, *, after: int, upto: int) -> list[tuple[int, Exchange]]:
    """The exchanges of a session with ids in (`after`, `upto`], with their ids, oldest first."""
    rows = db.execute(
        f"""select {COLUMNS} from {JOINED} where exchanges.session_id = ? and exchanges.id > ? and exchanges.id <= ?
        order by exchanges.id""",
        (session_id, after, upto),
    ).fetchall()
    return [(row[0], _exchange(row)) for row in rows]


def several(db: Database, ids: Collection[int]) -> dict[int, Exchange]:
    """The existing exchanges among `ids`, by id."""
    rows = db.execute(
        f"""select {COLUMNS} from {JOINED} where {SAID} and exchanges.id in (select value from json_each(?))""",
        (msgspec.json.encode(sorted(ids)).decode(),),
    ).fetchall()
    return {row[0]: _exchange(row) for row in rows}


class StoredHit(msgspec.Struct, array_like=True):
    """A `Recalled` without its text, which is where it was said, as long as it is not forgotten."""

    kind: Literal["memory", "exchange"]
    id: int
    role: Role | None
    score: float
    similarity: float
    strength: float
    boost: float
    cosine: float
    words: float


class StoredReceipt(msgspec.Struct, array_like=True):
    """Ids of the memories in the prompt since the conversation began, and what was recalled for an exchange."""

    memories: tuple[int, ...] = ()
    recalled: tuple[StoredHit, ...] = ()


def receipt(db: Database, number: int) -> StoredReceipt:
    """The receipt of an exchange; an empty one where nothing was recalled."""
    row = db.execute("select receipt from exchanges where id = ?", (number,)).fetchone()
    return msgspec.json.decode(row[0], type=StoredReceipt) if row and row[0] else StoredReceipt()


def _receipt(exchange: Exchange) -> str | None:
    made = exchange.receipt
    if made is None or not (made.memories or made.recalled):
        return None
    names = StoredHit.__struct_fields__
    hits = [StoredHit(*(_short(getattr(each, name)) for name in names)) for each in made.recalled]
    return msgspec.json.encode(StoredReceipt(made.memories, tuple(hits))).decode()


def _short(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


def holding(db: Database, words: Collection[str], *, limit: int = 200) -> dict[int, Exchange]:
    """The newest exchanges whose user message contains all of some words, as parts of words; by id."""
    matching.prepare(db)
    rows = db.execute(
        f"select {COLUMNS} from {JOINED} where {SAID} and has_all(user, ?) order by exchanges.id desc limit ?",
        (_folded(words), limit),
    ).fetchall()
    return {row[0]: _exchange(row) for row in rows}


def listed(db: Database, query: ExchangeQuery, *, limit: int) -> list[tuple[int, Exchange]]:
    """The exchanges that match a query, with their ids, newest first."""
    values: dict[str, object] = {"words": _folded(query.words)}
    where = [SAID, "exchanges.id < :before"]
    if query.words:
        matching.prepare(db)
        where.append("has_all(user || char(10) || reply, :words)")
    if query.is_project:
        db.conn.create_function("is_project", 1, query.is_project, deterministic=True)
        where.append("exchanges.project is not null and is_project(exchanges.project)")
    for condition, name in (
        ("sessions.name = :conversation", "conversation"),
        ("exchanges.at >= :since", "since"),
        ("exchanges.at < :until", "until"),
    ):
        if (value := getattr(query, name)) is not None:
            where.append(condition)
            values[name] = value
    sql = f"select {COLUMNS} from {JOINED} where {' and '.join(where)} order by exchanges.id desc limit :limit"
    rows = db.execute(sql, {**values, "before": query.before, "limit": limit}).fetchall()
    return [(row[0], _exchange(row)) for row in rows]


def _folded(words: Collection[str]) -> str:
    return msgspec.json.encode([word.casefold() for word in words]).decode()


def of_session(db: Database, name: str) -> list[int]:
    """Ids of a session's exchanges."""
    query = f"select exchanges.id from {JOINED} where sessions.name = ? and {SAID}"
    return [id_ for (id_,) in db.execute(query, (name,)).fetchall()]


def erase(db: Database, ids: Collection[int]) -> None:
    """Erase exchanges and their messages from the index. The newest exchange keeps its row, without texts."""
    messages.erase(db, ids)
    for number in ids:
        db.execute(
            """update exchanges set user = '', reply = '', tool_calls = null, file_paths = null, receipt = null
            where id = ? and id = (select max(id) from exchanges)""",
            (number,),
        )
        db.execute("delete from exchanges where id = ? and id < (select max(id) from exchanges)", (number,))


def beside(db: Database, text: str, *, since: float, until: float) -> list[int]:
    """Exchanges after `since` and until `until` of the sessions in which the user said `text` word for word."""
    query = """select id from exchanges where at >= :since and session_id in (
        select session_id from exchanges where at >= :since and at <= :until and instr(user, :text))"""
    return [id_ for (id_,) in db.execute(query, {"text": text, "since": since, "until": until})]


def prune(db: Database, *, before: float, idle_since: float) -> int:
    """Erase processed exchanges up to `before` of sessions that have ended or were idle since `idle_since`, with their
    indexed messages. Returns how many. Exchanges in a queued lesson are kept. An imported exchange is as old as its
    import.

    The newest one keeps its row without texts: if its id were reused, the inbox would take the next exchange for
    processed.
    """
    over = OVER
    values = {"before": before, "idle_since": idle_since}
    messages.erase(db, [id_ for (id_,) in db.execute(f"select id from exchanges where {over}", values).fetchall()])
    emptied = db.execute(
        f"""update exchanges set user = '', reply = '', tool_calls = null, file_paths = null, receipt = null
        where {over} and id = (select max(id) from exchanges) and (user != '' or reply != '')""",
        values,
    ).rowcount
    return (
        emptied
        + db.execute(f"delete from exchanges where {over} and id < (select max(id) from exchanges)", values).rowcount
    )


def trim(db: Database, *, before: float, idle_since: float, only_asks: Callable[[str], bool]) -> list[int]:
    """Erase the replies of chats and agents up to `before`, and messages that only ask, as `prune` does; the ids of the
    messages. What users said besides, and what was imported, stays.
    """
    rows = db.execute(
        f"select id, user, reply from exchanges where {OVER} and reply != '' and {IMPORTED} is null",
        {"before": before, "idle_since": idle_since},
    ).fetchall()
    gone: list[int] = []
    for number, user, _ in rows:
        asks = bool(user) and only_asks(user)
        gone += messages.erase_messages(
            db, [messages.id_of(number, reply=r) for r in (True, *([False] if asks else []))]
        )
        db.execute("update exchanges set reply = '', user = ? where id = ?", ("" if asks else user, number))
    return gone


def _unforgotten(db: Database, exchange: Exchange) -> Exchange:
    buried = tombstones.load(db)
    if not buried:
        return exchange
    return replace(
        exchange,
        user=without(exchange.user, buried),
        reply=without(exchange.reply, buried, question=exchange.user),
        tool_calls=tuple(call for call in exchange.tool_calls if not states(str(call.arguments), buried)),
    )


def _exchange(row: tuple) -> Exchange:  # type: ignore[type-arg]
    _, name, source, user, reply, at, partial, project, calls, paths = row
    return Exchange(
        conversation_id=name,
        user=user,
        reply=reply,
        at=at,
        partial=bool(partial),
        project=project,
        tool_calls=tuple(msgspec.json.decode(calls, type=list[ToolCall])) if calls else (),
        file_paths=tuple(msgspec.json.decode(paths, type=list[str])) if paths else (),
        source=source,
    )
