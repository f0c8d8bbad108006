"""`POST /chat`: as JSON, as text that streams, or as server-sent events."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.chat.stream import TurnEvent
from pi_memory.errors import PiMemoryError, RequestError
from pi_memory.http.clients import may_do_all
from pi_memory.http.endpoint import Endpoint, answer, body, client_id, failure
from pi_memory.http.turns import TurnResponse, chain, last, unless_gone
from pi_memory.parts import Parts
from pi_memory.types import Delta, Done, Receipt, ToolCall, Turn, Usage


class ChatRequest(msgspec.Struct, forbid_unknown_fields=True):
    message: str
    agent: str = "general"
    stream: bool = False
    conversation_id: str | None = None
    project: str | None = None
    tool_calls: list[ToolCall] = []
    explain: bool = False


class ChatReply(msgspec.Struct, omit_defaults=True):
    reply: str
    conversation_id: str
    model: str
    provider: str
    usage: Usage
    receipt: Receipt | None = None


async def chat(request: Request, parts: Parts) -> Response:
    chat_request = await body(request, ChatRequest)
    stream = parts.streams.start(turn_of(chat_request, may_forget=may_do_all(request)))
    events = aiter(stream)
    if not chat_request.stream:
        done = await unless_gone(request.receive(), stream, last(events))
        return answer(_reply(done, explain=chat_request.explain))
    # The first event is awaited here, so that an error has its own status.
    first = await unless_gone(request.receive(), stream, anext(events))
    if "text/event-stream" in request.headers.get("accept", ""):
        return TurnResponse(stream, _as_events(first, events, explain=chat_request.explain), "text/event-stream")
    return TurnResponse(stream, _as_text(first, events), "text/plain; charset=utf-8")


def turn_of(chat_request: ChatRequest, *, may_forget: bool) -> Turn:
    if not chat_request.message.strip():
        raise RequestError("message: empty", hint="Send what you want to say.")
    conversation_id = chat_request.conversation_id
    return Turn(
        message=chat_request.message,
        conversation_id=client_id(conversation_id, "conversation_id") if conversation_id is not None else str(uuid4()),
        agent=chat_request.agent,
        project=chat_request.project,
        tool_calls=tuple(chat_request.tool_calls),
        may_forget=may_forget,
    )


def _reply(done: Done, *, explain: bool) -> ChatReply:
    receipt = done.receipt if explain else None
    return ChatReply(done.reply, done.conversation_id, done.model, done.provider, done.usage, receipt)


async def _as_text(first: TurnEvent, rest: AsyncIterator[TurnEvent]) -> AsyncIterator[str]:
    try:
        async for event in chain(first, rest):
            if isinstance(event, Delta):
                yield event.text
    except PiMemoryError as error:
        yield f"\n[{error.message}. {error.hint}]"


async def _as_events(first: TurnEvent, rest: AsyncIterator[TurnEvent], *, explain: bool) -> AsyncIterator[str]:
    try:
        async for event in chain(first, rest):
            yield _sse("delta", event) if isinstance(event, Delta) else _sse("done", _reply(event, explain=explain))
    except PiMemoryError as error:
        yield f"event: error\ndata: {bytes(failure(error).body).decode()}\n\n"


def _sse(name: str, value: Any) -> str:
    return f"event: {name}\ndata: {msgspec.json.encode(value).decode()}\n\n"


ENDPOINTS = [
    Endpoint(
        "POST",
        "/chat",
        chat,
        "Say something and get a reply; with `stream` its pieces as they arrive.",
        needs_memory=False,
        needs="chat",
        body=ChatRequest,
        answer=ChatReply,
        also=((200, "text/plain", None), (200, "text/event-stream", None)),
    )
]
