"""What is recalled as the model reads it: under headings by what it is, within a number of tokens (seed 003). Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pi_memory.conversation.prompt import RECALLED
from pi_memory.retrieval.candidates import Window
from pi_memory.retrieval.excerpts import News
from pi_memory.text import query_terms
from pi_memory.types import Recalled


@dataclass(frozen=True, slots=True)
class Room:
    """The prompt that something is told in: what stands in it already, as `text` and as the `window` of a
    conversation, and how many `tokens` there is room for, as `count` counts them.
    """

    tokens: int
    count: Callable[[str], int]
    text: str = ""
    window: Window | None = None


def block(found: Sequence[Recalled], query: str, room: Room) -> tuple[str, tuple[Recalled, ...]]:
    """What is new in `found`, which comes best first, as far as there is room; and what the text is made of."""
    news, when = News(query, prompt=room.text), query_terms.asks_when(query)
    groups: dict[str, list[str]] = {}
    chosen: list[Recalled] = []
    left = room.tokens - room.count(RECALLED)
    for result in found:
        if text := news.excerpt(news.of(result.content)):
            heading, line = _heading(result), _line(result, text, dated=when)
            cost = room.count(line if heading in groups else f"\n\n{heading}\n{line}")
            if cost <= left:
                left -= cost
                news.tell(text)
                groups.setdefault(heading, []).append(line)
                chosen.append(result)
    told = "\n\n".join([RECALLED, *("\n".join([heading, *lines]) for heading, lines in groups.items())])
    return (told, tuple(chosen)) if chosen else ("", ())


def _heading(result: Recalled) -> str:
    root, _, rest = (result.namespace or "").partition("/")
    if result.kind == "exchange":
        return "### Said Before"
    if result.type == "procedural":
        return "### Patterns"
    if result.type == "episodic":
        return "### Past Fixes"
    if root == "project":
        return f"### Project Knowledge ({rest.partition('/')[0]})"
    return "### About the User" if root == "user" else "### Knowledge"


def _line(result: Recalled, text: str, *, dated: bool) -> str:
    """One line, so that no content can look like a heading of ours. "Yesterday" needs the day on which it was said."""
    if result.kind == "memory":
        return f"- {text}"
    day = datetime.fromtimestamp(result.at).astimezone()
    on = f", {day:%d %B %Y}" if dated or query_terms.tells_time(text) else ""
    return f'- {result.role}{on}: "{text}"'
