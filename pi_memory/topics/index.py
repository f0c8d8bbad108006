"""The topics in RAM, as the database has them."""

import json
from bisect import bisect_left, insort
from collections.abc import Collection, Mapping, Sequence

from pi_memory import decay
from pi_memory.errors import NotFound
from pi_memory.text.spelling import typos_within
from pi_memory.topics.file_search import files_about
from pi_memory.topics.names import place
from pi_memory.types import Topic

FILES_FOUND = 20
MOST_COMPARED = 2_000
"""Most paths that a query with typos is compared with, those of the strongest topics: it takes 20 microseconds each."""
MOST_TYPOS = 0.25
"""In a query, as a share of its characters, that a path may be found with."""


class KnownTopics:
    """Topics by name, active or not. The active ones are kept in order: after years most topics are not."""

    def __init__(self) -> None:
        self.by_name: dict[str, Topic] = {}
        self._strongest: list[tuple[float, str]] = []

    def replace(self, changed: Mapping[str, Topic]) -> dict[str, Topic | None]:
        """Replace changed topics. Returns the former ones, None for new topics."""
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
        """A topic by name. Raises `NotFound`."""
        if name not in self.by_name:
            raise NotFound(f"There is no topic {name}", hint="GET /focus?all=1 lists them.")
        return self.by_name[name]

    def all(self) -> list[Topic]:
        """All topics, the one touched last first."""
        return sorted(self.by_name.values(), key=_rank)

    def active(self, now: float) -> list[Topic]:
        """The topics that have not faded at `now`, strongest first."""
        return [self.by_name[name] for _, name in self._strongest[: self._faded_from(now)]]

    def faded(self, now: float) -> list[Topic]:
        """The topics marked active that have faded at `now`."""
        return [self.by_name[name] for _, name in self._strongest[self._faded_from(now) :]]

    def files(self, query: str, now: float) -> list[str]:
        """Known files whose path matches, best first; if there are none, those that contain some of the words."""
        topics = self.active(now)
        known = list(dict.fromkeys(path for topic in topics for path in reversed(topic.file_paths)))
        return _spelled(query.lower(), known) or [*files_about(query, topics, most=FILES_FOUND)]

    def _faded_from(self, now: float) -> int:
        return bisect_left(self._strongest, True, key=lambda rank: decay.strength(-rank[0], now) < decay.GONE)


def _spelled(query: str, paths: Sequence[str]) -> list[str]:
    """The paths that contain the query, or else those of the first ones that have a passage like it, best first."""
    if exact := [path for path in paths if query and query in path.lower()]:
        return exact[:FILES_FOUND]
    most, asked = MOST_TYPOS * len(query), set(query)
    able = [path for path in paths[:MOST_COMPARED] if query and len(asked.difference(path.lower())) <= most]
    wrong = {path: typos_within(query, path.lower()) for path in able}
    return sorted((path for path in able if wrong[path] <= most), key=wrong.__getitem__)[:FILES_FOUND]


def _rank(topic: Topic) -> tuple[float, str]:
    return -topic.last_touched_at, topic.name


class Renames:
    """Old names to new ones, until a topic of the old name is made by hand again."""

    def __init__(self, text: str | None = None) -> None:
        self._new: dict[str, str] = json.loads(text) if text else {}

    def add(self, old: str, new: str) -> None:
        """Rename `old` to `new`, and also what was renamed to `old` before."""
        self._new = {name: new if to == old else to for name, to in self._new.items()} | {old: new}
        self.forget([new])

    def forget(self, names: Collection[str]) -> None:
        """Remove renames of these names: they are topics by the user's own wish."""
        self._new = {name: to for name, to in self._new.items() if name not in names and name != to}

    def topic(self, name: str, known: Mapping[str, Topic]) -> str:
        """The user's name of a topic. A detail follows its area, unless it is a topic by itself."""
        if name in self._new:
            return self._new[name]
        area, slash, detail = name.partition("/")
        alone = name in known and known[name].is_active
        if not slash or alone or area not in self._new:
            return name
        other = self._new[area]
        return other if "/" in other else place(f"{other}/{detail}", known)

    def text(self) -> str:
        """The renames as text, for `Renames` at the next start."""
        return json.dumps(self._new)
