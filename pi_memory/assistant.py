"""THE TURN: one message in, the reply out as it arrives, and what was said remembered. Six numbered steps."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from pi_memory import config, prompt, workspace
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.short_memory import Conversation, ShortMemory
from pi_memory.errors import ModelError, Unprocessable
from pi_memory.focus.asked import files_asked_for, told
from pi_memory.focus.recent import RecentFocus
from pi_memory.loader import Loader
from pi_memory.remember import Remember
from pi_memory.turn import (
    GENERAL,
    Clock,
    Delta,
    Done,
    Exchange,
    Message,
    Model,
    Receipt,
    Standing,
    Thinker,
    Turn,
    Usage,
)


class Assistant:
    """Holds the parts that a turn goes through.

    `remember` and `focus` are None when memory is switched off: then every turn stands alone.
    """

    def __init__(
        self,
        *,
        model: Loader[Model],
        personas: dict[str, str],
        folder: Path,
        max_tokens: int,
        clock: Clock,
        memory: ShortMemory,
        focus: RecentFocus | None,
        remember: Remember | None,
        compaction: Compaction,
    ) -> None:
        self._model = model
        self._personas = personas
        self._folder = folder
        self._max_tokens = max_tokens
        self._clock = clock
        self._memory = memory
        self._focus = focus
        self._remember = remember
        self._compaction = compaction
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def turn(self, turn: Turn) -> AsyncGenerator[Delta | Done, None]:
        """Yield the reply's pieces as they arrive, then `Done`.

        Closing the generator, or cancelling the task that iterates it, stops the model; what had arrived of the
        reply is remembered, marked partial. Turns of one conversation follow each other.

        Raises `Unprocessable` for an unknown agent or a message that is too long, `ModelError` when the model fails.
        """
        config.persona(self._personas, turn.agent)
        model = await self._model.ready()
        budget = prompt.Budget.of(model.context_tokens, self._max_tokens)
        async with self._lock(turn.conversation_id):
            # 1. Short memory: what is being said.
            conversation = self._conversation(turn)
            # 2. Recall: what is being worked on, gathered once, when the conversation begins.
            standing = await self._standing(conversation, turn.agent, budget=budget, count=model.count)
            message = Message("user", turn.message, context=self._context(conversation, turn.message))
            # 3. Prompt.
            built = await self._built(conversation, message, model)
            # 4. Model.
            reply, usage, partial = "", Usage(), True
            try:
                async with aclosing(model.generate(built.messages, max_tokens=budget.reply)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Usage):
                            usage = piece
                            continue
                        reply += piece
                        # 5. Reply, as it arrives.
                        yield Delta(piece)
                partial = False
            finally:
                # 6. Remember. Nothing is awaited here: a client that leaves must not lose what was said.
                if reply or not partial:
                    self._keep(conversation, turn, message, reply=reply, partial=partial)
                    self.look_ahead(turn.conversation_id)
            memory_tokens = standing.memory_tokens + (model.count(message.context) if message.context else 0)
            yield Done(
                reply=reply,
                conversation_id=turn.conversation_id,
                model=model.name,
                provider=model.provider,
                usage=replace(usage, memory_tokens=memory_tokens),
                receipt=Receipt(
                    focus=standing.focus,
                    notes=standing.notes,
                    context=message.context,
                    exchanges=len(conversation.exchanges) - built.left_out,
                    exchanges_left_out=built.left_out,
                ),
            )

    async def warm(self) -> None:
        """At start: have what a new conversation will begin with evaluated before there is one."""
        model = await self._model.ready()
        if isinstance(model, Thinker):
            budget = prompt.Budget.of(model.context_tokens, self._max_tokens)
            new = self._memory.new("", self._clock())
            with suppress(ModelError, Unprocessable):
                standing = await self._standing(new, GENERAL, budget=budget, count=model.count)
                model.prepare(prompt.beginning(standing.text))

    async def save(self) -> None:
        """At a clean stop: keep what is evaluated for the next start."""
        model = self._model.now
        if not isinstance(model, Thinker):
            return
        now = self._clock()
        found = [self._memory.get(name, now) for name in reversed(self._memory.ids())]
        budget = prompt.Budget.of(model.context_tokens, self._max_tokens)
        with suppress(ModelError, Unprocessable):
            new = await self._standing(self._memory.new("", now), GENERAL, budget=budget, count=model.count)
            alive = [conversation.messages for conversation in found if conversation]
            await model.save(prompt.beginning(new.text), [messages for messages in alive if messages])

    def look_ahead(self, conversation_id: str) -> None:
        """Have the next turn's prompt evaluated as far as it is known. Awaits nothing."""
        model, conversation = self._model.now, self._memory.get(conversation_id, self._clock())
        if conversation is not None and isinstance(model, Thinker):
            with suppress(ModelError, Unprocessable):
                model.prepare(conversation.messages)

    async def _built(self, conversation: Conversation, message: Message, model: Model) -> prompt.Prompt:
        """The prompt. What has no room for a message that is longer than any before is compacted here and now."""
        budget = prompt.Budget.of(model.context_tokens, self._max_tokens)
        build = partial(prompt.build, budget=budget, count_prompt=model.count_prompt)
        built = build(conversation.system, conversation.exchanges, message)
        if built.left_out and self._remember:
            await self._compaction.make_room(conversation, built.left_out, model)
            folded = self._memory.last(conversation.id)
            if folded is not None:
                conversation.exchanges, conversation.summary = folded.exchanges, folded.summary
                built = build(conversation.system, conversation.exchanges, message)
        return built

    def _lock(self, conversation_id: str) -> asyncio.Lock:
        lock = self._locks.get(conversation_id)
        if lock is None:
            lock = self._locks[conversation_id] = asyncio.Lock()
        return lock

    def _conversation(self, turn: Turn) -> Conversation:
        now = self._clock()
        found = self._memory.get(turn.conversation_id, now) if self._remember else None
        conversation = found or self._memory.new(turn.conversation_id, now)
        conversation.project = turn.project or conversation.project
        return conversation

    async def _standing(
        self, conversation: Conversation, agent: str, *, budget: prompt.Budget, count: Callable[[str], int]
    ) -> Standing:
        """The conversation's standing text; gathered anew when it begins or another agent takes over."""
        if conversation.standing and conversation.standing.agent == agent:
            return conversation.standing
        persona = config.persona(self._personas, agent)
        notes = workspace.notes(self._folder, count=count, tokens=budget.notes)
        block, topics = await self._focus.block(count=count, tokens=budget.focus) if self._focus else ("", ())
        text = prompt.standing(persona, tuple(notes.values()), block)
        conversation.standing = Standing(agent, text, count(text) - count(persona), topics, tuple(notes))
        return conversation.standing

    def _context(self, conversation: Conversation, asked: str) -> str:
        """What goes in front of the user's words: an edited focus, known files when one is asked for, and the date when
        it may have changed.
        """
        now = self._clock()
        files = told(files_asked_for(asked, self._focus.active(now))) if self._focus else ""
        fresh = bool(conversation.exchanges) and now - conversation.last_at < prompt.DATE_AFTER
        date = "" if fresh else datetime.fromtimestamp(now).astimezone().strftime("%A, %d %B %Y, %H:%M")
        return "\n".join(filter(None, (*conversation.pending, files, date)))

    def _keep(self, conversation: Conversation, turn: Turn, message: Message, *, reply: str, partial: bool) -> None:
        if not self._remember:
            return
        exchange = Exchange(
            conversation_id=turn.conversation_id,
            user=turn.message,
            reply=reply,
            at=self._clock(),
            context=message.context,
            partial=partial,
            project=conversation.project,
            tool_calls=turn.tool_calls,
        )
        self._memory.append(conversation, exchange)
        self._remember.put(exchange)
