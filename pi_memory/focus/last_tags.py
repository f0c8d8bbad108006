"""The last tag of each session, so that a topic counts once a session and an equal tag is not written twice."""

from collections.abc import Callable, Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from pi_memory.types import Tag


class LastTag(Struct):
    """A session's last tag. `last_at` is the time of the last exchange, `last` the newest tag that was recorded,
    `topics` all topics that the session has been counted for, `said` a hash of the user's last message.
    """

    last_at: float
    last: Tag | None = None
    topics: set[str] = field(default_factory=set)
    said: int | None = None

    def hear(self, user: str) -> bool:
        """Store the user's message. Returns whether it equals the last one: an agent repeats it at each step."""
        before, self.said = self.said, hash(user)
        return bool(user) and self.said == before

    @property
    def current(self) -> str | None:
        return self.last.topic if self.last else None

    def repeats(self, tag: Tag) -> bool:
        """Whether `tag` equals the last one in topic and files."""
        last = self.last
        return last is not None and last.topic == tag.topic and set(tag.file_paths) == set(last.file_paths)

    def record(self, tag: Tag) -> None:
        assert tag.topic is not None, "chatter is not recorded"
        self.last = tag
        self.topics.add(tag.topic)


MOST = 1_000
"""Most sessions in RAM; others are read from the database again."""


class Sessions:
    """The sessions under way by name, the one that began last at the end."""

    def __init__(self) -> None:
        self._sessions: dict[str, LastTag] = {}

    def get(self, name: str) -> LastTag | None:
        return self._sessions.get(name)

    def begin(self, name: str, at: float, *, topics: Iterable[str] = ()) -> LastTag:
        """Add a session; `topics` are those that it worked on before a restart."""
        session = self._sessions.setdefault(name, LastTag(at, topics=set(topics)))
        while len(self._sessions) > MOST:
            del self._sessions[next(iter(self._sessions))]
        return session

    def end(self, name: str) -> None:
        self._sessions.pop(name, None)

    def idle(self, since: float) -> list[str]:
        """Sessions without an exchange since a Unix time."""
        return [name for name, session in self._sessions.items() if session.last_at < since]

    def restamp(self, right: Callable[[float], float]) -> None:
        """Correct times stamped by a wrong clock."""
        for session in self._sessions.values():
            session.last_at = right(session.last_at)

    def rename_topic(self, old: str, new: str) -> None:
        for session in self._sessions.values():
            if old in session.topics:
                session.topics.add(new)
            if session.last and session.last.topic == old:
                session.last = replace(session.last, topic=new)
