"""The terms of a query, and what a message asks for, by its words. Pure."""

import re

from pi_memory.text.language import forms, pattern, remembered, words
from pi_memory.text.sentences import WORD, spans

MOST_TERMS = 16
"""Most terms that are looked up; a longer query is a text, whose first and last terms say what it is about."""
LONGEST_TERM = 40

USER = "user"
"""A memory speaks of the user where they spoke of themselves."""

ASKING = ("?", "？")
SPEAKER = re.compile(r"\W{0,3}(\w[\w .'-]{0,39}?)\W{0,2}:\s")


def one_line(text: str) -> str:
    """`text` without line breaks: in a prompt it stays in its line, and no part of it looks like a section."""
    return " ".join(text.split())


def terms(query: str) -> tuple[str, ...]:
    """The terms to look up, each once, without stop words. May be empty."""
    found = dict.fromkeys(WORD.findall(query.casefold()))
    stop_words = words("stop_words")
    wanted = [word[:LONGEST_TERM] for word in found if word not in stop_words]
    half = MOST_TERMS // 2
    return tuple(wanted if len(wanted) <= MOST_TERMS else wanted[:half] + wanted[-half:])


def content_words(text: str) -> frozenset[str]:
    """The content words of a text; all of its words if it has none."""
    found = frozenset(WORD.findall(text.casefold()))
    content = found - words("stop_words") | found & words("telling_words")
    return content - {USER} or found


def quoted(term: str) -> str:
    """A term as an FTS5 expression in which nothing is syntax. A small number is looked for as digits and as a word."""
    plain = '"' + term.replace('"', '""') + '"'
    numbers = forms("small_numbers")
    other = numbers.get(term) or next((word for word, digits in numbers.items() if digits == term), None)
    return f'({plain} OR "{other}")' if other else plain


@remembered(512)
def share_asking(text: str) -> float:
    """The share of a message that asks, in [0, 1]: many an answer ends with a question in return."""
    if not any(mark in text for mark in ASKING):
        return 0.0
    text = text.strip()
    parts = [text[start:end] for start, end in spans(text)]
    return sum(len(part) for part in parts if part.endswith(ASKING)) / max(1, sum(map(len, parts)))


def speaker(text: str) -> tuple[str, ...]:
    """The words of the name before a message such as `Anna: good morning`."""
    found = SPEAKER.match(text[:80])
    return tuple(word.casefold() for word in WORD.findall(found[1])) if found else ()


def asks_when(query: str) -> bool:
    return pattern("asks_when").match(query) is not None


def asks_past(query: str) -> bool:
    """Whether a query is about what held before: "where did I live before"."""
    return pattern("asks_past").search(query) is not None


def asks_assistant(query: str) -> bool:
    """Whether a query is about what the assistant said: "what did you suggest"."""
    return pattern("to_assistant").search(query) is not None


def tells_time(text: str) -> bool:
    return pattern("time").search(text) is not None
