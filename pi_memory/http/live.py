"""`GET /live`: server-sent events of everything that changes."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pi_memory.background.live_events import LiveEvent
from pi_memory.http.endpoint import Endpoint
from pi_memory.parts import Parts

QUIET_SECONDS = 60.0
"""After this long without an event a comment is sent: a client that has gone away silently is noticed."""


async def live(request: Request, parts: Parts) -> Response:
    since = request.headers.get("last-event-id") or request.query_params.get("since", "")
    events = parts.live.listen(since)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_lines(events), headers=headers, media_type="text/event-stream")


async def _lines(events: AsyncIterator[LiveEvent]) -> AsyncIterator[str]:
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=QUIET_SECONDS)
            if not done:
                yield ":\n\n"
                continue
            event = coming.result()
            if event is None:
                return
            yield f"id: {event.id}\nevent: {event.kind}\ndata: {msgspec.json.encode(event.data).decode()}\n\n"
            coming = asyncio.ensure_future(anext(events, None))
    finally:
        coming.cancel()


ENDPOINTS = [
    Endpoint(
        "GET",
        "/live",
        live,
        "Server-sent events of everything that changes: `memory`, `forgotten`, `topics`, `exchange`; `missed` after "
        "`Last-Event-ID`, or `since`, when there were some in between.",
        query={"since": "the id of the last event that was seen; `Last-Event-ID` goes before it"},
        needs_memory=False,
        media_type="text/event-stream",
    )
]
