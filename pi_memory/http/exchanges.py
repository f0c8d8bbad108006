"""`/exchanges`: lists, searches and erases what was said, word for word."""

import re
from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.http import gone
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, flag, number
from pi_memory.http.times import shown, unix
from pi_memory.parts import Parts
from pi_memory.store import exchanges
from pi_memory.store.exchanges import ExchangeQuery
from pi_memory.types import Source

MOST = 200


class ShownExchange(msgspec.Struct):
    id: int
    conversation_id: str
    source: Source
    project: str | None
    at: str
    user: str
    reply: str
    partial: bool


class ShownExchanges(msgspec.Struct):
    """`next` is the `before` of the next page, None on the last one."""

    exchanges: list[ShownExchange]
    next: int | None


async def show(request: Request, parts: Parts) -> Response:
    asked, limit = request.query_params, number(request, "limit", 50, least=1, most=MOST)
    wanted = ExchangeQuery(
        words=tuple(asked.get("q", "").split()),
        conversation=asked.get("conversation_id"),
        project=asked.get("project"),
        since=_time(request, "from"),
        until=_time(request, "to"),
        before=number(request, "before", LARGEST),
    )
    found = await parts.db.read(partial(exchanges.listed, wanted=wanted, limit=limit + 1))
    page = found[:limit]
    listed = [shown(ShownExchange, exchange, id=id_) for id_, exchange in page]
    return answer(ShownExchanges(listed, page[-1][0] if len(found) > limit else None))


async def drop(request: Request, parts: Parts) -> Response:
    dry_run = flag(request, "dry_run")
    done = await parts.memories.erase([min(request.path_params["id"], LARGEST)], dry_run=dry_run)
    return gone.gone(done, dry_run=dry_run)


def _time(request: Request, name: str) -> float | None:
    value = request.query_params.get(name)
    if value is None:
        return None
    return unix(float(value) if re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", value) else value, name)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/exchanges",
        show,
        "What was said, the newest first.",
        answer=ShownExchanges,
        query={
            "q": "only exchanges that have all these words, or parts of words",
            "conversation_id": "only those of this conversation or session",
            "project": "only those said in this project",
            "from": "only those said at this time or later: ISO 8601, or Unix seconds",
            "to": "only those said before this time",
            "before": "only exchanges with a smaller id: the `next` of the page before",
            "limit": f"most exchanges, 1 to {MOST} (50)",
        },
    ),
    Endpoint(
        "DELETE",
        "/exchanges/{id:int}",
        drop,
        "Erase an exchange for good, and forget the memories that rest on it.",
        status=204,
        also=gone.ALSO,
        query=gone.DRY_RUN,
    ),
]
