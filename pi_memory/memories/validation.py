"""Validates candidates: their texts exist and are not too long, their namespace is valid. Pure."""

import re
from typing import get_args

from msgspec.structs import replace

from pi_memory.errors import RequestError, TooLarge
from pi_memory.memories import namespaces
from pi_memory.types import Candidate, MemoryType, Priority

LONGEST = 8_000
"""Most characters of a content or a quote."""
MOST_TOPICS = 16
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def checked(candidate: Candidate) -> Candidate:
    """The candidate with its texts stripped and its namespace in normal form.

    Raises `RequestError` or `TooLarge`, naming the field.
    """
    if candidate.type not in get_args(MemoryType):
        raise RequestError("type: unknown", hint=f"One of {', '.join(get_args(MemoryType))}.")
    if candidate.priority not in get_args(Priority):
        raise RequestError("priority: unknown", hint=f"One of {', '.join(get_args(Priority))}.")
    content = _text(candidate.content, "content")
    if not re.search(r"\w", content):
        raise RequestError("content: empty", hint="Say what to remember, in a sentence.")
    return replace(
        candidate,
        content=content,
        quote=_text(candidate.quote, "quote"),
        namespace=namespaces.parse(candidate.namespace),
        source=_text(candidate.source, "source", longest=64),
        topics=_topics(candidate.topics),
    )


def _topics(topics: tuple[str, ...]) -> tuple[str, ...]:
    if len(topics) > MOST_TOPICS:
        raise TooLarge(f"topics: more than {MOST_TOPICS}", hint="Name the few that matter.")
    found = [_text(topic, "topics", longest=128) for topic in topics]
    return tuple(dict.fromkeys(topic for topic in found if topic))


def _text(text: str, field: str, *, longest: int = LONGEST) -> str:
    if len(text) > longest:
        raise TooLarge(f"{field}: longer than {longest} characters", hint="Keep the essence of it, or split it up.")
    if CONTROL.search(text):
        raise RequestError(f"{field}: has control characters", hint="Only tabs and line breaks may be in a text.")
    return text.strip()
