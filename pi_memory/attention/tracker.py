"""Tracks attention: the weights of topics in each session, and the boost of memories from them. In RAM as in the
database.

It follows the tagger and what clients say. A change is written with the group of its exchange, and only when more than
the time has changed; the rest waits for the next write or a clean stop.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePath

from msgspec.structs import replace

from pi_memory.attention import project_stack, sessions, weights
from pi_memory.attention.sessions import IDLE, SessionContexts
from pi_memory.attention.weights import FOCUS, Boost, Canonical, begun_recently, glimpsed
from pi_memory.errors import NotFound
from pi_memory.event_bus import Events, TextForgotten
from pi_memory.focus.recorder import Tagged
from pi_memory.protocols import Clock
from pi_memory.store import attention
from pi_memory.store.database import Database
from pi_memory.tagging.keywords import keyword_scores
from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.topics.names import area_of, mentioned, normalise
from pi_memory.types import Application, Exchange, FocusPeriod, SessionContext
from pi_memory.worker import Worker

ENTRIES = 20
"""Most recent focuses that are shown, the current one among them."""
APPLICATIONS = 50
NEAR = 0.5
"""Least weight of a topic, besides the focus, under which a new memory is filed."""
SAID, FILED = 2, 6
"""Most topics of a new memory by its words, and in all."""


class Attention:
    """The attention of all sessions. `knows` says whether a topic exists, `called` returns the user's name of a topic,
    who may have renamed it; `recent` gives the strengths of the topics in the recent focus at a time.
    """

    def __init__(
        self,
        db: Database,
        patterns: Patterns,
        *,
        knows: Callable[[str], bool],
        called: Canonical,
        recent: Callable[[float], Mapping[str, float]] = lambda now: {},
        clock: Clock,
        worker: Worker,
        events: Events | None = None,
    ) -> None:
        if events is not None:
            events.subscribe(TextForgotten, lambda forgotten: self.forget(forgotten.clean))
        self._db = db
        self._patterns = patterns
        self._worker = worker
        self._knows = knows
        self._recent = recent
        self._clock = clock
        self._contexts = SessionContexts(db)
        self._canonical: Canonical = lambda name: called(patterns.canonical(name))

    async def start(self) -> None:
        """Load the sessions."""
        await self._contexts.load()

    def restamp(self, right: Callable[[float], float]) -> None:
        """Apply the correction of times in the database to RAM."""
        self._contexts.restamp(right)

    async def close(self) -> None:
        """Write changes that have not been written yet."""
        await self._contexts.close()

    # What has attention.

    def boost(self, session: str | None, query: str = "") -> Boost:
        """The boost of memories by topic in a session. Topics and projects that the query names get attention first.

        Computed for this moment. A session that has no focus yet begins with what was worked on recently.
        """
        known = self._contexts.get(session)
        weights = {} if known and known.topic else begun_recently(self._recent(self._clock()))
        weights |= {**known.weights, **dict.fromkeys(_project(known), FOCUS)} if known else {}
        return Boost(glimpsed(weights, self._named(query)), canonical=self._canonical)

    async def topics(self, session: str | None = None, text: str = "") -> tuple[str, ...]:
        """Topics of a new memory: those that its words name, the session's project and focus, then those with most
        attention.
        """
        said = await self._worker.run(keyword_scores, text, "", "", patterns=self._patterns)
        words = sorted(said, key=lambda name: (-said[name], name))[:SAID]
        known = self._contexts.get(session)
        if known is None:
            return tuple(words)
        near = {name: weight for name, weight in known.weights.items() if weight >= NEAR}
        strongest = sorted(near, key=lambda name: (name != known.topic, -near[name], name))
        return tuple(dict.fromkeys([*words, *_project(known), *strongest]))[:FILED]

    def session(self, name: str | None = None) -> SessionContext:
        """A session's context, by default of the one that was active last. Raises `NotFound`."""
        found = self._contexts.latest(self._clock()) if name is None else self._contexts.get(name)
        if found is None:
            raise NotFound("There is no such session", hint="POST /session begins one; so does any work in it.")
        return found

    def at_work(self) -> SessionContext | None:
        """The session that was active last, if it is not over."""
        last = self._contexts.latest(self._clock())
        return last if last and abs(self._clock() - last.last_at) <= IDLE else None

    async def entries(self, session: SessionContext) -> list[FocusPeriod]:
        """The last focuses, of this session and of others, oldest first, the current one at the end."""
        # Listed before anything is awaited: other sessions begin and end meanwhile.
        others = [
            (entry, other)
            for other in self._contexts
            if other.session != session.session and (entry := sessions.over(other, other.last_at))
        ]
        newest = sorted(others, key=lambda pair: pair[0].since)[-ENTRIES:]
        found = await self._db.read(partial(attention.entries, limit=ENTRIES))
        found += [replace(entry, memories=len(await self.applied(other))) for entry, other in newest]
        found.sort(key=lambda entry: entry.since)
        if session.topic and session.since is not None:
            found.append(FocusPeriod(session.topic, session.since, memories=len(await self.applied(session))))
        return found[-ENTRIES:]

    async def applied(self, session: SessionContext) -> tuple[int, ...]:
        """The memories put to use in the current focus, each once."""
        since, used = session.since, await self.applications(session)
        return tuple(dict.fromkeys(a.memory_id for a in used if since is not None and a.at >= since))

    async def applications(self, session: SessionContext) -> list[Application]:
        """The last memories that a session put to use, oldest first."""
        return await self._db.read(partial(attention.applications, session=session.session, limit=APPLICATIONS))

    async def application(self, number: int) -> Application:
        """An application by id. Raises `NotFound`."""
        found = await self._db.read(partial(attention.application, number=number))
        if found is None:
            raise NotFound("There is no such application", hint="GET /session lists those of a session.")
        return found

    # What happens.

    async def attend(self, exchange: Exchange, tagged: Tagged) -> None:
        """Update the weights by an exchange and its tag. The write is not awaited: the database logs failures."""
        at = min(exchange.at, self._clock())
        name, topic, project = exchange.conversation_id, tagged.topic, exchange.project
        made_with = await self._stack(name, project)
        others = await self._related(topic) if topic and not self._is_focus(self._contexts.get(name), topic) else {}
        known = self._contexts.get(name) or SessionContext(name, at, at)
        after = sessions.worked_until(sessions.of_project(known, project, made_with), at)
        if topic:
            after = sessions.with_files(self._turned(after, topic, at, others), tagged.file_paths)
        self._contexts.put(after, at)

    async def begin(self, name: str, *, project: str | None, directory: str | None) -> SessionContext:
        """Begin a session, or begin it anew, with attention to its project's stack. Durable."""
        made_with = await asyncio.to_thread(project_stack.detect, directory or project)
        now = self._clock()
        new = sessions.begun(name, now, project=project, directory=directory, stack=made_with)
        await self._contexts.save(new, now)
        return new

    async def focus(self, name: str | None, topic: str, files: Sequence[str]) -> SessionContext:
        """Set the focus, as a client says; the same focus again adds files. Durable. Raises `NotFound`."""
        others = await self._related(topic)
        now = self._clock()
        after = self._turned(sessions.worked_until(self.session(name), now), topic, now, others)
        after = sessions.with_files(after, files)
        await self._contexts.save(after, now)
        return after

    async def decide(self, name: str | None, decision: str) -> SessionContext:
        """Store a decision of the current focus. Durable. Raises `NotFound`."""
        now = self._clock()
        after = sessions.with_decision(sessions.worked_until(self.session(name), now), decision)
        await self._contexts.save(after, now)
        return after

    async def apply(self, name: str | None, memory_id: int, what_for: str) -> Application:
        """Record that a memory was put to use. Durable. Raises `NotFound` for an unknown session."""
        session, now = self.session(name).session, self._clock()
        note = partial(attention.apply, session=session, memory_id=memory_id, at=now, context=what_for)
        return await self._db.write(note, durable=True)

    async def judge(self, used: Application, *, helpful: bool) -> Application:
        """Record whether a memory helped where it was put to use. Durable."""
        await self._db.write(partial(attention.judge, number=used.id, helpful=helpful), durable=True)
        return replace(used, helpful=helpful)

    def forget(self, clean: Callable[[str], str]) -> None:
        """Redact the notes with `clean`, in RAM as in the database."""
        self._contexts.clean(clean)

    # How.

    def _named(self, query: str) -> tuple[str, ...]:
        """Topics and projects that a query names."""
        known = {other.project: other for other in self._contexts}.values()
        projects = {name for other in known for name in _project(other)}
        return mentioned(query, knows=lambda name: name in projects or self._knows(name), canonical=self._canonical)

    def _turned(self, known: SessionContext, topic: str, at: float, others: Mapping[str, float]) -> SessionContext:
        """The context with `topic` as its focus, which it may be already."""
        if self._is_focus(known, topic):
            return known
        return sessions.focused(known, topic, at, related=others, canonical=self._canonical)

    def _is_focus(self, known: SessionContext | None, topic: str) -> bool:
        focus = known.topic if known else None
        return focus is not None and self._canonical(focus) == self._canonical(topic)

    async def _stack(self, name: str, project: str | None) -> tuple[str, ...]:
        """The project's stack, if the session is new to it."""
        known = self._contexts.get(name)
        if project is None or (known and known.project == project):
            return ()
        return await asyncio.to_thread(project_stack.detect, project)

    async def _related(self, topic: str) -> dict[str, float]:
        """Related topics: those of the configuration, also of the topic's area, and learned ones."""
        canonical = self._canonical
        name = canonical(topic)
        table = {canonical(other): boosts for other, boosts in self._patterns.related.items()}
        given = {**table.get(area_of(name), {}), **table.get(name, {})}
        found = weights.learned(await self._db.read(partial(attention.shared_sessions, topic=topic)))
        return {other: boost for other, boost in weights.joined(given, found).items() if canonical(other) != name}


def _project(known: SessionContext) -> tuple[str, ...]:
    """A session's project as a topic, if it has one."""
    name = normalise(PurePath(known.project).name) if known.project else None
    return (name,) if name else ()
