"""`/healthz` and `/version`: liveness, degraded parts, and what to do about them."""

from collections.abc import Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory import __version__
from pi_memory.http.clients import client_of
from pi_memory.http.endpoint import Endpoint, answer
from pi_memory.loader import Loader, P, State
from pi_memory.parts import Parts
from pi_memory.protocols import Embedder, Model
from pi_memory.settings import Settings


class PartHealth(msgspec.Struct, omit_defaults=True):
    status: State
    is_: str = msgspec.field(name="is", default="")
    todo: str = ""


class Health(msgspec.Struct, omit_defaults=True):
    """`parts` is for authenticated clients: it names files and servers."""

    status: State
    parts: dict[str, PartHealth] = {}


class Version(msgspec.Struct):
    name: str
    version: str


async def healthz(request: Request, parts: Parts) -> Response:
    found = await health(parts)
    return answer(found if (client := client_of(request)) and client.namespace is None else Health(found.status))


async def health(parts: Parts) -> Health:
    """The state of each part, and what to do where one is degraded."""
    database = "memory only" if parts.db.in_ram else str(parts.settings.database)
    kept = {
        "database": local(parts.db.problem, database),
        "focus": local(parts.focus.problem, str(parts.settings.focus_file)),
    }
    parts.clock()  # reading it is what notices that it is wrong, or right again
    if parts.settings.memory.backups and not parts.db.in_ram:
        newest = parts.backups.newest
        kept["backups"] = local(parts.backups.problem, f"the newest is of {newest}" if newest else "none yet")
    if parts.clock.problem:
        kept["clock"] = local(parts.clock.problem, "")
    return await described(parts.settings, kept, model=parts.model, embedder=parts.embedder)


async def described(
    settings: Settings, kept: Mapping[str, PartHealth], *, model: Loader[Model], embedder: Loader[Embedder]
) -> Health:
    """All parts, of a running daemon or of one that would start. `kept` are those of memory."""
    chat = model.now
    found = {
        "model": _of(model, ": ".join(dict.fromkeys((chat.provider, chat.name))), await chat.problem()),
        "embedder": _of(embedder, embedder.now.id),
        **kept,
    }
    if not settings.memory.enabled:
        found = {"model": found["model"], "memory": PartHealth("ok", "switched off (ENABLE_MEMORY=false)")}
    return Health(_worst([part.status for part in found.values()]), found)


async def version(request: Request, parts: Parts) -> Response:
    return answer(Version("pi-memory", __version__))


def _of(loader: Loader[P], name: str, problem: str | None = None) -> PartHealth:
    state: State = "degraded" if problem and loader.state == "ok" else loader.state
    return PartHealth(state, name, loader.problem or problem or "")


def local(problem: str | None, name: str) -> PartHealth:
    return PartHealth("degraded" if problem else "ok", name, problem or "")


def _worst(states: list[State]) -> State:
    order: tuple[State, ...] = ("degraded", "loading", "ok")
    return next(state for state in order if state in states)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/healthz",
        healthz,
        "Alive, and what is degraded; 200 from the first moment.",
        needs_memory=False,
        within_namespace=True,
        answer=Health,
    ),
    Endpoint(
        "GET",
        "/version",
        version,
        "Which release this is.",
        needs_memory=False,
        within_namespace=True,
        answer=Version,
    ),
]
