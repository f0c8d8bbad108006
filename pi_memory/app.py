"""The daemon as an ASGI application: routes, guard and error responses."""

import asyncio
import contextlib
import importlib
import itertools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route, Router
from starlette.types import Receive, Scope, Send

from pi_memory.daemon import running
from pi_memory.errors import Conflict, NotFound, PiMemoryError, RequestError, no_memory
from pi_memory.http import chat, health
from pi_memory.http.access import Access, everyone, nobody
from pi_memory.http.clients import allow
from pi_memory.http.endpoint import Endpoint, answer, failure, known_query
from pi_memory.http.guard import Guard
from pi_memory.parts import Parts
from pi_memory.protocols import Clock, Embedder, Model
from pi_memory.settings import Settings

ENDPOINTS: list[Endpoint] = [*chat.ENDPOINTS, *health.ENDPOINTS]
"""Those that every daemon needs."""

DOORS = {
    "/conversations": ("http.conversations",),
    "/exchanges": ("http.exchanges",),
    "/activity": ("http.activity",),
    "/context": ("http.agent_context",),
    "/history": ("http.agent_history",),
    "/focus": ("http.focus",),
    "/session": ("http.session",),
    "/memories": ("http.search", "http.conflicts", "http.memories"),
    "/events": ("http.events",),
    "/export": ("http.import_export",),
    "/import": ("http.import_export",),
    "/metrics": ("http.metrics",),
    "/settings": ("http.setup",),
    "/agents": ("http.setup",),
    "/namespaces": ("http.setup",),
    "/tokens": ("http.tokens",),
    "/audit": ("http.audit",),
    "/usage": ("http.usage",),
    "/live": ("http.live",),
    "/v1": ("http.openai", "http.openai_responses", "http.openai_embeddings"),
    "/api": ("http.ollama",),
    "/mcp": ("http.mcp",),
}
"""The other resources and other programs' protocols, by what their paths begin with: the modules that have them, which
are imported when the first request comes.
"""

logger = logging.getLogger(__name__)


def create_app(
    settings: Settings,
    *,
    model: Model | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    parts: Parts | None = None,
    access: Access | None = None,
) -> Starlette:
    """Build the ASGI application. Every part that is not given is made from the settings.

    `parts` are those of a daemon that is `running` already; without them the application's lifespan runs one and keeps
    its parts in `app.state.parts`. `access` decides which requests are served. By default a request needs
    `PI_MEMORY_TOKEN`, or nothing when that is empty: an application that is served to others needs an `access` of its
    own.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running(settings, model=model, embedder=embedder, clock=clock) as app.state.parts:
            yield

    server = settings.server
    if access is None:
        access = Access.of(settings, server.token, trusts=nobody if server.token else everyone)
    guard = Middleware(Guard, access=access, host=server.host, max_body_bytes=server.max_body_bytes)
    handlers: dict[Any, Any] = {
        PiMemoryError: _failed,
        HTTPException: _not_served,
        ClientDisconnect: _left,
        MemoryError: _no_memory,
        Exception: _broken,
    }
    app = Starlette(
        routes=_routes(), middleware=[guard], exception_handlers=handlers, lifespan=None if parts else lifespan
    )
    app.state.parts = parts
    return app


PAGES = ("/", "/ui/{rest:path}")
"""The pages for people: a client of the same API, which `/openapi.json` does not list."""


class Number(Convertor[int]):
    """An integer in a path, as large as SQLite can hold. Starlette's own converter accepts more digits than Python
    parses.
    """

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


def _routes() -> list[Route]:
    register_url_convertor("int", Number())
    behind = {modules: LazyEndpoints(modules) for modules in DOORS.values()}
    doors = [Route(f"{path}{{rest:path}}", behind[modules]) for path, modules in DOORS.items()]
    pages = LazyEndpoints(("web.pages",))
    doors += [Route(path, pages) for path in PAGES]
    return [*map(_route, ENDPOINTS), *doors, Route("/openapi.json", _description)]


def _route(endpoint: Endpoint) -> Route:
    return Route(endpoint.path, _handler(endpoint), methods=[endpoint.method])


class LazyEndpoints:
    """The endpoints of modules that a daemon may never need: two megabytes, and a moment of each start."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules
        self._router: Router | None = None

    @property
    def routes(self) -> list[Route]:
        """None before the first request."""
        return [route for route in self._router.routes if isinstance(route, Route)] if self._router else []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._router is None:
            endpoints = await asyncio.to_thread(_endpoints, self._modules)
            self._router = Router(list(map(_route, endpoints)))
        await self._router(scope, receive, send)


def _endpoints(modules: Iterable[str]) -> list[Endpoint]:
    imported = (importlib.import_module(f"pi_memory.{name}") for name in modules)
    return [endpoint for module in imported for endpoint in module.ENDPOINTS]


def every_endpoint() -> list[Endpoint]:
    """Those behind doors too."""
    return ENDPOINTS + _endpoints(dict.fromkeys(itertools.chain.from_iterable(DOORS.values())))


async def _description(request: Request) -> Response:
    """Made when it is asked for: few ask, and it is larger than all that a daemon keeps for its endpoints."""
    return answer(await asyncio.to_thread(_described))


def _described() -> dict[str, Any]:
    from pi_memory.http.openapi import document

    return document(every_endpoint())


def _handler(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        parts: Parts = request.app.state.parts
        if endpoint.needs_memory and not parts.settings.memory.enabled:
            raise Conflict("Memory is switched off", hint="Set ENABLE_MEMORY=true and restart.")
        what = f"{endpoint.method} {endpoint.shown_path}"
        allow(request, endpoint.scope, what, within_namespace=endpoint.within_namespace)
        known_query(request, endpoint)
        return await endpoint.handle(request, parts)

    return handle


async def _failed(request: Request, error: PiMemoryError) -> Response:
    return failure(error, request.url.path)


async def _not_served(request: Request, error: HTTPException) -> Response:
    """Starlette's 404 and 405 as an error of ours."""
    path = request.url.path
    if error.status_code == 404:
        return failure(NotFound(f"There is nothing at {path}", hint="/openapi.json lists what there is."), path)
    response = failure(RequestError(f"{request.method} {path}: {error.detail}", hint="See /openapi.json."), path)
    response.status_code = error.status_code
    response.headers.update(error.headers or {})
    if error.status_code == 405 and (allowed := _allowed(request)):
        response.headers["Allow"] = ", ".join(sorted(allowed))
    return response


def _allowed(request: Request) -> set[str]:
    """The methods of every route with this path; Starlette names only those of the first route."""
    routes = _with_path(request.app.routes, request.scope)
    for door in [route.endpoint for route in routes if isinstance(route.endpoint, LazyEndpoints)]:
        routes += _with_path(door.routes, request.scope)
    return {method for route in routes for method in route.methods or ()}


def _with_path(routes: Iterable[BaseRoute], scope: Scope) -> list[Route]:
    return [route for route in routes if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE]


async def _left(request: Request, error: ClientDisconnect) -> Response:
    """The client left before it had sent its request: no response is read, and no error is logged."""
    return Response(status_code=400)


async def _no_memory(request: Request, error: MemoryError) -> Response:
    logger.error("%s %s failed: there is too little memory for it", request.method, request.url.path)
    return failure(no_memory(), request.url.path)


async def _broken(request: Request, error: Exception) -> Response:
    failed = PiMemoryError("The daemon failed to answer", hint="Its log says why; please report it.")
    return failure(failed, request.url.path)
