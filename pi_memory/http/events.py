"""`/events`: lists every change, and takes one back."""

from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import NotFound
from pi_memory.http.clients import allow
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, flag, number
from pi_memory.http.times import shown, shown_value
from pi_memory.parts import Parts
from pi_memory.store import events

MOST = 500
ShownFields = dict[str, Any]


class ShownEvent(msgspec.Struct):
    """`before` and `after` of a memory's event hold the changed fields by memory id."""

    id: int
    at: str
    kind: str
    subject: str
    origin: str
    undoes: int | None
    before: Any
    after: Any


class ShownEvents(msgspec.Struct):
    events: list[ShownEvent]


class ShownDifference(msgspec.Struct):
    memory_id: int
    field: str
    before: Any
    after: Any


class ShownUndo(msgspec.Struct):
    """`changes` are those of memories."""

    event_id: int
    undone: bool
    changes: list[ShownDifference]


async def show(request: Request, parts: Parts) -> Response:
    limit = number(request, "limit", 50, most=MOST)
    before = number(request, "before", LARGEST)
    kind = request.query_params.get("kind", "")
    if kind.startswith(events.AUDIT):
        allow(request, "all", "GET /audit")
    found = await parts.db.read(lambda db: events.listed(db, kind=kind, before=before, limit=limit))
    return answer(ShownEvents([_shown(event) for event in found]))


async def undo(request: Request, parts: Parts) -> Response:
    event_id, dry_run = request.path_params["id"], flag(request, "dry_run")
    if event_id > LARGEST:
        raise NotFound(f"There is no event {event_id}", hint="GET /events lists them.")
    event = await parts.db.read(partial(events.get, number=event_id))
    if event is not None and event.kind.startswith("topic."):
        await parts.focus.undo(event, dry_run=dry_run)
        return answer(ShownUndo(event_id, not dry_run, []))
    changes = [
        ShownDifference(one.memory_id, one.field, *(shown_value(one.field, side) for side in (one.before, one.after)))
        for one in await parts.memories.undo(event_id, dry_run=dry_run)
    ]
    return answer(ShownUndo(event_id, not dry_run, changes))


def shown_fields(fields: ShownFields | None) -> ShownFields | None:
    """A memory's fields as clients read them."""
    return fields and {name: shown_value(name, value) for name, value in fields.items()}


def _shown(event: events.Event) -> ShownEvent:
    before, after = event.before, event.after
    if event.kind.startswith("memory."):
        before, after = (
            side and {number: shown_fields(fields) for number, fields in side.items()} for side in (before, after)
        )
    return shown(ShownEvent, event, before=before, after=after)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/events",
        show,
        "What changed, when and by whom, the newest first.",
        answer=ShownEvents,
        query={
            "kind": "how the kind begins, such as memory.",
            "before": "only events with a smaller id",
            "limit": f"most events, up to {MOST} (50)",
        },
    ),
    Endpoint(
        "POST",
        "/events/{id:int}/undo",
        undo,
        "Take back what an event did to memories, or to a topic, which is an event too.",
        answer=ShownUndo,
        query={"dry_run": "1: only show what would change"},
    ),
]
