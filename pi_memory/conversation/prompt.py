"""Step 3 of a turn: renders parts and budgets to messages. Pure.

The order keeps the prefix stable: text gathered when the conversation began comes first, new text comes last, so that
between two compactions a model evaluates no text twice.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from pi_memory.errors import Unprocessable
from pi_memory.types import Exchange, Message

FOCUS_TOKENS, FOCUS_SHARE = 800, 0.08
NOTES_TOKENS, NOTES_SHARE = 1_000, 0.10
MEMORY_TOKENS, MEMORY_SHARE = 400, 0.06
RECALL_TOKENS, RECALL_SHARE = 3_000, 0.15
REPLY_SHARE = 0.25
SUMMARY_TOKENS, SUMMARY_SHARE, MOST_SUMMARY_SHARE = 200, 0.025, 0.15
COMPACT_SHARE = 0.8
KEEP_SHARE = 0.05
"""Share of the context that stays verbatim when a conversation is compacted, but at least the newest exchange.

All of it is evaluated again, and the less it is the further away the next compaction: the tokens evaluated for each new
one are 1 + KEEP_SHARE / (COMPACT_SHARE - KEEP_SHARE). What left is summarised, and can be recalled word for word.
"""

COMPACTED = "## Earlier in this conversation [Context compacted]"

DATE_AFTER = 30 * 60
"""Idle seconds after which a message contains the date again."""


CountPrompt = Callable[[Sequence[Message]], int]


class Budget(Struct, frozen=True):
    """Token limits of the parts of a prompt, from the context's length."""

    context: int
    reply: int
    focus: int
    notes: int
    memory: int
    recall: int
    summary: int
    compact_at: int
    keep: int

    @classmethod
    def of(cls, context_tokens: int, max_tokens: int) -> "Budget":
        reply = max(1, min(max_tokens, int(REPLY_SHARE * context_tokens)))
        summary = max(SUMMARY_TOKENS, int(SUMMARY_SHARE * context_tokens))
        return cls(
            context=context_tokens,
            reply=reply,
            focus=min(FOCUS_TOKENS, int(FOCUS_SHARE * context_tokens)),
            notes=min(NOTES_TOKENS, int(NOTES_SHARE * context_tokens)),
            memory=min(MEMORY_TOKENS, int(MEMORY_SHARE * context_tokens)),
            recall=min(RECALL_TOKENS, int(RECALL_SHARE * context_tokens)),
            summary=min(summary, int(MOST_SUMMARY_SHARE * context_tokens)),
            compact_at=min(int(COMPACT_SHARE * context_tokens), context_tokens - reply),
            keep=int(KEEP_SHARE * context_tokens),
        )


class Prompt(Struct, frozen=True):
    """`left_out` is the number of oldest exchanges that had no room."""

    messages: tuple[Message, ...]
    left_out: int = 0


def standing_text(persona: str, notes: Sequence[str], *memory: str) -> str:
    """The standing text of a conversation: persona, notes, focus, and stated memories."""
    return "\n\n".join(part.strip() for part in (persona, *notes, *memory) if part.strip())


def system_text(standing: str, summary: str) -> str:
    """The system text with the summary of the exchanges that are no longer in the prompt."""
    return "\n\n".join(filter(None, (standing, summary and f"{COMPACTED}\n{summary}")))


def build(
    system: str,
    exchanges: Iterable[Exchange],
    message: Message,
    *,
    budget: Budget,
    count_prompt: CountPrompt,
) -> Prompt:
    """The messages of a turn. When they have no room, the oldest exchanges are left out, more of them than needed.

    Raises `Unprocessable` when not even the new message has room.
    """
    exchanges = tuple(exchanges)
    room = budget.context - budget.reply
    whole = messages(system, exchanges, message)
    if count_prompt(whole) <= room:
        return Prompt(whole)
    first = _cut(exchanges, budget=budget, count_prompt=count_prompt)
    for left_out in range(max(1, first), len(exchanges) + 1):
        rest = messages(system, exchanges[left_out:], message)
        if count_prompt(rest) <= room:
            return Prompt(rest, left_out)
    raise Unprocessable(
        f"message: the prompt takes {count_prompt(messages(system, (), message))} tokens, and there is room for {room}",
        hint="Send a shorter message, or raise CTX_TOKENS if the model was trained on more.",
    )


def to_fold(
    system: str, exchanges: Sequence[Exchange], *, max_turns: int, budget: Budget, count_prompt: CountPrompt
) -> int:
    """How many of the oldest exchanges to summarise before the next message, which may be as long as the longest so
    far; 0 while there is room. At least one exchange stays; without a lack of room `max_turns` do.
    """
    surplus = len(exchanges) - max_turns if len(exchanges) >= 2 * max_turns else 0
    longest = max((f"{e.context}\n\n{e.user}" for e in exchanges), key=len, default="")
    next_prompt = messages(system, exchanges, Message("user", longest))
    if count_prompt(next_prompt) <= budget.compact_at:
        return surplus
    return max(surplus, _cut(exchanges, budget=budget, count_prompt=count_prompt))


def beginning(system: str) -> tuple[Message, ...]:
    """The messages before the first exchange."""
    return (Message("system", system),) if system else ()


def _cut(exchanges: Sequence[Exchange], *, budget: Budget, count_prompt: CountPrompt) -> int:
    """How many of the oldest exchanges exceed what stays verbatim in a compaction."""
    most = len(exchanges) - 1
    fits = (cut for cut in range(most) if count_prompt(messages("", exchanges[cut:])) <= budget.keep)
    return next(fits, most)


def messages(system: str, exchanges: Iterable[Exchange], *newest: Message) -> tuple[Message, ...]:
    """The system text and the exchanges as messages, in order."""
    said = [m for e in exchanges for m in (Message("user", e.user, e.context), Message("assistant", e.reply))]
    return (*beginning(system), *said, *newest)
