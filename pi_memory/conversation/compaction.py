"""Compaction: the oldest exchanges of a long conversation become a summary and are queued as a lesson.

The summary, the lesson and the window's new beginning are one transaction.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from pi_memory.conversation import prompt
from pi_memory.conversation.summary import summarise, supported
from pi_memory.conversation.window import Conversation, ConversationWindows
from pi_memory.errors import ModelError, StoreError, Unprocessable
from pi_memory.protocols import Model
from pi_memory.store import conversations
from pi_memory.store.database import Database
from pi_memory.types import AnswerForm, Exchange
from pi_memory.worker import Worker

INSTRUCTION = (
    "Sum up our conversation so far, with what was summed up before, in short lines that begin with '- ': what was "
    "decided and why, what worked, what failed, what is open, and where the work stands. Only what was said. No code."
)
GRAMMAR = r"""
root ::= line+
line ::= "- " [^\n<>]+ "\n"
"""
LINES = AnswerForm(GRAMMAR, line="- {text}\n")

logger = logging.getLogger(__name__)


class Compaction:
    """Compacts conversations, each one at a time."""

    def __init__(
        self, db: Database, windows: ConversationWindows, *, max_turns: int, max_tokens: int, worker: Worker
    ) -> None:
        self._db = db
        self._windows = windows
        self._max_turns = max_turns
        self._max_tokens = max_tokens
        self._worker = worker

    async def compact(self, conversation: Conversation, model: Model) -> bool:
        """Summarise by the model the exchanges that the next message may have no room for. Returns whether there were
        any. Takes as long as the model does; the conversation may continue meanwhile.

        Raises `StoreError`.
        """
        budget = prompt.Budget.of(model.context_tokens, self._max_tokens)
        exchanges = tuple(conversation.exchanges)
        count = await self._worker.run(
            prompt.to_fold,
            conversation.system,
            exchanges,
            max_turns=self._max_turns,
            budget=budget,
            count_prompt=model.count_prompt,
        )
        if not count:
            return False
        summary = await _by_model(model, conversation, cap=budget.summary)
        if not summary:
            block = exchanges[:count]
            summary = await self._worker.run(_quoted, conversation.summary, block, model, tokens=budget.summary)
        await self._fold(conversation, count, summary)
        return True

    async def make_room(self, conversation: Conversation, count: int, model: Model) -> None:
        """Summarise the first `count` exchanges at once, by quotes, as a message waits.

        A summary that cannot be stored now is stored later; the message need not wait for it.
        """
        budget = prompt.Budget.of(model.context_tokens, self._max_tokens)
        block = tuple(conversation.exchanges)[:count]
        summary = await self._worker.run(_quoted, conversation.summary, block, model, tokens=budget.summary)
        with suppress(StoreError):  # the database has logged it
            await self._fold(conversation, count, summary)

    async def _fold(self, conversation: Conversation, count: int, summary: str) -> None:
        now = self._windows.last(conversation.id)
        if now is None or tuple(now.exchanges)[:count] != tuple(conversation.exchanges)[:count]:
            return  # ended, or folded by a message that could not wait
        # Counted from the end: the database may hold exchanges of the window that this run has not loaded.
        keep = len(now.exchanges) - count
        stored = self._db.write(partial(conversations.fold, name=conversation.id, keep=keep, summary=summary))
        self._windows.fold(conversation.id, count, summary)
        await stored
        logger.info("Compacted %d exchanges of a conversation", count)


def _quoted(prior: str, block: Sequence[Exchange], model: Model, *, tokens: int) -> str:
    if not model.is_language_model:
        block = [replace(exchange, reply="") for exchange in block]  # its replies are quotes themselves
    return summarise(prior, block, count=model.count, tokens=tokens)


async def _by_model(model: Model, conversation: Conversation, *, cap: int) -> str:
    """The model's summary; "" without a model or when it is not supported by what was said."""
    if not model.is_language_model:
        return ""
    try:
        written = await model.write(conversation.messages, INSTRUCTION, form=LINES, cap=cap)
    except (ModelError, Unprocessable) as error:
        logger.warning("A conversation is summed up without the model: %s", error)
        return ""
    return supported(written, tuple(conversation.exchanges), conversation.summary)
