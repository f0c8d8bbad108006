"""Session contexts, and the registry that stores them.

Active work is the time between exchanges that are at most IDLE apart, so nothing has to tick while nobody works.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePath

import sqlite_utils
from msgspec.structs import replace

from pi_memory.attention import weights
from pi_memory.attention.weights import Canonical
from pi_memory.errors import StoreError
from pi_memory.store import attention
from pi_memory.store.database import Database, Work
from pi_memory.topics import names
from pi_memory.types import FocusPeriod, SessionContext

IDLE = 900.0
"""Seconds of silence that do not count as work: the user was away."""
MAX_FILES = 20
MAX_DECISIONS = 20


def restamped(context: SessionContext, right: Callable[[float], float]) -> SessionContext:
    """The context with its times corrected."""
    started, last, since = right(context.started_at), right(context.last_at), context.since
    return replace(context, started_at=started, last_at=last, since=since if since is None else right(since))


def worked_until(context: SessionContext, at: float) -> SessionContext:
    """The context after an exchange at Unix time `at`. A clock that went back counts as no time."""
    gap = at - context.last_at
    steps, worked = divmod(context.worked + (gap if 0 < gap <= IDLE else 0.0), weights.STEP)
    if not steps:
        return replace(context, last_at=at, worked=worked)
    waned = weights.waned(context.weights, context.topic, int(steps))
    return replace(context, last_at=at, worked=worked, weights=waned)


def named(project: str) -> str:
    """The name of a project, which may be given as its directory's path."""
    return PurePath(project).name or project


def begun(
    session: str, at: float, *, project: str | None, directory: str | None, stack: Iterable[str]
) -> SessionContext:
    """The context of a session that begins at Unix time `at`, with attention to its project's stack."""
    directory = directory or (_directory(project) if project else None)
    return SessionContext(session, at, at, project=project, directory=directory, weights=weights.begun(stack))


def of_project(context: SessionContext, project: str | None, stack: Iterable[str]) -> SessionContext:
    """The context after its project is known, with attention to the project's stack."""
    if project is None or project == context.project:
        return context
    same = context.project is not None and named(project) == named(context.project)
    directory = _directory(project) or (context.directory if same else None)
    return replace(context, project=project, directory=directory, weights={**weights.begun(stack), **context.weights})


def _directory(project: str) -> str | None:
    return project if project.startswith("/") else None


def focused(
    context: SessionContext, topic: str, at: float, *, related: Mapping[str, float], canonical: Canonical
) -> SessionContext:
    """The context with a new focus."""
    shifted = weights.shifted(context.weights, topic, related, canonical=canonical)
    decisions = () if context.topic else context.decisions  # what was decided before is of the first focus
    return replace(context, topic=topic, since=at, files=(), decisions=decisions, weights=shifted)


def with_files(context: SessionContext, paths: Iterable[str]) -> SessionContext:
    return replace(context, files=names.merge(context.files, paths, most=MAX_FILES))


def with_decision(context: SessionContext, decision: str) -> SessionContext:
    return replace(context, decisions=(*context.decisions, decision)[-MAX_DECISIONS:])


def over(context: SessionContext, until: float) -> FocusPeriod | None:
    """The focus that ends at Unix time `until`, None when there was none; its outcome is the last decision."""
    if context.topic is None or context.since is None:
        return None
    outcome = context.decisions[-1] if context.decisions else None
    return FocusPeriod(context.topic, context.since, max(0.0, until - context.since), outcome)


MOST = 256
"""Most sessions in RAM; the one that was active longest ago is evicted."""


class SessionContexts:
    """The contexts by session. One is written when more than the time has changed since its last write."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, SessionContext] = {}
        self._written: dict[str, SessionContext] = {}

    async def load(self) -> None:
        found = await self._db.read(partial(attention.load, limit=MOST))
        self._known = {known.session: replace(known, weights=weights.clamped(known.weights)) for known in found}
        self._written = dict(self._known)

    async def close(self) -> None:
        """Write changes that have not been written yet."""
        for known in self._unwritten():
            await self._db.write(partial(attention.save, context=known))

    def __iter__(self) -> Iterator[SessionContext]:
        return iter(self._known.values())

    def get(self, session: str | None) -> SessionContext | None:
        return self._known.get(session or "")

    def latest(self, now: float) -> SessionContext | None:
        """The context that was active last. A time in the future, from a clock that has gone back since, counts
        as now.
        """
        return max(reversed(self._known.values()), key=lambda known: min(known.last_at, now), default=None)

    def put(self, after: SessionContext, at: float) -> None:
        """Replace a context. A write that is due is not awaited: the database logs failures."""
        if (work := self._replace(after, at, always=False)) is not None:
            self._db.write(work)

    async def save(self, after: SessionContext, at: float) -> None:
        """Replace a context, durably. Raises `StoreError`: then nothing is changed."""
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
        """Apply the correction of times in the database to RAM."""
        for kept in (self._known, self._written):
            for name, known in kept.items():
                kept[name] = restamped(known, right)

    def clean(self, clean: Callable[[str], str]) -> None:
        """Apply the redaction of notes in the database to RAM."""
        for name, known in self._known.items():
            decisions = tuple(filter(None, map(clean, known.decisions)))
            if decisions != known.decisions:
                self._known[name] = replace(known, decisions=decisions)

    def _unwritten(self) -> list[SessionContext]:
        return [known for name, known in self._known.items() if known is not self._written.get(name)]

    def _replace(self, after: SessionContext, at: float, *, always: bool) -> Work[None] | None:
        """Replace a context in RAM. Returns what to store, None when the write may wait."""
        name = after.session
        before = self._known.pop(name, None)
        self._known[name] = after
        if not always and not after.worth_writing(self._written.get(name)):
            return None
        is_over = before and (before.topic, before.since) != (after.topic, after.since)
        closed = over(before, at) if before and is_over else None
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
        """Evict the sessions above MOST, and return them."""
        many = len(self._known) - MOST
        gone = sorted(self._known, key=lambda name: self._known[name].last_at)[:many] if many > 0 else []
        for name in gone:
            del self._known[name]
            self._written.pop(name, None)
        return gone
