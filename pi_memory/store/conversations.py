"""The state of conversations: where each window begins, its summary, and lessons that are still to be learned from.

What leaves a window is queued as a lesson in the transaction that moves the window: a crash leaves both or neither.
"""

import zlib
from collections.abc import Callable, Collection, Mapping

import msgspec
from sqlite_utils import Database

from pi_memory.store import exchanges, sessions, tombstones
from pi_memory.types import Exchange, Numbered, Prompted

BEFORE = 12
"""Most exchanges before a lesson that are read with it."""


class Window(msgspec.Struct, frozen=True):
    """The window of a conversation that is alive: its exchanges, oldest first, and the summary of those before."""

    exchanges: tuple[Exchange, ...]
    summary: str = ""


class Lesson(msgspec.Struct, frozen=True):
    """Exchanges of one session to learn from: those with ids in (`after`, `upto`]."""

    id: int
    session_id: int
    after: int
    upto: int


def alive(db: Database, *, limit: int) -> dict[str, Window]:
    """Windows of the conversations that have not ended, by conversation id, at most `limit` exchanges each."""
    summaries = dict(
        db.execute("select name, summary from windows join sessions on sessions.id = session_id").fetchall()
    )
    found = exchanges.windows(db, limit=limit)
    return {name: Window(tuple(said), summaries.get(name, "")) for name, said in found.items()}


def fold(db: Database, name: str, *, keep: int, summary: str) -> None:
    """Move the beginning of a window to `keep` exchanges before its end; `summary` stands for all before."""
    row = db.execute(
        f"""select session_id, id from exchanges where session_id = (select id from sessions where name = ?)
        and {exchanges.SAID} order by id desc limit 1 offset ?""",
        (name, keep),
    ).fetchone()
    if row is not None:
        # It may have been written before something was forgotten.
        _move(db, *row, summary=tombstones.cleaned(db, summary))


def close(db: Database, name: str, at: float) -> bool:
    """End a session: its window is empty and begins anew after this. Returns whether it existed."""
    if not sessions.end(db, name, at):
        return False
    row = db.execute(
        "select session_id, max(id) from exchanges where session_id = (select id from sessions where name = ?)", (name,)
    ).fetchone()
    if row[0] is not None:
        _move(db, *row, summary="")
    return True


def rewrite(db: Database, clean: Callable[[str], str], *, of: Collection[str] | None = None) -> None:
    """Apply a function to every summary, or to those of some sessions."""
    query = "select session_id, name, summary from windows join sessions on id = session_id where summary != ''"
    for session_id, name, summary in db.execute(query).fetchall():
        if (of is None or name in of) and (cleaned := clean(summary)) != summary:
            db.execute("update windows set summary = ? where session_id = ?", (cleaned, session_id))


def lessons(db: Database) -> list[Lesson]:
    """The queued lessons, oldest first."""
    return [Lesson(*row) for row in db.execute("select id, session_id, after, upto from lessons order by id")]


def said_in(db: Database, lesson: Lesson) -> list[Numbered]:
    """The exchanges of a lesson with their ids, oldest first."""
    return exchanges.between(db, lesson.session_id, after=lesson.after, upto=lesson.upto)


def said_before(db: Database, lesson: Lesson) -> list[Numbered]:
    """The last exchanges before a lesson, `BEFORE` at most: a cut may stand between an error and what resolved it."""
    query = "select id from exchanges where session_id = ? and id <= ? order by id desc limit ?"
    ids = [number for (number,) in db.execute(query, (lesson.session_id, lesson.after, BEFORE))]
    return exchanges.between(db, lesson.session_id, after=ids[-1] - 1, upto=lesson.after) if ids else []


def learned(db: Database, lesson: Lesson) -> None:
    db.execute("delete from lessons where id = ?", (lesson.id,))


def _move(db: Database, session_id: int, upto: int, *, summary: str) -> None:
    row = db.execute("select after from windows where session_id = ?", (session_id,)).fetchone()
    after = row[0] if row else 0
    if upto > after:
        db.execute("insert into lessons (session_id, after, upto) values (?, ?, ?)", (session_id, after, upto))
    db.execute(
        """insert into windows (session_id, after, summary) values (?, ?, ?)
        on conflict (session_id) do update set after = excluded.after, summary = excluded.summary""",
        (session_id, max(after, upto), summary),
    )


KEY = "prompted"


def take(db: Database) -> dict[str, Prompted]:
    """Read and delete what `keep` stored, by conversation. It is deleted because after a crash it may be outdated."""
    row = db.execute("select value from state where key = ?", (KEY,)).fetchone()
    if row is None:
        return {}
    db.execute("delete from state where key = ?", (KEY,))
    try:
        return msgspec.json.decode(zlib.decompress(row[0]), type=dict[str, Prompted])
    except (zlib.error, msgspec.DecodeError, TypeError):  # damaged: recalled anew, as after a crash
        return {}


def keep(db: Database, prompted: Mapping[str, Prompted]) -> None:
    """Store the prompted text of conversations, compressed together: they share most of it."""
    packed = zlib.compress(msgspec.json.encode(prompted))
    db.execute("insert or replace into state (key, value) values (?, ?)", (KEY, packed))
