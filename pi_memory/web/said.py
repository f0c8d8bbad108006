"""What was said: by day, searched, erased; and what one message was answered with."""

import itertools
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pi_memory.parts import Parts
from pi_memory.web import formats
from pi_memory.web.site import ask, done, fragment, listed, page, rendered, wants

SHOWN = 15
BACK = "/ui/said"
ONE = "/ui/exchanges/{id:int}"


async def show(request: Request, parts: Parts) -> Response:
    asked = request.query_params
    chosen = {name: asked.get(name, "").strip() for name in ("q", "project", "from", "to", "conversation_id")}
    found = await ask(request, "GET", "/exchanges", limit=SHOWN, before=asked.get("before"), **chosen)
    days = [(day, list(said)) for day, said in itertools.groupby(found["exchanges"], key=_day)]
    values = {"chosen": chosen, "days": days, "next": found["next"]}
    if wants(request, "results"):
        return rendered(request, "said.html", "results", **values)
    return rendered(request, "said.html", projects=await projects(request), **values)


def _day(exchange: dict[str, Any]) -> str:
    return formats.day(exchange["at"])


async def projects(request: Request) -> list[str]:
    """The projects that something is known of."""
    found = listed(await ask(request, "GET", "/namespaces"), "namespaces")
    names = (one["namespace"].split("/")[1] for one in found if one["namespace"].startswith("project/"))
    return sorted(set(names))


async def show_one(request: Request, parts: Parts) -> Response:
    exchange = await ask(request, "GET", f"/exchanges/{request.path_params['id']}")
    return rendered(request, "exchange.html", "receipt", exchange=exchange, is_new=False)


async def receipt(request: Request, parts: Parts) -> Response:
    """The receipt of an answer that has just come, which follows what is learned from it."""
    exchange = await ask(request, "GET", f"/exchanges/{request.path_params['id']}")
    return rendered(request, "exchange.html", "receipt", exchange=exchange, is_new=True)


async def preview(request: Request, parts: Parts) -> Response:
    would = await ask(request, "DELETE", f"/exchanges/{request.path_params['id']}", dry_run="1")
    return rendered(request, "forget.html", "preview", action=request.url.path, back=BACK, would=would)


async def forget(request: Request, parts: Parts) -> Response:
    await ask(request, "DELETE", f"/exchanges/{request.path_params['id']}")
    return done(request, fragment("forget.html", "gone"), BACK)


ENDPOINTS = [
    page(BACK, show, needs_memory=True),
    page(ONE, show_one, needs_memory=True),
    page(f"{ONE}/receipt", receipt, needs_memory=True),
    page(f"{ONE}/forget", preview, needs_memory=True),
    page(f"{ONE}/forget", forget, method="POST", needs_memory=True),
]
