"""Context for an agent elsewhere, at the beginning of its session and with each message; nothing is repeated in a
session.
"""

from collections.abc import Callable

from msgspec import Struct

from pi_memory.chat.context import TurnContext
from pi_memory.event_bus import Events, TextForgotten
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.memories import namespaces
from pi_memory.protocols import Clock, Model
from pi_memory.recall.prompt_blocks import PromptRoom
from pi_memory.recall.recall import Recall
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.retrieval.search import SearchRequest

MOST_CHARACTERS = 100_000
"""Context given before the last so many characters counts as gone from the agent's own context."""
MOST_BYTES = 4_000_000
"""Most bytes of the given contexts of all sessions together."""
KEPT_SECONDS = 24 * 3600
"""Seconds after which a session that asked for nothing is over."""


class AgentContext(Struct, frozen=True):
    """The text for an agent, with its topics and memories."""

    text: str = ""
    topics: tuple[str, ...] = ()
    memories: tuple[int, ...] = ()


class AgentContexts:
    """Remembers what agents were given, for `KEPT_SECONDS` and at most `MOST_BYTES`; whole sessions are evicted."""

    def __init__(
        self, context: TurnContext, focus: RecentFocus, recall: Recall, *, clock: Clock, events: Events
    ) -> None:
        events.subscribe(TextForgotten, lambda forgotten: self._forget(forgotten.clean))
        self._context = context
        self._focus = focus
        self._recall = recall
        self._clock = clock
        # The session that asked last is the last one: when, and what it has, as UTF-8.
        self._given: dict[str, tuple[float, bytes]] = {}

    async def begin(self, session: str, project: str | None, model: Model) -> AgentContext:
        """The context at a session's beginning: the focus, what the user stated, and what is known of the project. What
        it was given before is forgotten, as the agent has forgotten it.
        """
        budget = self._context.budget(model)
        block, topics = await self._focus.block(count=model.count, tokens=budget.focus)
        stated, memories = await self._context.stated(
            namespaces.named(project), budget.memory, model, with_project=True
        )
        self._given.pop(session, None)
        self._keep(session, stated)
        return AgentContext("\n\n".join(filter(None, (block, stated))), topics, memories)

    async def message(self, session: str, said: str, project: str | None, model: Model) -> AgentContext:
        """What the gate lets through for the user's message. Raises `StoreError`."""
        room = PromptRoom(
            tokens=self._context.budget(model).recall,
            count=model.count,
            text=self._text(session),
            in_prompt=PromptWindow(session),
        )
        scope, now = namespaces.scope(namespaces.named(project)), self._clock()
        text, chosen = await self._recall.for_turn(SearchRequest(said, scope, now, session=session), room)
        self._keep(session, text)
        return AgentContext(text, memories=tuple(recalled.id for recalled in chosen if recalled.kind == "memory"))

    def _forget(self, clean: Callable[[str], str]) -> None:
        """Redact the given contexts with `clean`."""
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
