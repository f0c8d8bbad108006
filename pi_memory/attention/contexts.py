"""The contexts of the sessions that are known: in RAM as in the database, the one that spoke last at the end."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import sqlite_utils

from pi_memory.attention import sessions
from pi_memory.attention.sessions import Context
from pi_memory.errors import StoreError
from pi_memory.store import attention
from pi_memory.store.database import Database, Work

MOST = 256
"""Sessions that are known; the one that was active longest ago gives way."""


class Contexts:
    """A context is written when more than the time has changed since it was written last."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, Context] = {}
        self._written: dict[str, Context] = {}

    async def load(self) -> None:
        found = await self._db.read(partial(attention.load, limit=MOST))
        self._known = {known.session: known for known in found}
        self._written = dict(self._known)

    async def close(self) -> None:
        """Write what no write has taken along yet."""
        for known in self._unwritten():
            await self._db.write(partial(attention.save, context=known))

    def __iter__(self) -> Iterator[Context]:
        return iter(self._known.values())

    def get(self, session: str | None) -> Context | None:
        return self._known.get(session or "")

    def latest(self, now: float) -> Context | None:
        """The one that was active last. A time to come, by a clock that has gone back since, counts as now."""
        return max(reversed(self._known.values()), key=lambda known: min(known.last_at, now), default=None)

    def put(self, after: Context, at: float) -> None:
        """Put a context in place. The write, if it is due, is not awaited: the database logs one that fails."""
        if (work := self._replace(after, at, always=False)) is not None:
            self._db.write(work)

    async def save(self, after: Context, at: float) -> None:
        """Put a context in place, durably. Raises `StoreError`: then nothing is changed."""
        before = (self._known.get(after.session), self._written.get(after.session))
        work = self._replace(after, at, always=True)
        assert work is not None, "asked for"
        try:
            await self._db.write(work, durable=True)
        except StoreError:
            for known, was in zip((self._known, self._written), before, strict=True):
                known.pop(after.session, None)
                known |= {after.session: was} if was else {}
            raise

    def restamp(self, right: Callable[[float], float]) -> None:
        """Follow that the times in the database have been put right."""
        for kept in (self._known, self._written):
            for name, known in kept.items():
                kept[name] = sessions.restamped(known, right)

    def clean(self, clean: Callable[[str], str]) -> None:
        """Follow that the notes in the database have been put into another form."""
        for name, known in self._known.items():
            decisions = tuple(filter(None, map(clean, known.decisions)))
            if decisions != known.decisions:
                self._known[name] = replace(known, decisions=decisions)

    def _unwritten(self) -> list[Context]:
        return [known for name, known in self._known.items() if known is not self._written.get(name)]

    def _replace(self, after: Context, at: float, *, always: bool) -> Work[None] | None:
        """Put a context in place in RAM; what to store, None when it may wait."""
        name = after.session
        before = self._known.pop(name, None)
        self._known[name] = after
        if not always and not after.worth_writing(self._written.get(name)):
            return None
        is_over = before and (before.topic, before.since) != (after.topic, after.since)
        closed = sessions.over(before, at) if before and is_over else None
        self._written[name] = after
        gone = self._give_way()

        def store(db: sqlite_utils.Database) -> None:
            for other in gone:
                attention.remove(db, other)
            attention.save(db, after)
            if closed:
                attention.close_focus(db, name, closed)

        return store

    def _give_way(self) -> list[str]:
        """Forget the sessions that are too many; which."""
        many = len(self._known) - MOST
        gone = sorted(self._known, key=lambda name: self._known[name].last_at)[:many] if many > 0 else []
        for name in gone:
            del self._known[name]
            self._written.pop(name, None)
        return gone
