"""Step 3 of a turn: parts and budgets to messages. Pure.

The order is that of a ledger: what stands still comes first and stays as it was when the conversation began, what is
new comes last, so that a model never evaluates the same text twice.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pi_memory.errors import Unprocessable
from pi_memory.turn import Exchange, Message

FOCUS_TOKENS, FOCUS_SHARE = 800, 0.08
NOTES_TOKENS, NOTES_SHARE = 1_000, 0.10
REPLY_SHARE = 0.25
ROOM_AFTER_CUT = 0.6
"""Share of the prompt's room that is used after old exchanges were cut, so that the next cut is some turns away."""

DATE_AFTER = 30 * 60
"""Idle seconds after which a message tells the date again."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Most tokens of the parts of a prompt, from the context's length."""

    context: int
    reply: int
    focus: int
    notes: int

    @classmethod
    def of(cls, context_tokens: int, max_tokens: int) -> "Budget":
        return cls(
            context=context_tokens,
            reply=max(1, min(max_tokens, int(REPLY_SHARE * context_tokens))),
            focus=min(FOCUS_TOKENS, int(FOCUS_SHARE * context_tokens)),
            notes=min(NOTES_TOKENS, int(NOTES_SHARE * context_tokens)),
        )


@dataclass(frozen=True, slots=True)
class Prompt:
    """`left_out` is how many of the oldest exchanges had no room."""

    messages: tuple[Message, ...]
    left_out: int = 0


def standing(persona: str, notes: Sequence[str], focus: str) -> str:
    """The system text of a conversation: who is speaking, the user's own notes, what they are working on."""
    return "\n\n".join(part.strip() for part in (persona, *notes, focus) if part.strip())


def build(
    system: str,
    exchanges: Iterable[Exchange],
    message: Message,
    *,
    budget: Budget,
    count_prompt: Callable[[Sequence[Message]], int],
) -> Prompt:
    """The messages of a turn. When they have no room, the oldest exchanges are left out, some more than needed.

    Raises `Unprocessable` when not even the new message has room.
    """
    exchanges = tuple(exchanges)
    room = budget.context - budget.reply
    messages = _messages(system, exchanges, message)
    if count_prompt(messages) <= room:
        return Prompt(messages)
    for left_out in range(1, len(exchanges) + 1):
        messages = _messages(system, exchanges[left_out:], message)
        if count_prompt(messages) <= ROOM_AFTER_CUT * room:
            return Prompt(messages, left_out)
    needed = count_prompt(messages)
    if needed > room:
        raise Unprocessable(
            f"message: the prompt takes {needed} tokens, and there is room for {room}",
            hint="Send a shorter message, or raise CTX_TOKENS if the model was trained on more.",
        )
    return Prompt(messages, len(exchanges))


def beginning(system: str) -> tuple[Message, ...]:
    """What stands before the first message."""
    return (Message("system", system),) if system else ()


def _messages(system: str, exchanges: Sequence[Exchange], message: Message) -> tuple[Message, ...]:
    said = [m for e in exchanges for m in (Message("user", e.user, e.context), Message("assistant", e.reply))]
    return (*beginning(system), *said, message)
