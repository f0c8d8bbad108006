"""Changes of topics: stored with the events that explain them, and described for the prompt."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlite_utils import Database

from pi_memory.errors import Conflict
from pi_memory.focus_file.merge import Renamed
from pi_memory.store import events, topics
from pi_memory.store.events import Event
from pi_memory.types import Topic

RENAMED = "topic.renamed"
FADED = "topic.faded"


class TopicChanges(Struct, frozen=True):
    """Topics by name before (None: unknown) and after. `origin` is `tagger`, `file`, `api` or `time`; `undoes` is
    the id of the event that this takes back.
    """

    before: Mapping[str, Topic | None]
    after: Mapping[str, Topic]
    origin: str
    at: float
    renames: Sequence[Renamed] = ()
    undoes: int | None = None

    def save(self, db: Database) -> None:
        """Store the topics and the events."""
        renamed = {name for step in self.renames for name in (step.old, step.new)}
        for name, topic in self.after.items():
            topics.save(db, topic)
            if name not in renamed:
                self._explain(db, self.before[name], topic)
        for step in self.renames:
            topics.inherit_sessions(db, step.old, step.new)
            topics.inherit(db, step.old, step.new)
            for name in (step.old, step.new):
                self._add(db, RENAMED, name, step.old, step.new)

    def described(self) -> str:
        """The change in one line, for a prompt that still contains the earlier focus."""
        gone = [name for name, topic in self.after.items() if not topic.is_active]
        here = [name for name, topic in self.after.items() if topic.is_active]
        parts = [f"now on it: {', '.join(here)}"] if here else []
        parts += [f"no longer on it: {', '.join(gone)}"] if gone else []
        return f"(The user has edited their recent focus; {'; '.join(parts)}.)"

    def _explain(self, db: Database, before: Topic | None, after: Topic) -> None:
        kind = self._kind(before, after)
        if kind is not None:
            self._add(db, kind, after.name, before, after)

    def _add(self, db: Database, kind: str, name: str, before: Topic | str | None, after: Topic | str) -> None:
        event = events.Event(self.at, kind, name, self.origin, before=before, after=after, undoes=self.undoes)
        events.add(db, event)

    def _kind(self, before: Topic | None, after: Topic) -> str | None:
        if before is None:
            return "topic.added"
        if before.is_active != after.is_active:
            gone = FADED if self.origin == "time" else "topic.removed"
            return "topic.returned" if after.is_active else gone
        # A touch is no event: its count and time are in the row, and one a turn would wear out the card.
        return None if self.origin == "tagger" else "topic.changed"


def undone(event: Event, known: Mapping[str, Topic], at: float) -> tuple[dict[str, Topic], list[Renamed]]:
    """The topics and renames that take an event back at Unix time `at`. What came after it stays. Raises `Conflict`."""
    if event.kind == RENAMED:
        old, new = event.before, event.after
        if new not in known or not known[new].is_active or (old in known and known[old].is_active):
            raise _changed_since(event)
        back = replace(known[new], name=old)
        return {new: replace(known[new], is_active=False), old: back}, [Renamed(new, old)]
    made = msgspec.convert(event.after, Topic)
    was = msgspec.convert(event.before, Topic) if event.before else replace(made, is_active=False)
    now = known.get(event.subject)
    if now is None or now.is_active != made.is_active:
        raise _changed_since(event)
    touched_at = was.last_touched_at if now.last_touched_at == made.last_touched_at else now.last_touched_at
    before = replace(
        now,
        last_touched_at=at if event.kind == FADED else touched_at,
        file_paths=_without(now.file_paths, made.file_paths, was.file_paths),
        directories=_without(now.directories, made.directories, was.directories),
        touch_count=max(1, now.touch_count - made.touch_count + was.touch_count),
        is_active=was.is_active,
    )
    if before == now:
        raise _changed_since(event)
    return {event.subject: before}, []


def _without(now: Sequence[str], made: Sequence[str], was: Sequence[str]) -> tuple[str, ...]:
    """What there is now, without what a change added, and with what it took out."""
    kept = [path for path in now if path in was or path not in made]
    return (*(path for path in was if path not in made and path not in kept), *kept)


def _changed_since(event: Event) -> Conflict:
    return Conflict(f"{event.subject} was changed again after event {event.id}", hint="Change it by hand.")
