"""Renders hits and stated memories for the prompt: under headings by kind, within a token budget. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from pi_memory.memories.said_on import dated, undated
from pi_memory.recall.excerpts import Novelty
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.text import query_terms
from pi_memory.text.language import pattern
from pi_memory.text.role_markers import inert
from pi_memory.types import ELSEWHERE, RECALLED, UNSURE, Memory, Recalled

FIXES = "fixes"
"""Last part of the namespaces of errors with their resolutions."""


class PromptRoom(Struct, frozen=True):
    """The rest of a prompt: what it already contains, as `text` and as messages of a conversation (`in_prompt`);
    the `tokens` left, as `count` counts them.
    """

    tokens: int
    count: Callable[[str], int]
    text: str = ""
    in_prompt: PromptWindow | None = None
    names_projects: bool = False
    """Whether projects that were not asked may be named."""
    before: str = ""
    """The user's message before, in the same conversation, with the best hit for it: a follow-up question is searched
    for with it.
    """


def block(
    found: Sequence[Recalled], query: str, room: PromptRoom, *, again: bool = False, is_dated: bool = False
) -> tuple[str, tuple[Recalled, ...]]:
    """The new text of `found`, best first, as far as there is room; and the hits that it contains.

    `again`: the first is repeated even if the prompt contains it, beside the question that it answers. `is_dated`: all
    that was said has its day.
    """
    novelty, when = Novelty(query, prompt=room.text), is_dated or query_terms.asks_when(query)
    groups: dict[str, list[str]] = {}
    chosen: list[Recalled] = []
    left = room.tokens - room.count(RECALLED)
    for result in found:
        repeats = again and not chosen
        lines = novelty.answers(result.content) if repeats else novelty.of(result.content)
        if not repeats and result.kind == "exchange" and novelty.is_idle(lines, result.content):
            continue
        if text := novelty.excerpt(lines):
            heading, line = _heading(result), _line(result, text, asks_when=when)
            cost = room.count(line if heading in groups else f"\n\n{heading}\n{line}")
            if cost <= left:
                left -= cost
                novelty.add(text)
                groups.setdefault(heading, []).append(line)
                chosen.append(result)
    text = "\n\n".join([RECALLED, *("\n".join([heading, *lines]) for heading, lines in groups.items())])
    return (text, tuple(chosen)) if chosen else ("", ())


def elsewhere(counts: Mapping[str, int], room: PromptRoom) -> str:
    """The block that names the projects which know of a question, by how many of their memories bear on it; "" for
    none, or where there is no room.
    """
    lines = [f"- {count} in project {name}" for name, count in sorted(counts.items(), key=lambda each: -each[1])]
    text = "\n".join([ELSEWHERE, *lines])
    return text if lines and room.count(text) <= room.tokens else ""


def _heading(result: Recalled) -> str:
    if not result.is_sure:
        return UNSURE
    root, _, rest = (result.namespace or "").partition("/")
    if result.kind == "exchange":
        return "### Said Before"
    if rest.rpartition("/")[2] == FIXES:
        return "### Past Fixes"
    if result.type == "procedural":
        return "### Patterns"
    if root == "project":
        return f"### Project Knowledge ({rest.partition('/')[0]})"
    return "### About the User" if root == "user" else "### Knowledge"


def _line(result: Recalled, text: str, *, asks_when: bool) -> str:
    """One line without role markers, so that no content can look like a heading of ours or like another's message.
    "Yesterday" needs the day on which it was said.
    """
    text = inert(text)
    if result.kind == "memory":
        is_clear = text != undated(text) or not pattern("relative_time").search(text)
        return f"- {text if is_clear else dated(text, result.at)}"
    day = datetime.fromtimestamp(result.at).astimezone()
    on = f", {day:%d %B %Y}" if asks_when or query_terms.tells_time(text) else ""
    return f'- {result.role}{on}: "{text}"'


HEADING = "## Memory"
RULES = (
    "Memories are what was said or done, not guesses. Those that bear on a message stand above it. If none do, "
    "say that you do not know."
)
MOST = 50
"""Most statements that are considered."""


def quality(count: int, newest: float) -> str:
    """The number of memories and their newest day; `newest` is a Unix time."""
    things = "1 thing" if count == 1 else f"{count} things"
    day = datetime.fromtimestamp(newest).astimezone().strftime("%d %B %Y").lstrip("0")
    return f"You remember {things} of the user and their work, the newest of {day}. {RULES}"


def line_of(memory: Memory) -> str:
    """A memory in a list of a prompt. On one line: no content can look like a heading of ours, or another memory."""
    return f"- {inert(query_terms.one_line(memory.content))}"


def stated_block(
    stated: Sequence[Memory], *, count: int, newest: float, tokens: int, measure: Callable[[str], int]
) -> tuple[str, tuple[int, ...]]:
    """The section of the standing text, of at most `tokens`, and the ids of the memories in it; "" without any."""
    if not count:
        return "", ()
    text, shown = f"{HEADING}\n{quality(count, newest)}", []
    for memory in stated:
        longer = f"{text}\n{line_of(memory)}"
        if measure(longer) <= tokens:
            text = longer
            shown.append(memory.id)
    return (text, tuple(shown)) if measure(text) <= tokens else ("", ())
