"""`/memories/conflicts`: pairs of memories that may not both hold; somebody says which does."""

from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.errors import NotFound
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, body
from pi_memory.http.memories import ShownMemory, shown_memory
from pi_memory.parts import Parts


class ShownConflict(msgspec.Struct):
    """`chance` is how likely the newer makes the older untrue, from 0 to 1."""

    id: int
    at: str
    chance: float
    newer: ShownMemory
    older: ShownMemory


class ShownConflicts(msgspec.Struct):
    conflicts: list[ShownConflict]


class Settlement(msgspec.Struct, forbid_unknown_fields=True):
    """`holds` is the memory that holds, so that the other one ends; or `both`."""

    holds: int | Literal["both"]


async def show(request: Request, parts: Parts) -> Response:
    now = parts.clock()
    found = [
        ShownConflict(c.id, iso(c.at), c.chance, shown_memory(newer, now), shown_memory(older, now))
        for c, newer, older in await parts.memories.conflicts()
    ]
    return answer(ShownConflicts(found))


async def settle(request: Request, parts: Parts) -> Response:
    number, wanted = request.path_params["id"], await body(request, Settlement)
    if number > LARGEST:
        raise NotFound(f"There is no conflict {number}", hint="GET /memories/conflicts lists them.")
    await parts.memories.settle(number, None if wanted.holds == "both" else wanted.holds, origin="api")
    return Response(status_code=204)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/memories/conflicts",
        show,
        "Pairs of memories that may not both hold, the newest first.",
        answer=ShownConflicts,
    ),
    Endpoint(
        "POST",
        "/memories/conflicts/{id:int}",
        settle,
        "Say which of two memories holds, or that both do.",
        body=Settlement,
        status=204,
    ),
]
