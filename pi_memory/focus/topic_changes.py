"""Changes of topics: stored with the events that explain them, and described for the prompt."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlite_utils import Database

from pi_memory.focus_file.merge import Renamed
from pi_memory.store import events, topics
from pi_memory.types import Topic


class TopicChanges(Struct, frozen=True):
    """Topics by name before (None: unknown) and after. `origin` is `tagger`, `file`, `api` or `time`."""

    before: Mapping[str, Topic | None]
    after: Mapping[str, Topic]
    origin: str
    at: float
    renames: Sequence[Renamed] = ()

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
                event = events.Event(self.at, "topic.renamed", name, self.origin, before=step.old, after=step.new)
                events.add(db, event)

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
            events.add(db, events.Event(self.at, kind, after.name, self.origin, before=before, after=after))

    def _kind(self, before: Topic | None, after: Topic) -> str | None:
        if before is None:
            return "topic.added"
        if before.is_active != after.is_active:
            gone = "topic.faded" if self.origin == "time" else "topic.removed"
            return "topic.returned" if after.is_active else gone
        # A touch is no event: its count and time are in the row, and one a turn would wear out the card.
        return None if self.origin == "tagger" else "topic.changed"
