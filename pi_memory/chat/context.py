"""Step 2 of a turn: gathers the context of a message.

The standing text is gathered when a conversation begins, and then stays: persona, the user's notes, Recent Focus,
stated memories. In front of each message come relevant memories, changes since the last one, and the date.
"""

from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from pi_memory import config
from pi_memory.chat import notes
from pi_memory.conversation import prompt
from pi_memory.conversation.window import Conversation
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.memories import namespaces
from pi_memory.memories.memories import Memories
from pi_memory.protocols import Clock, Model
from pi_memory.recall import prompt_blocks
from pi_memory.recall.prompt_blocks import PromptRoom
from pi_memory.recall.recall import Recall
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.retrieval.search import SearchRequest
from pi_memory.store.memories import Filter
from pi_memory.text.intent import Wish, intent_of
from pi_memory.types import Message, Recalled, Standing, Turn
from pi_memory.worker import Worker


class ContextualMessage(Struct, frozen=True):
    """The user's message with its context, and the hits in it."""

    message: Message
    recalled: tuple[Recalled, ...] = ()


class MemoryReader(Struct, frozen=True):
    """The read side of memory: focus topics, stored memories, recall."""

    focus: RecentFocus
    memories: Memories
    recall: Recall


class TurnContext:
    """Gathers context. `personas` by agent; `folder` has the user's notes. `memory` is None when memory is off."""

    def __init__(
        self,
        personas: dict[str, str],
        folder: Path,
        *,
        memory: MemoryReader | None,
        max_tokens: int,
        clock: Clock,
        worker: Worker,
    ) -> None:
        self._personas = personas
        self._folder = folder
        self._memory = memory
        self._max_tokens = max_tokens
        self._clock = clock
        self._worker = worker

    def check(self, agent: str) -> None:
        """Raises `Unprocessable` for an unknown agent."""
        config.persona(self._personas, agent)

    def budget(self, model: Model) -> prompt.Budget:
        return prompt.Budget.of(model.context_tokens, self._max_tokens)

    async def standing(self, conversation: Conversation, agent: str, model: Model) -> Standing:
        """The conversation's standing text: what it has, or gathered anew when it begins, when the agent or the project
        changes, and when a memory in it does not hold any more.

        Raises `Unprocessable` for an unknown agent.
        """
        persona = config.persona(self._personas, agent)
        known = conversation.standing
        if known and (known.agent, known.project) == (agent, conversation.project) and await self._holds(known):
            return known
        budget = self.budget(model)
        own_notes = await self._worker.run(notes.notes, self._folder, count=model.count, tokens=budget.notes)
        memory = self._memory
        block, topics = await memory.focus.block(count=model.count, tokens=budget.focus) if memory else ("", ())
        stated, ids = await self.stated(conversation.project, budget.memory, model)
        text = prompt.standing_text(persona, tuple(own_notes.values()), block, stated)
        tokens = await self._worker.run(lambda: model.count(text) - model.count(persona))
        return Standing(agent, text, tokens, topics, tuple(own_notes), ids, conversation.project)

    async def _holds(self, standing: Standing) -> bool:
        """Whether all memories in a standing text hold as they stand in it."""
        if self._memory is None or not standing.memories:
            return True
        known = await self._memory.memories.several(standing.memories)
        return all(memory.is_valid and prompt_blocks.line_of(memory) in standing.text for memory in known)

    async def stated(
        self, project: str | None, tokens: int, model: Model, *, with_project: bool = False
    ) -> tuple[str, tuple[int, ...]]:
        """The prompt section about memories (how many, newest day, the stated ones), and the ids it shows; after them
        the newest `with_project` of the project itself.
        """
        if self._memory is None:
            return "", ()
        memories = self._memory.memories
        seen = namespaces.scope(project)
        newest, count = await memories.listed(Filter(namespaces=seen), limit=1)
        stated = await memories.some(Filter(namespaces=seen, priority="highest"), limit=prompt_blocks.MOST)
        if with_project:
            own = Filter(namespaces=tuple(name for name in seen if name.startswith("project/")))
            newest_of_it = await memories.some(own, limit=prompt_blocks.MOST) if own.namespaces else []
            known = {each.id for each in stated}
            stated = [*stated, *(each for each in newest_of_it if each.id not in known)]
        at = newest[0].created_at if newest else 0.0
        block = partial(prompt_blocks.stated_block, count=count, newest=at, tokens=tokens, measure=model.count)
        return await self._worker.run(block, stated)

    async def message(self, conversation: Conversation, turn: Turn, model: Model, *, query: str) -> ContextualMessage:
        """The last message of the prompt, with what is known for `query`; the date, when it may have changed, is the
        last line before the user's words.

        Raises `StoreError`.
        """
        now, recall = self._clock(), self._memory.recall if self._memory and query else None
        block, recalled = await self._recalled(recall, conversation, query, model) if recall else ("", ())
        context = filter(None, (block, *conversation.pending, _date(conversation, now)))
        return ContextualMessage(Message("user", turn.message, context="\n\n".join(context)), recalled)

    async def _recalled(
        self, recall: Recall, conversation: Conversation, query: str, model: Model
    ) -> tuple[str, tuple[Recalled, ...]]:
        """The recall block: what answers the query and is not in the prompt yet, for `when did I tell you that?` what
        the last answer rests on; and the hits in it.
        """
        said = conversation.exchanges
        before = said[-1].receipt if said else None
        room = PromptRoom(
            tokens=self.budget(model).recall,
            count=model.count,
            # A model that only quotes (`extractive.py`) has to be given all that answers, also what stands
            # elsewhere in the prompt.
            text="\n".join(message.text for message in conversation.messages) if model.is_language_model else "",
            in_prompt=PromptWindow(conversation.id, said[0].at) if said else None,
            names_projects=True,
            before=" ".join((said[-1].user, *said[-1].recalled[:1])) if said else "",
        )
        if before and before.recalled and intent_of(query).kind is Wish.DOUBT:
            return await recall.sources(before.recalled[:1], room)
        scope, now = namespaces.scope(conversation.project), self._clock()
        return await recall.for_turn(SearchRequest(query, scope, now, session=conversation.id), room)


def _date(conversation: Conversation, now: float) -> str:
    fresh = bool(conversation.exchanges) and now - conversation.last_at < prompt.DATE_AFTER
    return "" if fresh else datetime.fromtimestamp(now).astimezone().strftime("%A, %d %B %Y, %H:%M")
