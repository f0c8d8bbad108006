"""What each session has worked on, so that it counts once per topic and the same tag twice is not written twice."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pi_memory.types import Tag


@dataclass(slots=True)
class LastTag:
    """`last_at` is when something was last said or done, `last` the newest tag that was recorded, `topics` all that
    the session has been counted for, `said` a hash of what the user said last.
    """

    last_at: float
    last: Tag | None = None
    topics: set[str] = field(default_factory=set)
    said: int | None = None

    def hear(self, user: str) -> bool:
        """Take in what the user says; whether they have just said the same: an agent tells it again at each step."""
        before, self.said = self.said, hash(user)
        return bool(user) and self.said == before

    @property
    def current(self) -> str | None:
        return self.last.topic if self.last else None

    def repeats(self, tag: Tag) -> bool:
        """Whether `tag` says what the last one said: the same topic and the same files."""
        last = self.last
        return last is not None and last.topic == tag.topic and set(tag.file_paths) == set(last.file_paths)

    def record(self, tag: Tag) -> None:
        assert tag.topic is not None, "chatter is not recorded"
        self.last = tag
        self.topics.add(tag.topic)


MOST = 1_000
"""Sessions that are known at a time; one that was forgotten is read from the database again."""


class Sessions:
    """The sessions that are under way, by name, the one that began last at the end."""

    def __init__(self) -> None:
        self._sessions: dict[str, LastTag] = {}

    def get(self, name: str) -> LastTag | None:
        return self._sessions.get(name)

    def begin(self, name: str, at: float, *, topics: Iterable[str] = ()) -> LastTag:
        """A session, new here; `topics` are those that it worked on before a restart."""
        session = self._sessions.setdefault(name, LastTag(at, topics=set(topics)))
        while len(self._sessions) > MOST:
            del self._sessions[next(iter(self._sessions))]
        return session

    def end(self, name: str) -> None:
        self._sessions.pop(name, None)

    def idle(self, since: float) -> list[str]:
        """Sessions in which nothing was said or done since a Unix time."""
        return [name for name, session in self._sessions.items() if session.last_at < since]

    def restamp(self, right: Callable[[float], float]) -> None:
        """Put the times right that a wrong clock has stamped."""
        for session in self._sessions.values():
            session.last_at = right(session.last_at)

    def rename_topic(self, old: str, new: str) -> None:
        for session in self._sessions.values():
            if old in session.topics:
                session.topics.add(new)
            if session.last and session.last.topic == old:
                session.last = replace(session.last, topic=new)
