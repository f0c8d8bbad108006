"""`/api/...`: Ollama's API, for the programs that speak it. Unknown fields are ignored; streams are JSON Lines."""

import asyncio
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.chat.stream import Stream, TurnEvent
from pi_memory.clock import iso
from pi_memory.errors import NotFound, PiMemoryError
from pi_memory.http import client_chat
from pi_memory.http.client_chat import MODEL, ClientChat, ClientMessage
from pi_memory.http.endpoint import Endpoint, answer, body, failed
from pi_memory.http.openai_embeddings import texts, vectors_of
from pi_memory.http.turns import TurnResponse, chain, last, unless_gone
from pi_memory.parts import Parts
from pi_memory.types import Delta, Done

VERSION = "0.12.0"
"""Of the API that is spoken. Digits and dots only: clients take it apart."""
LINES = "application/x-ndjson"
DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": MODEL,
    "families": [MODEL],
    "parameter_size": "",
    "quantization_level": "",
}
BILLION = 1_000_000_000

Form = str | dict[str, Any] | None
Shape = Callable[[str], dict[str, Any]]
"""A piece of a reply as the endpoint shows it."""


class OllamaOptions(msgspec.Struct):
    num_predict: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None


class OllamaChat(msgspec.Struct):
    """`stream` is on unless it is switched off; without messages a model is loaded, which ours always is."""

    messages: list[ClientMessage] | None = None
    model: str = MODEL
    stream: bool | None = True
    tools: list[dict[str, Any]] | None = None
    format: Form = None
    options: OllamaOptions | None = None
    keep_alive: Any = None


class OllamaGenerate(msgspec.Struct):
    prompt: str = ""
    system: str = ""
    model: str = MODEL
    stream: bool | None = True
    format: Form = None
    options: OllamaOptions | None = None
    keep_alive: Any = None


class OllamaReply(msgspec.Struct, omit_defaults=True):
    """The last line of a stream, or the only one. Durations are nanoseconds."""

    model: str
    created_at: str
    done: bool
    message: dict[str, Any] | None = None
    response: str | None = None
    done_reason: str = ""
    total_duration: int = 0
    prompt_eval_count: int = 0
    prompt_eval_duration: int = 0
    eval_count: int = 0
    eval_duration: int = 0


class OllamaEmbed(msgspec.Struct):
    """`input` of `/api/embed`, `prompt` of `/api/embeddings`."""

    input: str | list[Any] = ""
    prompt: str = ""
    model: str = MODEL


class OllamaVectors(msgspec.Struct, omit_defaults=True):
    model: str = ""
    embeddings: list[list[float]] | None = None
    embedding: list[float] | None = None


class OllamaVersion(msgspec.Struct):
    version: str


class OllamaModel(msgspec.Struct):
    name: str
    model: str
    modified_at: str
    size: int
    digest: str
    details: dict[str, Any]


class OllamaModels(msgspec.Struct):
    models: list[OllamaModel]


class OllamaNamed(msgspec.Struct):
    """Older clients say `name`."""

    model: str = ""
    name: str = ""


class OllamaShown(msgspec.Struct):
    details: dict[str, Any]
    model_info: dict[str, Any]
    capabilities: list[str]
    modified_at: str


class OllamaStatus(msgspec.Struct):
    status: str


async def version(request: Request, parts: Parts) -> Response:
    return answer(OllamaVersion(VERSION))


async def tags(request: Request, parts: Parts) -> Response:
    at = iso(parts.clock())
    return answer(OllamaModels([_model(f"{name}:latest", at) for name in client_chat.models(parts)]))


async def running(request: Request, parts: Parts) -> Response:
    return answer(OllamaModels([]))


async def show(request: Request, parts: Parts) -> Response:
    asked = await body(request, OllamaNamed)
    name = asked.model or asked.name
    if name.removesuffix(":latest") not in client_chat.models(parts):
        raise NotFound(f"model {name!r} not found", hint="GET /api/tags lists them.")
    info = {"general.architecture": MODEL, f"{MODEL}.context_length": parts.model.now.context_tokens}
    return answer(OllamaShown(DETAILS, info, ["completion"], iso(parts.clock())))


async def pull(request: Request, parts: Parts) -> Response:
    """Every name is answered by us, so that there is nothing to fetch."""
    await body(request, OllamaNamed)
    return _lines(OllamaStatus("success"))


async def chat(request: Request, parts: Parts) -> Response:
    asked = await body(request, OllamaChat)
    if not asked.messages:
        return _loaded(asked, parts, message={"role": "assistant", "content": ""})
    wanted = ClientChat(
        door="ollama",
        messages=asked.messages,
        model=asked.model,
        tools=asked.tools or (),
        options=_options(asked.options, asked.format),
        is_streamed=asked.stream is not False,
    )
    return await _reply(request, parts, wanted, lambda text: {"message": {"role": "assistant", "content": text}})


async def generate(request: Request, parts: Parts) -> Response:
    asked = await body(request, OllamaGenerate)
    if not asked.prompt:
        return _loaded(asked, parts, response="")
    wanted = ClientChat(
        door="ollama",
        messages=[ClientMessage("system", asked.system), ClientMessage("user", asked.prompt)],
        model=asked.model,
        options=_options(asked.options, asked.format),
        is_streamed=asked.stream is not False,
        is_completion=True,
    )
    return await _reply(request, parts, wanted, lambda text: {"response": text})


