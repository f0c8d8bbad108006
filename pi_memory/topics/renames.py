"""Names that the user has given up for others, so that more work does not bring the old ones back. Pure."""

import json
from collections.abc import Collection, Mapping

from pi_memory.topics.names import place
from pi_memory.types import Topic


class Renames:
    """Old names to new ones, until a topic of the old name is made by hand again."""

    def __init__(self, text: str | None = None) -> None:
        self._new: dict[str, str] = json.loads(text) if text else {}

    def add(self, old: str, new: str) -> None:
        """`old` is called `new` from now on, and so is what was renamed to `old` before."""
        self._new = {name: new if to == old else to for name, to in self._new.items()} | {old: new}
        self.forget([new])

    def forget(self, names: Collection[str]) -> None:
        """These are topics by the user's own wish."""
        self._new = {name: to for name, to in self._new.items() if name not in names and name != to}

    def topic(self, name: str, known: Mapping[str, Topic]) -> str:
        """What the user calls the topic of this name. A detail goes with its area, unless it is a topic by itself."""
        if name in self._new:
            return self._new[name]
        area, slash, detail = name.partition("/")
        alone = name in known and known[name].is_active
        if not slash or alone or area not in self._new:
            return name
        other = self._new[area]
        return other if "/" in other else place(f"{other}/{detail}", known)

    def text(self) -> str:
        """For `Renames` at the next start."""
        return json.dumps(self._new)
