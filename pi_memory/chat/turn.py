"""THE TURN: one message in, the reply out as it arrives, and what was said remembered. Six numbered steps."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from functools import partial
from weakref import WeakValueDictionary

from msgspec import Struct, field
from msgspec.structs import replace

from pi_memory.background.inbox import Inbox
from pi_memory.chat.context import ContextualMessage, TurnContext
from pi_memory.chat.prefill import Prefill
from pi_memory.conversation import prompt, screen
from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.window import Conversation, ConversationWindows
from pi_memory.errors import ModelError, StoreError, Unprocessable
from pi_memory.learning.forget_requests import confirmed
from pi_memory.learning.learner import Learner
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.merging.brief_correction import Answered, is_unclear, may_be_over, says_no
from pi_memory.protocols import Clock, Model
from pi_memory.text import language
from pi_memory.text.intent import Wish, intent_of
from pi_memory.text.language import pattern
from pi_memory.text.user_text import sentences
from pi_memory.types import (
    NO_MEMORY,
    UNKEPT,
    Delta,
    Done,
    Exchange,
    Message,
    Notice,
    Receipt,
    ReplyOptions,
    Standing,
    Statement,
    Turn,
    Usage,
)
from pi_memory.worker import Worker

SAY_IT_WHOLE = "I cannot tell what that puts right. Please say it in a whole sentence."
MAY_NOT_FORGET = "Not done: the token that this was said with may not erase anything, nor take it back."
LONGEST_REPLY = 2**31 - 1
LONGEST_TOKEN = 256
"""Characters; a reply has no more than these for each token that it may have, whatever a server sends."""


class Reply(Struct):
    """What has arrived of a reply that may have `room` tokens."""

    room: int
    text: str = ""
    usage: Usage = Usage()
    notices: list[str] = field(default_factory=list)
    is_partial: bool = True


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
            # 1. Statements and window: what a message states is stored, or forgotten, before it is read for the prompt.
            statements = _statements(turn.message, self._conversation(turn)) if self._inbox and turn.remember else ()
            if self._inbox and turn.remember and (statements or intent_of(turn.message).asks):
                await self._inbox.caught_up()
            if statements:
                outcomes = await self._store(statements, turn, model)
            else:
                outcomes = _unclear(turn.message, self._conversation(turn)) if self._inbox and turn.remember else ()
            conversation = self._conversation(turn)
            # 2. Recall: the standing text when the conversation begins, and the context of this message.
            conversation.standing = await self._context.standing(conversation, turn.agent, model)
            query = _without_forgotten(turn.message, statements, mark="").strip()
            contextual = await self._message(conversation, turn, model, query=query)
            # 3. Prompt.
            built, contextual = await self._built(conversation, contextual, model)
            receipt = _receipt(
                conversation, conversation.standing, contextual, left_out=built.left_out, stated=outcomes
            )
            # 4. Model.
            reply = Reply(min(self._context.budget(model).reply, turn.options.max_tokens or LONGEST_REPLY))
            try:
                async with aclosing(_pieces(model, built.messages, turn.options, into=reply)) as pieces:
                    async for piece in pieces:
                        # 5. Reply, as it arrives.
                        yield Delta(piece)
            finally:
                # 6. Remember. Nothing is awaited here: a client that leaves must not lose what was said.
                if turn.remember and (reply.text or not reply.is_partial):
                    exchange = _exchange(turn, conversation, contextual, reply, at=self._clock())
                    self._remember(conversation, replace(exchange, receipt=receipt), statements)
            # The end of 5: what became of the statements, what the model says of itself, then `Done`.
            for line in (*outcomes, *reply.notices):
                yield Delta(f"\n\n{line}" if reply.text else line)
            yield await self._done(conversation, reply, receipt, model)

    async def _done(self, conversation: Conversation, reply: Reply, receipt: Receipt, model: Model) -> Done:
        tokens = conversation.standing.memory_tokens if conversation.standing else 0
        memory = tuple(filter(None, (conversation.summary, receipt.context)))
        tokens += await self._worker.run(_count, model, memory)
        return Done(
            reply="\n\n".join(filter(None, (reply.text, *receipt.stated, *reply.notices))),
            conversation_id=conversation.id,
            model=model.name,
            provider=model.provider,
            usage=replace(reply.usage, memory_tokens=tokens),
            receipt=receipt,
            is_cut=reply.usage.completion_tokens >= reply.room,
        )

    async def _store(self, statements: Sequence[Statement], turn: Turn, model: Model) -> tuple[str, ...]:
        """Store, or forget, what the user states. Returns lines that tell the user what became of it.

        Raises `Unprocessable` for a message that fits no prompt, before anything is stored.
        """
        # Only to check that the message fits: the turn reads the window again, without what is forgotten here.
        conversation = self._conversation(turn)
        await self._check_fits(conversation, turn, model)
        allowed = [statement for statement in statements if turn.may_forget or statement.kind not in ("forget", "undo")]
        try:
            lines = await self._learner.state(allowed, session=conversation.id, project=conversation.project)
        except StoreError as error:
            return (f"Not saved: {error.message.removeprefix('Not saved: ')}. {error.hint}",)
        return tuple(lines) if len(allowed) == len(statements) else (*lines, MAY_NOT_FORGET)

    async def _built(
        self, conversation: Conversation, contextual: ContextualMessage, model: Model
    ) -> tuple[prompt.Prompt, ContextualMessage]:
        """The prompt, and the message as it stands there. Where a message leaves it no room, what was recalled is left
        out, and exchanges that do not fit beside a message longer than all before it are compacted now.
        """
        build = partial(prompt.build, budget=self._context.budget(model), count_prompt=model.count_prompt)
        try:
            built = await self._worker.run(build, conversation.system, conversation.exchanges, contextual.message)
        except Unprocessable:
            if not contextual.message.context:
                raise
            # What was recalled has no room besides it; the message itself may have.
            contextual = ContextualMessage(replace(contextual.message, context=""))
            built = await self._worker.run(build, conversation.system, conversation.exchanges, contextual.message)
        window = self._windows.last(conversation.id)
        # Compaction cuts the window: only where the prompt has just that, and not what a program shows of its own.
        if built.left_out and window and window.exchanges == conversation.exchanges:
            await self._compaction.make_room(conversation, built.left_out, model)
            compacted = self._windows.last(conversation.id)
            if compacted is not None:
                after = replace(conversation, exchanges=compacted.exchanges, summary=compacted.summary)
                with suppress(Unprocessable):  # the summary has no room besides the message: this prompt goes without
                    built = await self._worker.run(build, after.system, after.exchanges, contextual.message)
                    conversation.exchanges, conversation.summary = after.exchanges, after.summary
        return built, contextual

    async def _check_fits(self, conversation: Conversation, turn: Turn, model: Model) -> None:
        """Raises `Unprocessable` for a message that fits no prompt."""
        conversation.standing = await self._context.standing(conversation, turn.agent, model)
        # What it states may become a part of what every prompt begins with.
        budget = self._context.budget(model)
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

    async def _message(self, conversation: Conversation, turn: Turn, model: Model, *, query: str) -> ContextualMessage:
        if not turn.remember:
            return ContextualMessage(Message("user", turn.message))
        return await self._context.message(conversation, turn, model, query=query)

    def _remember(self, conversation: Conversation, exchange: Exchange, statements: Sequence[Statement]) -> None:
        if not self._inbox:
            return
        is_private = any(statement.kind == "private" for statement in statements)
        user = UNKEPT if is_private else _without_forgotten(exchange.user, statements, mark=UNKEPT)
        if user != exchange.user:
            language.let_go()  # the message was taken apart
        exchange = replace(exchange, user=user)
        self._windows.append(conversation, exchange)
        lasting = tuple(statement for statement in statements if statement.kind not in NO_MEMORY)
        self._inbox.put(replace(exchange, stated=lasting))
        self._prefill.look_ahead(conversation.id)


def _count(model: Model, texts: Sequence[str]) -> int:
    return sum(map(model.count, texts))


async def _pieces(
    model: Model, messages: Sequence[Message], options: ReplyOptions, *, into: Reply
) -> AsyncGenerator[str, None]:
    """The reply's pieces as they arrive; `into` collects them, with the usage and notices. Raises `ModelError`."""
    async with aclosing(model.generate(messages, max_tokens=into.room, options=options)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Usage):
                into.usage = piece
            elif isinstance(piece, Notice):
                into.notices.append(piece)
            elif len(into.text) + len(piece) > into.room * LONGEST_TOKEN:
                raise _endless(model)
            else:
                into.text += piece
                yield piece
    into.is_partial = False


