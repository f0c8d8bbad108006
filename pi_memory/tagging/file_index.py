"""An index from files to the known topics that hold them. Kept between exchanges, so that a tag costs the same with
many topics.
"""

from collections.abc import Iterable, Mapping

from pi_memory.types import Topic


class FileIndex:
    """Known files by base name, of the topics given last."""

    def __init__(self) -> None:
        self._topics: dict[str, Topic] = {}
        self._by_base: dict[str, set[tuple[str, str]]] = {}

    def update(self, topics: Mapping[str, Topic]) -> None:
        """Apply changes since the last call: only topics that are other objects are compared."""
        for name in [name for name in self._topics if name not in topics]:
            self._drop(self._topics.pop(name))
        for name, topic in topics.items():
            before = self._topics.get(name)
            if before is topic:
                continue
            if before is not None:
                self._drop(before)
            for path in topic.file_paths:
                self._by_base.setdefault(_base(path), set()).add((name, path))
            self._topics[name] = topic

    def of(self, paths: Iterable[str]) -> dict[str, set[str]]:
        """Names of the topics that hold each of these files."""
        return {
            path: {name for name, other in self._by_base.get(_base(path), ()) if _same_file(path, other)}
            for path in paths
        }

    def knows(self, path: str) -> bool:
        """Whether a topic holds a file of this base name, in any directory."""
        return _base(path) in self._by_base

    def _drop(self, topic: Topic) -> None:
        for path in topic.file_paths:
            held = self._by_base.get(_base(path), set())
            held.discard((topic.name, path))
            if not held:
                self._by_base.pop(_base(path), None)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _same_file(one: str, other: str) -> bool:
    """Whether the paths are equal or one ends in the other. A base name alone is not enough: every project has it."""
    short, long = sorted((one, other), key=len)
    return one == other or ("/" in short and long.endswith(f"/{short}"))