async def embed(request: Request, parts: Parts) -> Response:
    asked = await body(request, OllamaEmbed)
    _, vectors = await vectors_of(texts(asked.input), parts)
    return answer(OllamaVectors(asked.model, embeddings=vectors.tolist()))


async def embed_one(request: Request, parts: Parts) -> Response:
    _, vectors = await vectors_of(texts((await body(request, OllamaEmbed)).prompt), parts)
    return answer(OllamaVectors(embedding=vectors[0].tolist()))


async def _reply(request: Request, parts: Parts, wanted: ClientChat, shape: Shape) -> Response:
    began = asyncio.get_running_loop().time()
    turn = await client_chat.turn(request, wanted, parts)
    stream = parts.streams.start(turn)
    events, at = aiter(stream), iso(parts.clock())
    if not wanted.is_streamed:
        done = await unless_gone(request.receive(), stream, last(events))
        reply = _last(done, wanted.model, at, began, began)
        headers = {"X-Conversation-Id": turn.conversation_id}
        return answer({**msgspec.to_builtins(reply), **shape(done.reply)}, headers=headers)
    return await _streamed(request, stream, events, shape, model=wanted.model, at=at, began=began)


async def _streamed(
    request: Request,
    stream: Stream,
    events: AsyncIterator[TurnEvent],
    shape: Shape,
    *,
    model: str,
    at: str,
    began: float,
) -> Response:
    # The first event is awaited here, so that an error has its own status.
    first = await unless_gone(request.receive(), stream, anext(events))
    read = asyncio.get_running_loop().time()

    async def lines() -> AsyncIterator[str]:
        try:
            async for event in chain(first, events):
                if isinstance(event, Delta):
                    yield _line({"model": model, "created_at": at, **shape(event.text), "done": False})
                else:
                    yield _line({**msgspec.to_builtins(_last(event, model, at, began, read)), **shape("")})
        except PiMemoryError as error:
            yield _line(failed(error, request.url.path))

    return TurnResponse(stream, lines(), LINES)


def _last(done: Done, model: str, at: str, began: float, read: float) -> OllamaReply:
    now = asyncio.get_running_loop().time()
    return OllamaReply(
        model=model,
        created_at=at,
        done=True,
        done_reason="length" if done.is_cut else "stop",
        total_duration=int((now - began) * BILLION),
        prompt_eval_count=done.usage.prompt_tokens,
        prompt_eval_duration=int((read - began) * BILLION),
        eval_count=done.usage.completion_tokens,
        eval_duration=int((now - read) * BILLION),
    )


def _loaded(asked: OllamaChat | OllamaGenerate, parts: Parts, **said: Any) -> Response:
    reason = "unload" if asked.keep_alive in (0, "0", "0s") else "load"
    return _lines(OllamaReply(asked.model, iso(parts.clock()), done=True, done_reason=reason, **said))


def _options(given: OllamaOptions | None, form: Form) -> Any:
    given = given or OllamaOptions()
    return client_chat.options(
        max_tokens=given.num_predict,
        temperature=given.temperature,
        top_p=given.top_p,
        seed=given.seed,
        stops=given.stop,
        schema={"type": "object"} if form == "json" else form if isinstance(form, dict) else None,
    )


def _model(name: str, at: str) -> OllamaModel:
    return OllamaModel(name, name, at, 0, sha256(name.encode()).hexdigest(), DETAILS)


def _line(value: Any) -> str:
    return msgspec.json.encode(value).decode() + "\n"


def _lines(value: Any) -> Response:
    return Response(_line(value), media_type=LINES)


REPLY = ((200, LINES, None),)

ENDPOINTS = [
    Endpoint("GET", "/api/version", version, "Ollama's version.", needs_memory=False, answer=OllamaVersion),
    Endpoint("GET", "/api/tags", tags, "The assistant and its agents.", needs_memory=False, answer=OllamaModels),
    Endpoint("GET", "/api/ps", running, "Nothing is loaded for Ollama.", needs_memory=False, answer=OllamaModels),
    Endpoint("POST", "/api/show", show, "A model.", needs_memory=False, body=OllamaNamed, answer=OllamaShown),
    Endpoint(
        "POST",
        "/api/pull",
        pull,
        "Nothing is fetched: there is one assistant.",
        needs_memory=False,
        body=OllamaNamed,
        answer=OllamaStatus,
        media_type=LINES,
    ),
    Endpoint(
        "POST",
        "/api/chat",
        chat,
        "Ollama's chat: the reply of an assistant that remembers.",
        needs_memory=False,
        needs="chat",
        body=OllamaChat,
        answer=OllamaReply,
        also=REPLY,
    ),
    Endpoint(
        "POST",
        "/api/generate",
        generate,
        "Ollama's completion: it is remembered only in a conversation that is named.",
        needs_memory=False,
        needs="chat",
        body=OllamaGenerate,
        answer=OllamaReply,
        also=REPLY,
    ),
    Endpoint(
        "POST", "/api/embed", embed, "Texts to vectors.", needs_memory=False, body=OllamaEmbed, answer=OllamaVectors
    ),
    Endpoint(
        "POST",
        "/api/embeddings",
        embed_one,
        "A text to a vector.",
        needs_memory=False,
        body=OllamaEmbed,
        answer=OllamaVectors,
    ),
]
