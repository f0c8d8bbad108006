"""`/v1/responses`: OpenAI's other form of a chat, without its state: the client sends the conversation."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.chat.stream import TurnEvent
from pi_memory.errors import PiMemoryError, RequestError
from pi_memory.http import client_chat
from pi_memory.http.client_chat import MODEL, ClientChat, ClientMessage
from pi_memory.http.endpoint import Endpoint, OpenAIFailure, answer, body, failed
from pi_memory.http.openai import Count, Extra
from pi_memory.http.turns import TurnResponse, chain, last, unless_gone
from pi_memory.parts import Parts
from pi_memory.types import Delta, Done, Usage

PATH = "/v1/responses"


class InputItem(msgspec.Struct):
    """A message; items of other types (tools, thoughts) are left out."""

    type: str = "message"
    role: str = ""
    content: str | list[dict[str, Any] | str] | None = None


class TextFormat(msgspec.Struct):
    type: str = "text"
    schema: Extra = None


class TextOptions(msgspec.Struct):
    format: TextFormat | None = None


class ResponseRequest(msgspec.Struct):
    """Stateless: `previous_response_id` is refused."""

    input: str | list[InputItem]
    model: str = MODEL
    instructions: str | None = None
    stream: bool | None = False
    max_output_tokens: Count = None
    temperature: float | None = None
    top_p: float | None = None
    text: TextOptions | None = None
    tools: list[dict[str, Any]] | None = None
    user: str | None = None
    prompt_cache_key: str | None = None
    previous_response_id: str | None = None
    metadata: Extra = None


class OutputText(msgspec.Struct):
    text: str
    type: str = "output_text"
    annotations: tuple[()] = ()


class OutputMessage(msgspec.Struct):
    id: str
    status: str
    content: list[OutputText]
    type: str = "message"
    role: str = "assistant"


class ShownResponse(msgspec.Struct):
    id: str
    created_at: int
    status: str
    model: str
    output: list[OutputMessage]
    usage: Extra = None
    object: str = "response"
    error: OpenAIFailure | None = None
    incomplete_details: Extra = None
    instructions: str | None = None
    metadata: dict[str, str] = {}
    parallel_tool_calls: bool = False
    tool_choice: str = "auto"
    tools: tuple[()] = ()


async def respond(request: Request, parts: Parts) -> Response:
    asked = await body(request, ResponseRequest)
    turn = await client_chat.turn(request, _chat(asked), parts)
    stream = parts.streams.start(turn)
    events = aiter(stream)
    begun = ShownResponse(f"resp_{uuid4().hex}", int(parts.clock()), "in_progress", asked.model, [])
    if not asked.stream:
        done = await unless_gone(request.receive(), stream, last(events))
        return answer(_completed(begun, done), headers={"X-Conversation-Id": turn.conversation_id})
    first = await unless_gone(request.receive(), stream, anext(events))
    return TurnResponse(stream, _events(chain(first, events), begun), "text/event-stream")


def _chat(asked: ResponseRequest) -> ClientChat:
    if asked.previous_response_id is not None:
        raise RequestError("previous_response_id: responses are not kept", hint="Send the conversation as `input`.")
    given = [InputItem(role="user", content=asked.input)] if isinstance(asked.input, str) else asked.input
    messages = [ClientMessage(item.role, item.content) for item in given if item.type == "message"]
    form, named = asked.text and asked.text.format, (asked.metadata or {}).get("conversation_id")
    return ClientChat(
        door="openai",
        messages=[ClientMessage("system", asked.instructions), *messages],
        model=asked.model,
        caller=client_chat.caller(asked.user, asked.prompt_cache_key),
        conversation=named if isinstance(named, str) else None,
        tools=asked.tools or (),
        options=client_chat.options(
            max_tokens=asked.max_output_tokens,
            temperature=asked.temperature,
            top_p=asked.top_p,
            seed=None,
            stops=None,
            schema=(form.schema or {"type": "object"}) if form and form.type.startswith("json") else None,
        ),
        is_streamed=bool(asked.stream),
    )


def _completed(begun: ShownResponse, done: Done) -> ShownResponse:
    message = OutputMessage(_message_id(begun), "completed", [OutputText(done.reply)])
    reason = {"reason": "max_output_tokens"} if done.is_cut else None
    status = "incomplete" if done.is_cut else "completed"
    return replace(begun, status=status, output=[message], usage=_usage(done.usage), incomplete_details=reason)


def _message_id(begun: ShownResponse) -> str:
    return begun.id.replace("resp_", "msg_")


def _usage(tokens: Usage) -> dict[str, Any]:
    return {
        "input_tokens": tokens.prompt_tokens,
        "input_tokens_details": {"cached_tokens": tokens.prompt_tokens - tokens.evaluated_tokens},
        "output_tokens": tokens.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens.prompt_tokens + tokens.completion_tokens,
    }


async def _events(events: AsyncIterator[TurnEvent], begun: ShownResponse) -> AsyncIterator[str]:
    number = 0

    def event(kind: str, **fields: Any) -> str:
        nonlocal number
        number += 1
        data = msgspec.json.encode({"type": kind, "sequence_number": number - 1, **fields}).decode()
        return f"event: {kind}\ndata: {data}\n\n"

    item, place = _message_id(begun), {"output_index": 0, "content_index": 0}
    yield event("response.created", response=begun)
    yield event("response.output_item.added", output_index=0, item=OutputMessage(item, "in_progress", []))
    yield event("response.content_part.added", item_id=item, part=OutputText(""), **place)
    try:
        async for part in events:
            if isinstance(part, Delta):
                yield event("response.output_text.delta", item_id=item, delta=part.text, logprobs=[], **place)
                continue
            done = _completed(begun, part)
            (message,) = done.output
            yield event("response.output_text.done", item_id=item, text=part.reply, logprobs=[], **place)
            yield event("response.content_part.done", item_id=item, part=message.content[0], **place)
            yield event("response.output_item.done", output_index=0, item=message)
            yield event("response.incomplete" if part.is_cut else "response.completed", response=done)
    except PiMemoryError as error:
        said = msgspec.to_builtins(failed(error, PATH))["error"]
        yield event("error", code=said["code"], message=said["message"], param=None)


ENDPOINTS = [
    Endpoint(
        "POST",
        PATH,
        respond,
        "OpenAI's responses, stateless: the reply of an assistant that remembers.",
        needs_memory=False,
        needs="chat",
        body=ResponseRequest,
        answer=ShownResponse,
        also=((200, "text/event-stream", None),),
    )
]
