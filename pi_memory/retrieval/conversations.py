"""Results grouped by conversation: for counting, and for "what did we talk about". Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from pi_memory.types import Recalled

PASSAGES = 3
"""Results that represent a conversation."""
LOOKED_THROUGH = 12
"""Results that are searched for each conversation wanted: one may have many."""


@dataclass(frozen=True, slots=True)
class FoundConversation:
    """A conversation that answers a query, with its best passages, best first."""

    conversation_id: str
    passages: tuple[Recalled, ...]

    @property
    def score(self) -> float:
        return self.passages[0].score


def by_conversation(results: Iterable[Recalled], k: int) -> list[FoundConversation]:
    """The `k` conversations of the best of `results`, which come best first; memories belong to none."""
    passages: dict[str, list[Recalled]] = {}
    for result in results:
        if result.conversation_id is not None:
            passages.setdefault(result.conversation_id, []).append(result)
    found = [FoundConversation(name, tuple(of_it[:PASSAGES])) for name, of_it in passages.items()]
    return found[:k]
