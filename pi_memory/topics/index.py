"""The topics in RAM, as the database has them."""

from bisect import bisect_left, insort
from collections.abc import Mapping

from rapidfuzz import fuzz, process

from pi_memory import decay
from pi_memory.errors import NotFound
from pi_memory.topics.file_search import files_about
from pi_memory.types import Topic

FILES_FOUND = 20
GOOD_MATCH = 75
"""Of 100, for a query within a known path."""


class KnownTopics:
    """By name, active or not. Those that are active are kept in order: after years most topics are not."""

    def __init__(self) -> None:
        self.by_name: dict[str, Topic] = {}
        self._strongest: list[tuple[float, str]] = []

    def replace(self, changed: Mapping[str, Topic]) -> dict[str, Topic | None]:
        """Put changed topics in place; what stood there, None for new ones."""
        before = {name: self.by_name.get(name) for name in changed}
        for name, topic in changed.items():
            was = before[name]
            if was is not None and was.is_active:
                del self._strongest[bisect_left(self._strongest, _rank(was))]
            if topic.is_active:
                insort(self._strongest, _rank(topic))
        self.by_name |= changed
        return before

    def put_back(self, before: Mapping[str, Topic | None]) -> None:
        """Undo a `replace`, which returned `before`."""
        for name, was in before.items():
            if was is not None:
                self.replace({name: was})
            elif (now := self.by_name.pop(name, None)) is not None and now.is_active:
                del self._strongest[bisect_left(self._strongest, _rank(now))]

    def get(self, name: str) -> Topic:
        """Raises `NotFound`."""
        if name not in self.by_name:
            raise NotFound(f"There is no topic {name}", hint="GET /focus?all=1 lists them.")
        return self.by_name[name]

    def all(self) -> list[Topic]:
        """The one touched last first."""
        return sorted(self.by_name.values(), key=_rank)

    def active(self, now: float) -> list[Topic]:
        """Those that have not faded at `now`, strongest first."""
        return [self.by_name[name] for _, name in self._strongest[: self._faded_from(now)]]

    def faded(self, now: float) -> list[Topic]:
        """Those that are still called active and have faded at `now`."""
        return [self.by_name[name] for _, name in self._strongest[self._faded_from(now) :]]

    def files(self, query: str, now: float) -> list[str]:
        """Known files whose path matches, best first; if there is none, those that have some of the words."""
        topics = self.active(now)
        known = list(dict.fromkeys(path for topic in topics for path in reversed(topic.file_paths)))
        found = process.extract(query, known, scorer=fuzz.partial_ratio, processor=str.lower, limit=FILES_FOUND)
        paths = [path for path, score, _ in found if score >= GOOD_MATCH]
        return paths or [*files_about(query, topics, most=FILES_FOUND)]

    def _faded_from(self, now: float) -> int:
        return bisect_left(self._strongest, True, key=lambda rank: decay.strength(-rank[0], now) < decay.GONE)


def _rank(topic: Topic) -> tuple[float, str]:
    return -topic.last_touched_at, topic.name
