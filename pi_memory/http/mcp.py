"""`POST /mcp`: the Model Context Protocol, by hand, in both of its forms.

Up to 2025-11-25 a client begins with `initialize`; since 2026-07-28 each request carries its version and there is no
session. Each request is answered by itself, as JSON: nothing is kept of a client, and nothing is sent unasked.
"""

import base64
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory import __version__
from pi_memory.errors import PiMemoryError
from pi_memory.http import mcp_tools
from pi_memory.http.endpoint import Endpoint, answer, decoded
from pi_memory.parts import Parts

MODERN = ("2026-07-28",)
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
META = "io.modelcontextprotocol/"
INFO = {"name": "pi-memory", "title": "pi-memory", "version": __version__}
CAPABILITIES = {"tools": {"listChanged": False}, "resources": {"subscribe": False, "listChanged": False}}
INSTRUCTIONS = (
    "The user's own memory, on their machine. Call `recall` before you answer what may depend on what they said or "
    "prefer; `remember` what they state to be so; `correct` what no longer holds; `focus` shows what they work on."
)

PARSE, INVALID, NO_METHOD, PARAMS = -32700, -32600, -32601, -32602
HEADER, VERSION = -32020, -32022
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What the header `Mcp-Name` repeats of a request."""

Params = dict[str, Any]


class Refused(Exception):
    """A request that is answered with an error of JSON-RPC, and a status of HTTP."""

    def __init__(self, code: int, message: str, status: int = 400, data: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


class McpMessage(msgspec.Struct):
    """A request of JSON-RPC; without an `id` it is a notification."""

    method: str = ""
    jsonrpc: str = "2.0"
    id: str | int | msgspec.UnsetType | None = msgspec.UNSET
    params: Params | None = None


class McpAnswer(msgspec.Struct, omit_defaults=True):
    id: str | int | None
    jsonrpc: str = msgspec.field(default_factory=lambda: "2.0")
    result: Params | None = None
    error: Params | None = None


async def serve(request: Request, parts: Parts) -> Response:
    try:
        message = decoded(await request.body(), McpMessage)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        wrong = isinstance(error, msgspec.ValidationError)
        return _refusal(None, Refused(INVALID if wrong else PARSE, f"No message of JSON-RPC: {error}"))
    if message.id is msgspec.UNSET or not message.method:
        return Response(status_code=202)  # a notification, or an answer: we ask nothing
    try:
        version = _version(request, message)
        result = await _result(request, parts, message, version)
    except Refused as refused:
        return _refusal(message.id, refused)
    if version is not None:
        result = {"resultType": "complete", **result, "_meta": {f"{META}serverInfo": INFO}}
    return answer(McpAnswer(message.id, result=result))


def _version(request: Request, message: McpMessage) -> str | None:
    """The version that a request of the new form names, None in the old one. Raises `Refused`."""
    given = (message.params or {}).get("_meta")
    meta = given if isinstance(given, dict) else {}
    in_header, in_body = request.headers.get("mcp-protocol-version"), meta.get(f"{META}protocolVersion")
    if in_header is not None and in_body is not None and in_header != in_body:
        raise Refused(HEADER, "The header mcp-protocol-version differs from the body")
    version = in_header if in_body is None else in_body
    if version is None or (in_body is None and version in LEGACY):
        return None
    if version not in MODERN:
        data = {"supported": [*MODERN, *LEGACY], "requested": version}
        raise Refused(VERSION, "Unsupported protocol version", data=data)
    for name, kind in (("protocolVersion", str), ("clientCapabilities", dict)):
        if not isinstance(meta.get(META + name), kind):
            raise Refused(PARAMS, f"_meta: {META}{name} is missing")
    _check_headers(request, message, needed=in_header is not None)
    return str(version)


def _check_headers(request: Request, message: McpMessage, *, needed: bool) -> None:
    """Raises `Refused` for headers that do not repeat the body. The command sends none of them."""
    said = {"mcp-method": message.method}
    if named := (message.params or {}).get(NAMED.get(message.method, "")):
        said["mcp-name"] = str(named)
    for name, value in said.items():
        header = request.headers.get(name)
        if header is None and needed:
            raise Refused(HEADER, f"The header {name} is missing")
        if header is not None and _plain(header) != value:
            raise Refused(HEADER, f"The header {name} differs from the body")


def _plain(header: str) -> str:
    """The value of a header; what no header can carry as it is, is sent in base64."""
    if not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    try:
        return base64.b64decode(header[9:-2], validate=True).decode()
    except ValueError:
        return header


async def _result(request: Request, parts: Parts, message: McpMessage, version: str | None) -> Params:
    params, method = message.params or {}, message.method
    if method == "tools/call":
        return await _called(request, parts, params)
    if method == "resources/read":
        return _cached(await _read(request, parts, str(params.get("uri", ""))), version)
    if version is None and method == "initialize":
        asked = params.get("protocolVersion")
        spoken = asked if asked in LEGACY else LEGACY[0]
        return _introduction() | {"protocolVersion": spoken, "serverInfo": INFO}
    found = {
        "server/discover": _cached(_introduction() | {"supportedVersions": [*MODERN, *LEGACY]}, MODERN[0]),
        "tools/list": _cached({"tools": mcp_tools.listed()}, version),
        "resources/list": _cached({"resources": mcp_tools.RESOURCES}, version),
        "resources/templates/list": _cached({"resourceTemplates": []}, version),
        "ping": {} if version is None else None,
    }.get(method)
    if found is None:
        raise Refused(NO_METHOD, f"There is no method {method}", 404 if version else 200)
    return found


async def _called(request: Request, parts: Parts, params: Params) -> Params:
    """The result of a tool. What goes wrong in it is for the model to read."""
    name, arguments = str(params.get("name", "")), params.get("arguments") or {}
    try:
        if not isinstance(arguments, Mapping):
            raise mcp_tools.WrongArguments("arguments: expected an object")
        shown, structured = await mcp_tools.call(request, parts, name, dict(arguments))
    except mcp_tools.WrongArguments as error:
        return _failed(f"MCP error {PARAMS}: {error}")
    except PiMemoryError as error:
        return _failed(f"{error.message}. {error.hint}".strip())
    return {"content": [{"type": "text", "text": shown}], "structuredContent": structured}


async def _read(request: Request, parts: Parts, uri: str) -> Params:
    try:
        media_type, text = await mcp_tools.read(request, parts, uri)
    except (mcp_tools.WrongArguments, PiMemoryError) as error:
        raise Refused(PARAMS, str(error), 200, {"uri": uri}) from error
    return {"contents": [{"uri": uri, "mimeType": media_type, "text": text}]}


def _introduction() -> Params:
    return {"capabilities": CAPABILITIES, "instructions": INSTRUCTIONS}


def _cached(result: Params, version: str | None) -> Params:
    """In the new form a list says how long it holds, and for whom."""
    return result | ({"ttlMs": 0, "cacheScope": "private"} if version else {})


def _failed(text: str) -> Params:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _refusal(id_: Any, refused: Refused) -> Response:
    return answer({"jsonrpc": "2.0", "id": id_, "error": refused.error}, status=refused.status)


ENDPOINTS = [
    Endpoint(
        "POST",
        "/mcp",
        serve,
        "The Model Context Protocol: memory as tools for any agent.",
        needs_memory=False,
        needs="read",
        within_namespace=True,
        body=McpMessage,
        answer=McpAnswer,
        also=((202, "", None), (400, "application/json", McpAnswer), (404, "application/json", McpAnswer)),
    )
]
