"""The Recent Focus block of the prompt. Pure."""

import math
from collections.abc import Callable, Sequence

from pi_memory.decay import DAY, status, strength
from pi_memory.topics.display import ago, clean, sessions, short_names
from pi_memory.types import Topic

MAX_LINES = 30
FILES_SHOWN = 5

SPANS = (7, 14, 21, 30)
"""Days that the heading may name: few, so that the text does not change from one day to the next."""


def focus_block(topics: Sequence[Topic], *, now: float, count: Callable[[str], int], budget: int) -> str:
    """The block: topics, strongest first, in at most `budget` tokens as `count` counts them.

    Empty without active topics, and when not even the first one fits.
    """
    strongest = sorted((t for t in topics if t.is_active), key=lambda t: (-t.last_touched_at, t.name))[:MAX_LINES]
    while strongest:
        text = _block(strongest, now)
        tokens = count(text)
        if tokens <= budget:
            return text
        # Half at a time while far over the budget: counting costs a run of the tokeniser.
        strongest = strongest[: len(strongest) // 2 if tokens > 2 * budget else -1]
    return ""


def _block(topics: Sequence[Topic], now: float) -> str:
    age = max(now - topic.last_touched_at for topic in topics) / DAY
    days = next((span for span in SPANS if age <= span), math.ceil(age))
    lines = (_line(topic, now) for topic in topics)
    return "\n".join([f"## Recent Focus (last {days} days)", "", "You've been actively working on:", *lines])


def _line(topic: Topic, now: float) -> str:
    word = {"fading": ", fading", "weak": ", weak", "almost gone": ", weak"}.get(
        status(strength(topic.last_touched_at, now)), ""
    )
    touched = ago(now - topic.last_touched_at)
    files = ", ".join(list(short_names(topic.file_paths))[-FILES_SHOWN:])
    directory = clean(topic.directories[-1]) if topic.directories else ""
    line = f"- **{clean(topic.name)}** ({sessions(topic.session_count)}, last touched {touched}{word})"
    return line + (f" — {files}" if files else "") + (f" @ {directory}" if directory else "")
