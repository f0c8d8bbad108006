"""The topics in RAM, as the database has them."""

from collections.abc import Mapping

from rapidfuzz import fuzz, process

from pi_memory import decay
from pi_memory.errors import NotFound
from pi_memory.turn import Topic

FILES_FOUND = 20
GOOD_MATCH = 75
"""Of 100, for a query within a known path."""


class KnownTopics:
    """By name, active or not."""

    def __init__(self) -> None:
        self.by_name: dict[str, Topic] = {}

    def replace(self, changed: Mapping[str, Topic]) -> dict[str, Topic | None]:
        """Put changed topics in place; what stood there, None for new ones."""
        before = {name: self.by_name.get(name) for name in changed}
        self.by_name |= changed
        return before

    def get(self, name: str) -> Topic:
        """Raises `NotFound`."""
        if name not in self.by_name:
            raise NotFound(f"There is no topic {name}", hint="GET /focus?all=1 lists them.")
        return self.by_name[name]

    def all(self) -> list[Topic]:
        """The one touched last first."""
        return sorted(self.by_name.values(), key=lambda t: (-t.last_touched_at, t.name))

    def active(self, now: float) -> list[Topic]:
        """Those that have not faded at `now`, strongest first."""
        return [topic for topic in self.all() if topic.is_active and not has_faded(topic, now)]

    def files(self, query: str, now: float) -> list[str]:
        """Known files whose path matches, best first."""
        known = list(dict.fromkeys(path for topic in self.active(now) for path in reversed(topic.file_paths)))
        found = process.extract(query, known, scorer=fuzz.partial_ratio, processor=str.lower, limit=FILES_FOUND)
        return [path for path, score, _ in found if score >= GOOD_MATCH]


def has_faded(topic: Topic, now: float) -> bool:
    return decay.strength(topic.last_touched_at, now) < decay.GONE
