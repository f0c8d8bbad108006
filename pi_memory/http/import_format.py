"""The JSON Lines format of imported conversations: `{conversation_id, project?, messages: [{role, content, at?,
ref?}]}`.
"""

import msgspec

from pi_memory.agents.import_conversations import Given, ImportedMessage
from pi_memory.errors import RequestError
from pi_memory.http.endpoint import client_id, decoded
from pi_memory.http.times import unix
from pi_memory.types import Role

ROLES: dict[str, Role | None] = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model"), "assistant"),
    # Instructions and what tools wrote were not said by either of the two.
    **dict.fromkeys(("system", "developer", "tool", "function"), None),
}
HINT = "A line is {conversation_id, project?, messages: [{role, content, at?, ref?}]}."


class GivenMessage(msgspec.Struct):
    role: str
    content: str
    at: str | float | None = None
    ref: str | None = None


class GivenConversation(msgspec.Struct):
    """Other fields of a client's objects are ignored."""

    conversation_id: str
    messages: list[GivenMessage]
    project: str | None = None


class ShownMessages(msgspec.Struct):
    """Counts of given conversations and of added messages."""

    conversations: int
    messages: int


class ShownTaken(msgspec.Struct):
    imported: ShownMessages


def conversation(line: bytes, number: int) -> Given:
    """The conversation of line `number`, counted from 1. Raises `RequestError`, naming line and field."""
    try:
        given = decoded(line, GivenConversation)
        said = [_said(message, f"messages[{i}]") for i, message in enumerate(given.messages)]
        return Given(
            client_id(given.conversation_id, "conversation_id"), tuple(filter(None, said)), given.project or None
        )
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at ")
        raise RequestError(f"line {number}: {path.strip('`$.') or 'object'}: {text}", hint=HINT) from error
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise RequestError(f"line {number}: not JSON in UTF-8: {error}", hint=HINT) from error
    except RequestError as error:
        raise RequestError(f"line {number}: {error.message}", hint=error.hint) from error


def _said(message: GivenMessage, name: str) -> ImportedMessage | None:
    """The message; None for other roles and for empty content, which are not searched."""
    role = message.role.lower()
    if role not in ROLES:
        raise RequestError(f"{name}.role: none of {', '.join(ROLES)}", hint="Say who spoke in the content.")
    known = ROLES[role]
    if known is None or not message.content.strip():
        return None
    at = None if message.at is None else unix(message.at, f"{name}.at")
    return ImportedMessage(known, _sound(message.content), at, message.ref)


def _sound(text: str) -> str:
    """The text without unpaired surrogates and NUL, which no database stores."""
    return text.replace("\x00", "").encode(errors="replace").decode()
