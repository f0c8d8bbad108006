"""THE TURN: one message in, the reply out as it arrives, and what was said remembered. Six numbered steps."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from weakref import WeakValueDictionary

from pi_memory.background.inbox import Inbox
from pi_memory.chat.context import ContextualMessage, TurnContext
from pi_memory.chat.prefill import Prefill
from pi_memory.conversation import prompt, screen
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.screen import UNKEPT
from pi_memory.conversation.window import Conversation, ConversationWindows
from pi_memory.embedding.worker import Worker
from pi_memory.errors import ModelError, StoreError, Unprocessable
from pi_memory.learning.learner import Learner
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.protocols import Clock, Model
from pi_memory.types import Delta, Done, Exchange, Message, Notice, Receipt, Standing, Statement, Turn, Usage

LONGEST_REPLY = 2**31 - 1
LONGEST_TOKEN = 256
"""Characters; a reply has no more than these for each token that it may have, whatever a server sends."""


class Assistant:
    """Holds the parts that a turn goes through.

    `inbox` is None when memory is switched off: then every turn stands alone.
    """

    def __init__(
        self,
        *,
        model: Loader[Model],
        clock: Clock,
        windows: ConversationWindows,
        context: TurnContext,
        compaction: Compaction,
        learner: Learner,
        inbox: Inbox | None,
        prefill: Prefill,
        worker: Worker,
    ) -> None:
        self._model = model
        self._clock = clock
        self._windows = windows
        self._context = context
        self._compaction = compaction
        self._learner = learner
        self._inbox = inbox
        self._prefill = prefill
        self._worker = worker
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def admit(self) -> None:
        """Raises `Unavailable` while what was said before fills the inbox."""
        if self._inbox:
            self._inbox.admit()

    async def turn(self, turn: Turn) -> AsyncGenerator[Delta | Done, None]:
        """Yield the reply's pieces as they arrive, then `Done`.

        Closing the generator, or cancelling the task that iterates it, stops the model; what had arrived of the
        reply is remembered, marked partial. Turns of one conversation follow each other.

        Raises `Unprocessable` for an unknown agent or a message that is too long, `ModelError` when the model fails.
        """
        self._context.check(turn.agent)
        model = await self._model.ready()
        async with self._lock(turn.conversation_id):
            # 1. Statements and window: what the message states is stored, or forgotten, before the window is read.
            statements = notice(turn.message) if self._inbox and turn.remember else ()
            if statements:
                await self._check_fits(turn, model)
            stated = await self._state(statements, turn)
            conversation = self._conversation(turn)
            # 2. Recall: the standing text when the conversation begins, and the context of this message.
            standing = await self._context.standing(conversation, turn.agent, model)
            contextual = await self._message(conversation, turn, model)
            # 3. Prompt.
            built = await self._built(conversation, contextual.message, model)
            receipt = _receipt(standing, conversation, contextual, left_out=built.left_out, stated=stated)
            # 4. Model.
            reply, usage, is_partial = "", Usage(), True
            notices: list[str] = []
            room = min(self._context.budget(model).reply, turn.options.max_tokens or LONGEST_REPLY)
            try:
                async with aclosing(model.generate(built.messages, max_tokens=room, options=turn.options)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Usage):
                            usage = piece
                            continue
                        if isinstance(piece, Notice):
                            notices.append(piece)
                            continue
                        if len(reply) + len(piece) > room * LONGEST_TOKEN:
                            raise _endless(model)
                        reply += piece
                        # 5. Reply, as it arrives.
                        yield Delta(piece)
                is_partial = False
            finally:
                # 6. Remember. Nothing is awaited here: a client that leaves must not lose what was said.
                if turn.remember and (reply or not is_partial):
                    exchange = _exchange(turn, conversation, contextual, reply=reply, at=self._clock())
                    self._keep(conversation, replace(exchange, partial=is_partial, receipt=receipt), statements)
            for line in (*stated, *notices):
                yield Delta(f"\n\n{line}" if reply else line)
            memory = filter(None, (conversation.summary, contextual.message.context))
            tokens = standing.memory_tokens + await self._worker.run(_count, model, tuple(memory))
            yield Done(
                reply="\n\n".join(filter(None, (reply, *stated, *notices))),
                conversation_id=turn.conversation_id,
                model=model.name,
                provider=model.provider,
                usage=replace(usage, memory_tokens=tokens),
                receipt=receipt,
                is_cut=usage.completion_tokens >= room,
            )

    async def _state(self, statements: Sequence[Statement], turn: Turn) -> tuple[str, ...]:
        """Store, or forget, what the user states. Returns lines for the user."""
        if not statements:
            return ()
        try:
            project = self._conversation(turn).project
            return tuple(await self._learner.state(statements, session=turn.conversation_id, project=project))
        except StoreError as error:
            return (f"Not saved: {error.message.removeprefix('Not saved: ')}. {error.hint}",)

    async def _built(self, conversation: Conversation, message: Message, model: Model) -> prompt.Prompt:
        """The prompt. What does not fit, beside a message longer than any before, is compacted now."""
        build = partial(prompt.build, budget=self._context.budget(model), count_prompt=model.count_prompt)
        try:
            built = await self._worker.run(build, conversation.system, conversation.exchanges, message)
        except Unprocessable:
            if not message.context:
                raise
            # What was recalled has no room besides it; the message itself may have.
            bare = replace(message, context="")
            built = await self._worker.run(build, conversation.system, conversation.exchanges, bare)
        held = self._windows.last(conversation.id)
        if built.left_out and held and held.exchanges == conversation.exchanges:
            await self._compaction.make_room(conversation, built.left_out, model)
            folded = self._windows.last(conversation.id)
            if folded is not None:
                conversation.exchanges, conversation.summary = folded.exchanges, folded.summary
                built = await self._worker.run(build, conversation.system, conversation.exchanges, message)
        return built

    async def _check_fits(self, turn: Turn, model: Model) -> None:
        """Raises `Unprocessable` for a message that fits no prompt, before its statements are stored."""
        conversation, budget = self._conversation(turn), self._context.budget(model)
        await self._context.standing(conversation, turn.agent, model)
        # What it states may become a part of what every prompt begins with.
        budget = replace(budget, context=budget.context - budget.memory)
        build = partial(prompt.build, budget=budget, count_prompt=model.count_prompt)
        await self._worker.run(build, conversation.system, (), Message("user", turn.message))

    def _lock(self, conversation_id: str) -> asyncio.Lock:
        lock = self._locks.get(conversation_id)
        if lock is None:
            lock = self._locks[conversation_id] = asyncio.Lock()
        return lock

    def _conversation(self, turn: Turn) -> Conversation:
        now = self._clock()
        found = self._windows.get(turn.conversation_id, now) if self._inbox and turn.remember else None
        conversation = found or self._windows.new(turn.conversation_id, now)
        conversation.project = turn.project or conversation.project
        conversation.instructions = turn.instructions
        if turn.screen:
            conversation.exchanges = deque(screen.merged(turn.screen, conversation))
        if not turn.remember:
            conversation.standing = Standing(turn.agent, "", 0)
        return conversation

    async def _message(self, conversation: Conversation, turn: Turn, model: Model) -> ContextualMessage:
        if not turn.remember:
            return ContextualMessage(Message("user", turn.message))
        return await self._context.message(conversation, turn, model)

    def _keep(self, conversation: Conversation, exchange: Exchange, statements: Sequence[Statement]) -> None:
        if not self._inbox:
            return
        kept = replace(exchange, user=_kept(exchange.user, statements))
        self._windows.append(conversation, kept)
        lasting = tuple(statement for statement in statements if statement.kind not in ("forget", "private"))
        self._inbox.put(replace(kept, stated=lasting))
        self._prefill.look_ahead(conversation.id)


def _count(model: Model, texts: Sequence[str]) -> int:
    return sum(map(model.count, texts))


def _exchange(
    turn: Turn, conversation: Conversation, contextual: ContextualMessage, *, reply: str, at: float
) -> Exchange:
    return Exchange(
        conversation_id=turn.conversation_id,
        user=turn.message,
        reply=reply,
        at=at,
        context=contextual.message.context,
        project=conversation.project,
        tool_calls=turn.tool_calls,
        recalled=tuple(memory.content for memory in contextual.recalled),
    )


def _endless(model: Model) -> ModelError:
    return ModelError(f"The reply of {model.name} does not end", hint="Its server ignores max_tokens; look at its log.")


def _receipt(
    standing: Standing,
    conversation: Conversation,
    contextual: ContextualMessage,
    *,
    left_out: int,
    stated: tuple[str, ...],
) -> Receipt:
    return Receipt(
        focus=standing.focus,
        notes=standing.notes,
        context=contextual.message.context,
        exchanges=len(conversation.exchanges) - left_out,
        exchanges_left_out=left_out,
        memories=standing.memories,
        recalled=contextual.recalled,
        stated=stated,
    )


def _kept(message: str, statements: Sequence[Statement]) -> str:
    """The message as it is stored: without what it asks to forget."""
    if any(statement.kind == "private" for statement in statements):
        return UNKEPT
    for statement in statements:
        if statement.kind == "forget":
            message = message.replace(statement.quote, UNKEPT)
    return message
