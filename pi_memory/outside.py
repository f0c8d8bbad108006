"""What an agent elsewhere is told: when its session begins, and with what its user says; nothing twice in a session."""

from collections.abc import Callable
from dataclasses import dataclass

from pi_memory.briefing import Briefing
from pi_memory.errors import RequestError
from pi_memory.focus.recent import RecentFocus
from pi_memory.knowledge import namespaces
from pi_memory.knowledge.candidates import Window
from pi_memory.knowledge.recall import Recall
from pi_memory.knowledge.told import Room
from pi_memory.turn import Clock, Model

MOST_CHARACTERS = 100_000
"""What an agent was told before these, its own context has hardly kept."""


@dataclass(frozen=True, slots=True)
class Told:
    """Text for an agent, and the topics and memories in it."""

    text: str = ""
    topics: tuple[str, ...] = ()
    memories: tuple[int, ...] = ()


class Outside:
    """Knows what `most` sessions have been told; the one that asked for nothing the longest is forgotten."""

    def __init__(self, briefing: Briefing, focus: RecentFocus, recall: Recall, *, clock: Clock, most: int) -> None:
        self._briefing = briefing
        self._focus = focus
        self._recall = recall
        self._clock = clock
        self._most = most
        self._told: dict[str, str] = {}

    async def begin(self, session: str, project: str | None, model: Model) -> Told:
        """What a session begins with: the focus, and what the user stated. What it was told before is forgotten, as
        the agent has.
        """
        budget = self._briefing.budget(model)
        block, topics = await self._focus.block(count=model.count, tokens=budget.focus)
        stated, memories = await self._briefing.stated(_named(project), budget.memory, model)
        self._told.pop(session, None)
        self._keep(session, stated)
        return Told("\n\n".join(filter(None, (block, stated))), topics, memories)

    async def message(self, session: str, said: str, project: str | None, model: Model) -> Told:
        """What is known that bears on what the user says, behind the relevance gate. Raises `StoreError`."""
        room = Room(
            tokens=self._briefing.budget(model).recall,
            count=model.count,
            text=self._told.get(session, ""),
            window=Window(session),
        )
        scope, now = namespaces.scope(_named(project)), self._clock()
        text, chosen = await self._recall.for_turn(said, scope=scope, room=room, now=now, session=session)
        self._keep(session, text)
        return Told(text, memories=tuple(recalled.id for recalled in chosen if recalled.kind == "memory"))

    def forget(self, clean: Callable[[str], str]) -> None:
        """Take what `clean` takes out of texts out of what sessions were told."""
        self._told = {session: clean(text) for session, text in self._told.items()}

    def _keep(self, session: str, text: str) -> None:
        told = "\n".join(filter(None, (self._told.pop(session, ""), text)))
        self._told[session] = told[-MOST_CHARACTERS:]
        if len(self._told) > self._most:
            del self._told[next(iter(self._told))]


def _named(project: str | None) -> str | None:
    """A project, None for one that has no name: an agent may work in `/`."""
    try:
        namespaces.scope(project)
    except RequestError:
        return None
    return project
