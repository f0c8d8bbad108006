"""The common parts of resources: parsing requests, building responses, and the table behind routes and
`/openapi.json`.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import ModelError, PiMemoryError, RequestError, Unavailable
from pi_memory.http.named_tokens import TokenScope
from pi_memory.memories import namespaces
from pi_memory.parts import Parts
from pi_memory.types import CLIENT_ID

T = TypeVar("T")
MCP_REFUSED = -32000
"""The code of JSON-RPC for errors of a server's own."""
MOST_GROWTH = 4
"""Bytes of a text in memory for each byte of it in UTF-8, at most."""
Handler = Callable[[Request, Parts], Awaitable[Response]]

ANSWERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every response: no other page may load it, no browser guesses its type or caches it."""


class Endpoint(msgspec.Struct, frozen=True):
    """One method of one path: its handler and its description."""

    method: str
    path: str
    handle: Handler
    summary: str
    body: type | None = None
    answer: type | None = None
    status: int = 200
    media_type: str = "application/json"
    also: tuple[tuple[int, str, type | None], ...] = ()
    """Further responses: status, media type (empty without content), and the type of a JSON one."""
    query: dict[str, str] = msgspec.field(default_factory=dict)
    needs_memory: bool = True
    needs: TokenScope | None = None
    """The scope of a token that may ask this; None: `read` for GET, else `all`."""
    within_namespace: bool = False
    """Whether a token for one namespace may ask this: the handler keeps it within."""

    @property
    def shown_path(self) -> str:
        """The path with its parameters, without their convertors."""
        return re.sub(r":\w+}", "}", self.path)

    @property
    def scope(self) -> TokenScope:
        return self.needs or ("read" if self.method == "GET" else "all")


class Failure(msgspec.Struct):
    """Every error, but of the paths that speak another program's protocol."""

    type: str
    message: str
    hint: str


class OpenAIError(msgspec.Struct):
    message: str
    type: str
    code: str
    param: str | None = None


class OpenAIFailure(msgspec.Struct):
    """An error below `/v1`."""

    error: OpenAIError


class OllamaFailure(msgspec.Struct):
    """An error below `/api`."""

    error: str


class McpError(msgspec.Struct):
    code: int
    message: str


class McpFailure(msgspec.Struct):
    """An error of `/mcp`, before its message was read."""

    error: McpError
    jsonrpc: str = "2.0"
    id: None = None


def answer(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), status, {**ANSWERS, **(headers or {})}, "application/json")


def failure(error: PiMemoryError, path: str = "") -> Response:
    """The answer to a request for `path` that met `error`."""
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Unavailable) else {}
    if error.status == 401:
        headers = {"WWW-Authenticate": "Bearer"}
    if isinstance(error, ModelError) and failure_kind(path) is OpenAIFailure:
        headers["X-Should-Retry"] = "false"  # OpenAI's clients would have it fail twice more
    return answer(failed(error, path), status=error.status, headers=headers)


def failed(error: PiMemoryError, path: str) -> Failure | OpenAIFailure | OllamaFailure | McpFailure:
    """What is said of an error, in the words of the protocol that `path` speaks."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()
    text = f"{error.message}. {error.hint}".strip(" .") + "."
    kind = failure_kind(path)
    if kind is OpenAIFailure:
        return OpenAIFailure(OpenAIError(text, name, name))
    if kind is McpFailure:
        return McpFailure(McpError(MCP_REFUSED, text))
    return OllamaFailure(text) if kind is OllamaFailure else Failure(name, error.message, error.hint)


def failure_kind(path: str) -> type:
    """The form of the errors of a path."""
    if path.startswith("/v1/"):
        return OpenAIFailure
    if path == "/mcp":
        return McpFailure
    return OllamaFailure if path.startswith("/api/") else Failure


def decoded(raw: bytes, kind: type[T]) -> T:
    """JSON as a `kind`. Raises the errors of msgspec, and `MemoryError`."""
    bytes(MOST_GROWTH * len(raw))  # where the memory for a text is refused, msgspec would end the process
    return msgspec.json.decode(raw, type=kind)


async def body(request: Request, kind: type[T]) -> T:
    """The request's JSON as a `kind`; no body is an empty object. Raises `RequestError`, naming the field."""
    try:
        return decoded(await request.body() or b"{}", kind)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at ")
        name = path.strip("`$.") or "body"
        known = ", ".join(_choices(kind, name)) if "enum" in text else ""
        hint = f"One of: {known}." if known else "docs/http.md and /openapi.json describe the fields."
        raise RequestError(f"{name}: {text}", hint=hint) from error
    except RecursionError as error:
        raise RequestError("body: nested too deeply", hint="Send a flatter object.") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise RequestError(f"body: not JSON in UTF-8: {error}", hint="Send a JSON object.") from error


def _choices(kind: type, name: str) -> list[str]:
    """The values that a field of a `kind` may have, if they are words."""
    hint = get_type_hints(kind).get(name)
    return [str(value) for each in (hint, *get_args(hint)) if get_origin(each) is Literal for value in get_args(each)]


def client_id(value: str, name: str) -> str:
    """`value`, if it is a valid id of a conversation or session. Raises `RequestError`."""
    if not re.fullmatch(CLIENT_ID, value):
        raise RequestError(
            f"{name}: not a usable id", hint="1 to 128 of A-Z a-z 0-9 . _ : @ -, beginning with a letter or digit."
        )
    return value


def flag(request: Request, name: str) -> bool:
    """A boolean query parameter. Raises `RequestError`."""
    value = request.query_params.get(name, "0")
    if value not in ("0", "1", "true", "false"):
        raise RequestError(f"{name}: expected 0 or 1", hint=f"For example ?{name}=1.")
    return value in ("1", "true")


def known_query(request: Request, endpoint: Endpoint) -> None:
    """Raises `RequestError` for a query parameter that the endpoint does not have: with `?dryrun=1` nothing is to be
    erased. A page may have any, and so may programs that speak another protocol.
    """
    unknown = [name for name in request.query_params if name not in endpoint.query]
    is_page = endpoint.method == "GET" and endpoint.media_type == "text/html"
    if unknown and failure_kind(endpoint.path) is Failure and not is_page:
        known = ", ".join(endpoint.query) or "none"
        raise RequestError(
            f"{unknown[0]}: no parameter of {endpoint.method} {endpoint.shown_path}", hint=f"It takes: {known}."
        )


LARGEST = 2**63 - 1
"""The largest integer in SQLite."""


def number(request: Request, name: str, default: int, *, least: int = 0, most: int = LARGEST) -> int:
    """A query parameter that is a count. Raises `RequestError`."""
    value = request.query_params.get(name, str(default))
    if not (value.isascii() and value.isdigit() and len(value) < 20 and least <= int(value) <= most):
        raise RequestError(f"{name}: expected a number from {least} to {most}", hint=f"For example ?{name}={default}.")
    return int(value)


def of_project(request: Request) -> Callable[[str], bool] | None:
    """Whether a name is one of the project that is asked for, by name or path; None when none is."""
    project = request.query_params.get("project")
    return None if project is None else lambda name: name == project or namespaces.same_project(name, project)


def choice(request: Request, name: str, allowed: Sequence[T]) -> T | None:
    """A query parameter that is one of some words, None when it is not given. Raises `RequestError`."""
    value = request.query_params.get(name)
    found = next((word for word in allowed if word == value), None)
    if found is None and value is not None:
        raise RequestError(f"{name}: expected one of {', '.join(map(str, allowed))}", hint="Leave it out for all.")
    return found
