"""Prefill: what the next turn's prompt begins with is evaluated while nobody waits."""

from collections.abc import Sequence
from contextlib import suppress

from pi_memory.chat.context import TurnContext
from pi_memory.conversation import prompt
from pi_memory.conversation.window import ConversationWindows
from pi_memory.errors import ModelError, Unprocessable
from pi_memory.loader import Loader
from pi_memory.protocols import Clock, Model
from pi_memory.types import GENERAL, Message


class Prefill:
    """Does nothing with a model that keeps no prefix."""

    def __init__(
        self, model: Loader[Model], windows: ConversationWindows, context: TurnContext, *, clock: Clock
    ) -> None:
        self._model = model
        self._windows = windows
        self._context = context
        self._clock = clock

    async def warm(self) -> None:
        """Prefill the prefix of new conversations before there is one."""
        model = await self._model.ready()
        if model.keeps_prefixes:
            with suppress(ModelError, Unprocessable):
                model.prepare(await self._beginning(model))

    def look_ahead(self, conversation_id: str) -> None:
        """Prefill the known part of a conversation's next prompt. Awaits nothing."""
        model, conversation = self._model.now, self._windows.get(conversation_id, self._clock())
        if conversation is not None and model.keeps_prefixes:
            with suppress(ModelError, Unprocessable):
                model.prepare(conversation.messages)

    async def save(self) -> None:
        """At a clean stop: save the evaluated prefixes for the next start."""
        model = self._model.now
        if not model.keeps_prefixes:
            return
        now = self._clock()
        found = [self._windows.get(name, now) for name in reversed(self._windows.ids())]
        with suppress(ModelError, Unprocessable):
            alive = [conversation.messages for conversation in found if conversation]
            await model.save(await self._beginning(model), [messages for messages in alive if messages])

    async def _beginning(self, model: Model) -> Sequence[Message]:
        """The first messages of a new conversation."""
        new = self._windows.new("", self._clock())
        return prompt.beginning((await self._context.standing(new, GENERAL, model)).text)