def _exchange(
    turn: Turn, conversation: Conversation, contextual: ContextualMessage, reply: Reply, *, at: float
) -> Exchange:
    return Exchange(
        conversation_id=turn.conversation_id,
        user=turn.message,
        reply=reply.text,
        at=at,
        partial=reply.is_partial,
        context=contextual.message.context,
        project=conversation.project,
        tool_calls=turn.tool_calls,
        recalled=tuple(memory.content for memory in contextual.recalled),
    )


def _endless(model: Model) -> ModelError:
    return ModelError(f"The reply of {model.name} does not end", hint="Its server ignores max_tokens; look at its log.")


def _receipt(
    conversation: Conversation,
    standing: Standing,
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


def _statements(message: str, conversation: Conversation) -> tuple[Statement, ...]:
    """What a message states: by itself, or as an answer to "Is this to be forgotten?" or to what was recalled."""
    receipt = conversation.exchanges[-1].receipt if conversation.exchanges else None
    if receipt and (what := confirmed(message, receipt.stated)):
        return (Statement("forget", what, message),)
    return notice(message, _answered(message, conversation))


def _unclear(message: str, conversation: Conversation) -> tuple[str, ...]:
    """A line for a message that states nothing by itself, puts something right and does not say what."""
    return (SAY_IT_WHOLE,) if is_unclear(message) and _answered(message, conversation) else ()


def _answered(message: str, conversation: Conversation) -> Answered | None:
    """What the last message of a conversation asked, and the best that was recalled for it; if it only stated something
    to which this one says no, or that it is over, that; None for others.
    """
    last = conversation.exchanges[-1] if conversation.exchanges else None
    if last is None or last.receipt is None:
        return None
    points_back = says_no(message) or may_be_over(message) or pattern("forgets_that").match(message) is not None
    if points_back and len(sentences(last.user)) == 1 and intent_of(last.user).kind is Wish.STATEMENT:
        return Answered("", last.user)
    best, asks = next(iter(last.receipt.recalled), None), intent_of(last.user).kind is Wish.QUESTION
    if best is None:
        return Answered(last.user, "", is_sure=False) if asks else None
    return Answered(last.user, best.content, is_sure=best.is_sure) if asks or not best.is_sure else None


def _without_forgotten(message: str, statements: Sequence[Statement], *, mark: str) -> str:
    """The message with `mark` in the place of what it asks to forget, or to take back."""
    for statement in statements:
        if statement.kind in ("forget", "undo"):
            message = message.replace(statement.quote, mark)
    return message
