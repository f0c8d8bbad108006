"""Tags each exchange and records the tag, unless it repeats the session's last one."""

from collections.abc import Callable, Sequence

import sqlite_utils
from msgspec import Struct
from msgspec.structs import replace

from pi_memory import decay
from pi_memory.focus.last_tags import LastTag, Sessions
from pi_memory.focus.topic_changes import TopicChanges
from pi_memory.protocols import Clock
from pi_memory.store import exchanges
from pi_memory.store import topics as rows
from pi_memory.store.database import Database
from pi_memory.tagging.tagger import TaggerLoader
from pi_memory.topics import names
from pi_memory.topics.index import KnownTopics
from pi_memory.types import Exchange, Tag


class Tagged(Struct, frozen=True):
    """The result for an exchange: its topic, None for chatter, and whether anything changed."""

    topic: str | None
    file_paths: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    written: bool = False


class Recorder:
    """Tags and records. `called` returns the user's name of a topic."""

    def __init__(
        self, db: Database, known: KnownTopics, *, called: Callable[[str], str], tagger: TaggerLoader, clock: Clock
    ) -> None:
        self._tagger = tagger
        self._db = db
        self._known = known
        self._called = called
        self._clock = clock
        self._sessions = Sessions()

    def current(self, name: str) -> str | None:
        """The topic that a session worked on last, None if unknown."""
        session = self._sessions.get(name)
        return session.current if session is not None else None

    async def tag(self, exchange: Exchange, *, exchange_id: int) -> Tagged:
        """Find and record the topic of an exchange, in one transaction with the inbox's cursor."""
        now = self._clock()
        at = min(exchange.at, now)
        session = await self._session(exchange.conversation_id)
        session.last_at = now
        tag = await self._found(exchange, session, at)
        if tag.topic is None or self._repeats(tag, session, at):
            await self._db.write(lambda db: exchanges.processed(db, exchange_id))
            return Tagged(tag.topic, tag.file_paths, tag.directories)
        changes = self._touch(tag, at, new_session=tag.topic not in session.topics)
        places = self._tagger.now.places
        place = places.move(tag.topic, tag.vector) if places and tag.vector is not None else None
        session.record(tag)

        def record(db: sqlite_utils.Database) -> None:
            changes.save(db)
            if place is not None:
                place.save(db)
            rows.join_session(db, str(tag.topic), exchange.conversation_id)
            exchanges.processed(db, exchange_id)

        await self._db.write(record)
        return Tagged(tag.topic, tag.file_paths, tag.directories, written=True)

    def rename(self, old: str, new: str) -> None:
        """Continue a topic under another name."""
        self._sessions.rename_topic(old, new)
        if (places := self._tagger.now.places) is not None:
            places.rename(old, new)

    def end(self, names: Sequence[str]) -> None:
        """End sessions."""
        for name in names:
            self._sessions.end(name)

    def restamp(self, right: Callable[[float], float]) -> None:
        """Correct times stamped by a wrong clock."""
        self._sessions.restamp(right)

    def idle(self, since: float) -> list[str]:
        """Sessions without an exchange since a Unix time."""
        return self._sessions.idle(since)

    async def _session(self, name: str) -> LastTag:
        if (known := self._sessions.get(name)) is not None:
            return known
        worked_on = await self._db.read(lambda db: rows.of_session(db, name))
        return self._sessions.begin(name, self._clock(), topics=worked_on)

    async def _found(self, exchange: Exchange, session: LastTag, at: float) -> Tag:
        is_path = exchange.project is not None and exchange.project.startswith(("/", "~"))
        tag = await self._tagger.now.tagger.tag(
            exchange,
            topics=self._known.active(at),
            current=session.current,
            working_directory=exchange.project if is_path else None,
            repeated=session.hear(exchange.user),
        )
        # Behind the tagger, which may have taken its time: the user may have renamed the topic meanwhile.
        return tag if tag.topic is None else replace(tag, topic=self._called(tag.topic))

    def _repeats(self, tag: Tag, session: LastTag, at: float) -> bool:
        """Whether the tag repeats the session's last one, of a topic that is still fresh."""
        topic = self._known.by_name.get(tag.topic or "")
        fresh = topic is not None and topic.is_active and decay.status(decay.strength(topic.last_touched_at, at))
        return fresh == "fresh" and session.repeats(tag)

    def _touch(self, tag: Tag, at: float, *, new_session: bool) -> TopicChanges:
        assert tag.topic is not None, "chatter is not recorded"
        known = self._known.by_name.get(tag.topic)
        touched = {tag.topic: names.touch(known, tag, at, new_session=new_session)}
        return TopicChanges(self._known.replace(touched), touched, "tagger", at)
