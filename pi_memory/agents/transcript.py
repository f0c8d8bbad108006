"""Parses a conversation in text, each message behind its speaker: `User: ...`, `**Assistant:** ...`. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pi_memory.agents.chat_exports import grouped, session_id
from pi_memory.agents.history import Exchange, unix
from pi_memory.text.sentences import is_fence

USER = "user|human|me|you"
ASSISTANT = "assistant|ai|bot|model|chatgpt|claude|gemini|copilot"
DATE = r"(?:[(\[](?P<at>\d{4}-\d\d-\d\d[^)\]]*)[)\]])?"
SPEAKER = re.compile(
    rf"\s*(?P<mark>[#>*_\s]*)(?:(?P<user>{USER})|(?P<assistant>{ASSISTANT}))(?:\s+said)?\s*{DATE}\s*(?:(?P<colon>:)|$)",
    re.IGNORECASE,
)


def exchanges(lines: Iterable[str], *, name: str) -> Iterator[Exchange]:
    """The exchanges of a transcript; none if no speaker is named in it."""
    return grouped(session_id(name), _messages(lines))


def _messages(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] | None = None
    in_code = False
    for line in lines:
        in_code ^= is_fence(line)
        found = None if in_code else _speaker(line)
        if found is not None:
            if message is not None:
                yield message
            message = found
        elif message is not None:
            message["text"] += line
    if message is not None:
        yield message


def _speaker(line: str) -> dict[str, Any] | None:
    """The speaker of a line, if one begins there. Without a colon only a heading does: `## User`."""
    found = SPEAKER.match(line)
    if found is None or not (found["colon"] or found["mark"].lstrip().startswith("#")):
        return None
    text = re.sub(r"^[*_\s]+", "", line[found.end() :])
    role = "user" if found["user"] else "assistant"
    return {"role": role, "text": text, "at": unix(found["at"].strip()) if found["at"] else None, "ref": ""}
