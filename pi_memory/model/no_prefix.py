"""The part of `Model` that models share which keep nothing evaluated in this process."""

from collections.abc import Mapping, Sequence

from pi_memory.types import Count, Message, Purpose


class KeepsNothing:
    """`prepare`, `save` and `unsave` do nothing, and nothing is evaluated in a thread of this process."""

    keeps_prefixes = False
    steps: int | None = None
    counts: Mapping[Purpose, Count] = {}

    def prepare(self, messages: Sequence[Message]) -> None: ...

    async def save(self, beginning: Sequence[Message], conversations: Sequence[Sequence[Message]]) -> None: ...

    def unsave(self) -> None: ...
