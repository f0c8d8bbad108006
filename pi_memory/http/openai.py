"""`/v1/chat/completions` and `/v1/models`: OpenAI's API, for the programs that speak it. Unknown fields are ignored."""

from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import uuid4

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.chat.stream import TurnEvent
from pi_memory.errors import NotFound, PiMemoryError
from pi_memory.http import client_chat
from pi_memory.http.client_chat import MODEL, ClientChat, ClientMessage
from pi_memory.http.endpoint import Endpoint, answer, body, failed
from pi_memory.http.turns import TurnResponse, chain, last, unless_gone
from pi_memory.parts import Parts
from pi_memory.types import Delta, Done, Usage

PATH = "/v1/chat/completions"
Extra = dict[str, Any] | None
Count = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] | None


class StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class ResponseFormat(msgspec.Struct):
    """`json_schema` has the schema in `schema`."""

    type: str = "text"
    json_schema: Extra = None

    @property
    def schema(self) -> dict[str, Any] | None:
        if self.type == "json_schema" and self.json_schema:
            schema = self.json_schema.get("schema")
            return schema if isinstance(schema, dict) else {"type": "object"}
        return {"type": "object"} if self.type in ("json_schema", "json_object") else None


class CompletionRequest(msgspec.Struct):
    """`tools` are not called, `n` is 1; a conversation is named by `conversation_id` or `metadata.conversation_id`."""

    messages: list[ClientMessage]
    model: str = MODEL
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    max_tokens: Count = None
    max_completion_tokens: Count = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    response_format: ResponseFormat | None = None
    tools: list[dict[str, Any]] | None = None
    user: str | None = None
    prompt_cache_key: str | None = None
    conversation_id: str | None = None
    metadata: Extra = None


class CachedTokens(msgspec.Struct):
    cached_tokens: int


class CompletionUsage(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CachedTokens


class CompletionMessage(msgspec.Struct):
    role: str
    content: str
    refusal: None = None


class CompletionChoice(msgspec.Struct):
    index: int
    message: CompletionMessage
    finish_reason: str
    logprobs: None = None


class ChatCompletion(msgspec.Struct):
    id: str
    object: str
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage


class ModelCard(msgspec.Struct):
    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = MODEL


class ModelList(msgspec.Struct):
    data: list[ModelCard]
    object: str = "list"


async def complete(request: Request, parts: Parts) -> Response:
    asked = await body(request, CompletionRequest)
    turn = await client_chat.turn(request, _chat(asked), parts)
    stream = parts.streams.start(turn)
    events = aiter(stream)
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(parts.clock()), "model": asked.model}
    if not asked.stream:
        done = await unless_gone(request.receive(), stream, last(events))
        return answer(_completion(done, head), headers={"X-Conversation-Id": turn.conversation_id})
    # The first event is awaited here, so that an error has its own status.
    first = await unless_gone(request.receive(), stream, anext(events))
    with_usage = bool(asked.stream_options and asked.stream_options.include_usage)
    chunks = _chunks(chain(first, events), head, with_usage=with_usage)
    return TurnResponse(stream, chunks, "text/event-stream")


async def list_models(request: Request, parts: Parts) -> Response:
    return answer(ModelList([ModelCard(name) for name in client_chat.models(parts)]))


async def show_model(request: Request, parts: Parts) -> Response:
    name = request.path_params["id"]
    if name not in client_chat.models(parts):
        raise NotFound(f"There is no model {name}", hint="GET /v1/models lists them.")
    return answer(ModelCard(name))


def usage(tokens: Usage) -> CompletionUsage:
    """Tokens as OpenAI counts them; what was not evaluated was cached."""
    cached = CachedTokens(tokens.prompt_tokens - tokens.evaluated_tokens)
    total = tokens.prompt_tokens + tokens.completion_tokens
    return CompletionUsage(tokens.prompt_tokens, tokens.completion_tokens, total, cached)


def _chat(asked: CompletionRequest) -> ClientChat:
    most = asked.max_tokens if asked.max_completion_tokens is None else asked.max_completion_tokens
    named = asked.conversation_id or (asked.metadata or {}).get("conversation_id")
    return ClientChat(
        door="openai",
        messages=asked.messages,
        model=asked.model,
        caller=client_chat.caller(asked.user, asked.prompt_cache_key),
        conversation=named if isinstance(named, str) else None,
        tools=asked.tools or (),
        options=client_chat.options(
            max_tokens=most,
            temperature=asked.temperature,
            top_p=asked.top_p,
            seed=asked.seed,
            stops=asked.stop,
            schema=asked.response_format.schema if asked.response_format else None,
        ),
        is_streamed=bool(asked.stream),
    )


def _completion(done: Done, head: dict[str, Any]) -> ChatCompletion:
    choice = CompletionChoice(0, CompletionMessage("assistant", done.reply), _finish(done))
    return ChatCompletion(object="chat.completion", choices=[choice], usage=usage(done.usage), **head)


def _finish(done: Done) -> str:
    return "length" if done.is_cut else "stop"


async def _chunks(events: AsyncIterator[TurnEvent], head: dict[str, Any], *, with_usage: bool) -> AsyncIterator[str]:
    """Server-sent events. Clients begin a message with the role and stop reading at `finish_reason`."""
    head = {**head, "object": "chat.completion.chunk"}

    def chunk(delta: dict[str, str], finish: str | None = None) -> str:
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    try:
        async for event in events:
            if isinstance(event, Delta):
                yield chunk({"content": event.text})
                continue
            yield chunk({}, _finish(event))
            if with_usage:
                yield _data({**head, "choices": [], "usage": usage(event.usage)})
            yield "data: [DONE]\n\n"
    except PiMemoryError as error:
        yield _data(failed(error, PATH))


def _data(value: Any) -> str:
    return f"data: {msgspec.json.encode(value).decode()}\n\n"


ENDPOINTS = [
    Endpoint(
        "POST",
        PATH,
        complete,
        "OpenAI's chat completions: the reply of an assistant that remembers.",
        needs_memory=False,
        needs="chat",
        body=CompletionRequest,
        answer=ChatCompletion,
        also=((200, "text/event-stream", None),),
    ),
    Endpoint("GET", "/v1/models", list_models, "The assistant and its agents.", needs_memory=False, answer=ModelList),
    Endpoint("GET", "/v1/models/{id}", show_model, "One of these.", needs_memory=False, answer=ModelCard),
]
