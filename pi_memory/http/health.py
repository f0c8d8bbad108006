"""`/healthz` and `/version`: is it alive, what is missing, and what to do about it."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory import __version__
from pi_memory.http.endpoint import Endpoint, answer
from pi_memory.http.parts import Parts
from pi_memory.loader import Loader, P, State


class PartHealth(msgspec.Struct, omit_defaults=True):
    status: State
    is_: str = msgspec.field(name="is", default="")
    todo: str = ""


class Health(msgspec.Struct):
    status: State
    parts: dict[str, PartHealth]


class Version(msgspec.Struct):
    name: str
    version: str


async def healthz(request: Request, parts: Parts) -> Response:
    return answer(health(parts))


def health(parts: Parts) -> Health:
    """What each part is, and what to do where one is degraded."""
    model, embedder = parts.model.now, parts.embedder.now
    found = {
        "model": _of(parts.model, f"{model.provider}: {model.name}"),
        "embedder": _of(parts.embedder, embedder.id),
        "database": _local(parts.db.problem, "memory only" if parts.db.in_ram else str(parts.settings.database)),
        "focus": _local(parts.focus.problem, str(parts.settings.focus_file)),
    }
    if not parts.settings.memory.enabled:
        found = {"model": found["model"], "memory": PartHealth("ok", "switched off (ENABLE_MEMORY=false)")}
    return Health(_worst([part.status for part in found.values()]), found)


async def version(request: Request, parts: Parts) -> Response:
    return answer(Version("pi-memory", __version__))


def _of(loader: Loader[P], name: str) -> PartHealth:
    return PartHealth(loader.state, name, loader.problem or "")


def _local(problem: str | None, name: str) -> PartHealth:
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
        answer=Health,
    ),
    Endpoint("GET", "/version", version, "Which release this is.", needs_memory=False, answer=Version),
]
