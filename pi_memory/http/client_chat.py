"""A chat as clients of other programs' protocols send it, as a `Turn`: which conversation, whether it is remembered.

They send the whole conversation each time, and few of them say which one it is.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any
from uuid import uuid4

import msgspec
from msgspec.structs import replace
from starlette.datastructures import Headers
from starlette.requests import Request

from pi_memory.config import Config
from pi_memory.conversation import screen
from pi_memory.errors import RequestError
from pi_memory.http.clients import may_do_all
from pi_memory.http.endpoint import client_id
from pi_memory.parts import Parts
from pi_memory.types import AS_SET, GENERAL, Message, ReplyOptions, Turn

MODEL = "pi-memory"
"""What clients call us; `pi-memory-NAME` is the agent NAME."""

TASK = "### Task:\n"
"""How Open WebUI begins what it asks for itself: titles, tags, follow-ups."""
TEST_TOOL = "test_function"
"""What Home Assistant offers when it tests a connection."""
MOST_STOPS = 16

Tool = dict[str, Any]


class ClientMessage(msgspec.Struct):
    """`content` is a text, or parts of which those of the type `text` count."""

    role: str
    content: str | list[dict[str, Any] | str] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        parts = (part if isinstance(part, str) else part.get("text") for part in self.content or [])
        return "\n".join(part for part in parts if isinstance(part, str))


class ClientChat(msgspec.Struct, frozen=True):
    """One request of a client.

    `door` is the protocol, `caller` what identifies its callers. `is_completion`: of a text, outside of conversations.
    """

    door: str
    messages: Sequence[ClientMessage]
    model: str = MODEL
    caller: str = ""
    conversation: str | None = None
    tools: Sequence[Tool] = ()
    options: ReplyOptions = AS_SET
    is_streamed: bool = False
    is_completion: bool = False


def options(
    *,
    max_tokens: int | None,
    temperature: float | None,
    top_p: float | None,
    seed: int | None,
    stops: str | Sequence[str] | None,
    schema: Mapping[str, Any] | None = None,
) -> ReplyOptions:
    """What a client asks of its reply. Raises `RequestError`, naming the field."""
    if temperature is not None and not 0 <= temperature <= 5:
        raise RequestError("temperature: expected a number from 0 to 5", hint="Leave it out for the daemon's own.")
    if top_p is not None and not 0 < top_p <= 1:
        raise RequestError("top_p: expected a number above 0, up to 1", hint="Leave it out for the daemon's own.")
    several = (stops,) if isinstance(stops, str) else tuple(stops or ())
    if len(several) > MOST_STOPS:
        raise RequestError(f"stop: more than {MOST_STOPS}", hint="Send fewer.")
    return ReplyOptions(
        # Some clients send 0 or -1 for "as many as it takes".
        max_tokens=max_tokens if max_tokens is not None and max_tokens > 0 else None,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
        stops=tuple(filter(None, several)),
        schema=schema,
    )


async def turn(request: Request, chat: ClientChat, parts: Parts) -> Turn:
    """The turn that a request asks for. Raises `RequestError`."""
    said = [Message(_role(m), m.text) for m in chat.messages if _role(m) and m.text.strip()]
    instructions = "\n\n".join(m.content for m in said if m.role == "system")
    said = await parts.worker.run(_unforgotten, [m for m in said if m.role != "system"], parts)
    newest = len(said)
    while newest and said[newest - 1].role == "user":
        newest -= 1
    message = "\n\n".join(m.content for m in said[newest:])
    if not message:
        raise RequestError("messages: the last one is not the user's, or has no text", hint="Only text is understood.")
    explicit, shown = _named(request.headers, chat), tuple(said[:newest])
    remember = not _is_aside(request.headers, chat, said, explicit=explicit)
    return Turn(
        message=message,
        conversation_id=explicit or (_recognised(chat, request.headers, shown, parts) if remember else str(uuid4())),
        agent=agent(chat.model),
        screen=shown,
        instructions=instructions,
        remember=remember,
        options=chat.options,
        may_forget=may_do_all(request),
    )


def agent(model: str) -> str:
    """The agent that a model's name stands for; every name that is not ours is the general one."""
    name = model.removesuffix(":latest")
    return name.removeprefix(f"{MODEL}-") if name.startswith(f"{MODEL}-") else GENERAL


def models(parts: Parts) -> list[str]:
    """What clients may choose from: ourselves, and the other agents."""
    others = sorted(name for name in Config(parts.settings.paths.config_dir).personas() if name != GENERAL)
    return [MODEL, *(f"{MODEL}-{name}" for name in others)]


def _role(message: ClientMessage) -> Any:
    """As we call it; none for what tools have answered."""
    role = {"developer": "system"}.get(message.role, message.role)
    return role if role in ("system", "user", "assistant") else ""


def _unforgotten(said: Sequence[Message], parts: Parts) -> list[Message]:
    """What the client shows without what it should have forgotten as well; the newest message is as it is."""
    clean, question, kept = parts.memories.forgotten.clean, "", []
    for message in said[:-1]:
        text = clean(message.content, question) if message.role == "assistant" else clean(message.content)
        question = message.content if message.role == "user" else question
        if text.strip():
            kept.append(replace(message, content=text))
    return [*kept, *said[-1:]]


def _named(headers: Headers, chat: ClientChat) -> str | None:
    """The conversation as the client names it."""
    for header in ("X-Conversation-Id", "X-OpenWebUI-Chat-Id"):
        if value := _filled_in(headers, header):
            return client_id(value, header)
    return client_id(chat.conversation, "conversation_id") if chat.conversation else None


def _filled_in(headers: Headers, name: str) -> str:
    """A header that a client makes from a template such as `{{CHAT_ID}}`; nothing where it has nothing to fill in."""
    value = headers.get(name, "").strip()
    return "" if "{{" in value or value.lower() in ("none", "null") else value


def _is_aside(headers: Headers, chat: ClientChat, said: Sequence[Message], *, explicit: str | None) -> bool:
    """Whether this is no part of a conversation: a client asks for a title, tests the connection, fills in a form."""
    if headers.get("X-Memory", "").lower() == "off" or _filled_in(headers, "X-Task"):
        return True
    if explicit is None and (chat.is_completion or chat.options.schema is not None):
        return True
    if len(said) > 1:
        return False
    functions = (tool.get("function") for tool in chat.tools)
    is_test = any(isinstance(each, dict) and each.get("name") == TEST_TOOL for each in functions)
    return is_test or (said[0].content.startswith(TASK) and not chat.is_streamed)


def _recognised(chat: ClientChat, headers: Headers, shown: Sequence[Message], parts: Parts) -> str:
    """The conversation that holds what the client shows, among those of the same caller; else a new one."""
    caller = "\0".join((chat.caller, headers.get("X-OpenWebUI-User-Id", "")))
    prefix = f"{chat.door}-{blake2b(caller.encode(errors='replace'), digest_size=6).hexdigest()}-"
    found = screen.find(parts.windows.recent(prefix, parts.clock()), shown)
    return found.id if found else f"{prefix}{uuid4().hex}"


def caller(*names: str | None) -> str:
    """The identity of a caller of a protocol, as one text."""
    return json.dumps(names)
