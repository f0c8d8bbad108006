"""What an agent elsewhere is told: when its session begins, and with what its user says; nothing twice in a session."""

from collections.abc import Callable
from dataclasses import dataclass

from pi_memory.chat.context import TurnContext
from pi_memory.errors import RequestError
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.memories import namespaces
from pi_memory.protocols import Clock, Model
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.retrieval.prompt_blocks import PromptRoom
from pi_memory.retrieval.search import Search

MOST_CHARACTERS = 100_000
"""What an agent was given before these, its own context has hardly kept."""
MOST_BYTES = 4_000_000
"""Of all sessions together."""
KEPT_SECONDS = 24 * 3600
"""A session that has asked for nothing for so long is over."""


@dataclass(frozen=True, slots=True)
class AgentContext:
    """Text for an agent, and the topics and memories in it."""

    text: str = ""
    topics: tuple[str, ...] = ()
    memories: tuple[int, ...] = ()


class AgentContexts:
    """Knows what agents were given for `KEPT_SECONDS`, and the last `MOST_BYTES` of it, whole sessions at a time."""

    def __init__(self, briefing: TurnContext, focus: RecentFocus, recall: Search, *, clock: Clock) -> None:
        self._briefing = briefing
        self._focus = focus
        self._recall = recall
        self._clock = clock
        # The session that asked last is the last one: when, and what it has, as UTF-8.
        self._given: dict[str, tuple[float, bytes]] = {}

    async def begin(self, session: str, project: str | None, model: Model) -> AgentContext:
        """What a session begins with: the focus, and what the user stated. What it was told before is forgotten, as
        the agent has.
        """
        budget = self._briefing.budget(model)
        block, topics = await self._focus.block(count=model.count, tokens=budget.focus)
        stated, memories = await self._briefing.stated(_named(project), budget.memory, model)
        self._given.pop(session, None)
        self._keep(session, stated)
        return AgentContext("\n\n".join(filter(None, (block, stated))), topics, memories)

    async def message(self, session: str, said: str, project: str | None, model: Model) -> AgentContext:
        """What is known that bears on what the user says, behind the relevance gate. Raises `StoreError`."""
        room = PromptRoom(
            tokens=self._briefing.budget(model).recall,
            count=model.count,
            text=self._text(session),
            window=PromptWindow(session),
        )
        scope, now = namespaces.scope(_named(project)), self._clock()
        text, chosen = await self._recall.for_turn(said, scope=scope, room=room, now=now, session=session)
        self._keep(session, text)
        return AgentContext(text, memories=tuple(recalled.id for recalled in chosen if recalled.kind == "memory"))

    def forget(self, clean: Callable[[str], str]) -> None:
        """Take what `clean` takes out of texts out of what sessions were given."""
        self._given = {name: (at, clean(kept.decode()).encode()) for name, (at, kept) in self._given.items()}

    def _text(self, session: str) -> str:
        at, kept = self._given.get(session, (0.0, b""))
        return kept.decode() if self._clock() - at <= KEPT_SECONDS else ""

    def _keep(self, session: str, text: str) -> None:
        now = self._clock()
        given = "\n".join(filter(None, (self._text(session), text)))[-MOST_CHARACTERS:]
        self._given.pop(session, None)
        self._given[session] = (now, given.encode())
        size = sum(len(kept) for _, kept in self._given.values())
        for name, (at, kept) in list(self._given.items()):
            if size <= MOST_BYTES and now - at <= KEPT_SECONDS:
                break
            size -= len(kept)
            del self._given[name]


def _named(project: str | None) -> str | None:
    """A project, None for one that has no name: an agent may work in `/`."""
    try:
        namespaces.scope(project)
    except RequestError:
        return None
    return project
