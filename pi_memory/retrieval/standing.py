"""What a conversation knows from its beginning: how much is remembered, and what the user stated, word for word."""

from collections.abc import Callable, Sequence
from datetime import datetime

from pi_memory.text import query_terms
from pi_memory.types import Memory

HEADING = "## Memory"
RULES = (
    "It was said or done, not guessed. What bears on a message is told above it. When nothing is told, say that you do "
    "not know."
)
MOST = 50
"""Most statements that are considered."""


def quality(count: int, newest: float) -> str:
    """How much is remembered, and how fresh it is; `newest` is a Unix time."""
    things = "1 thing" if count == 1 else f"{count} things"
    day = datetime.fromtimestamp(newest).astimezone().strftime("%d %B %Y").lstrip("0")
    return f"You remember {things} of the user and their work, the newest of {day}. {RULES}"


def stated_block(
    stated: Sequence[Memory], *, count: int, newest: float, tokens: int, measure: Callable[[str], int]
) -> tuple[str, tuple[int, ...]]:
    """The section of the standing text, of `tokens` at most, and the ids of the memories in it; "" of nothing."""
    if not count:
        return "", ()
    text, told = f"{HEADING}\n{quality(count, newest)}", []
    for memory in stated:
        # On one line, so that no content can look like a heading of ours, or like a memory of its own.
        longer = f"{text}\n- {query_terms.one_line(memory.content)}"
        if measure(longer) <= tokens:
            text = longer
            told.append(memory.id)
    return (text, tuple(told)) if measure(text) <= tokens else ("", ())
