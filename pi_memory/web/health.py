"""Health: what runs, what is degraded and what to do, what it used, and the settings in effect."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pi_memory.decay import DAY
from pi_memory.http.clients import may_do_all
from pi_memory.http.guard import COOKIE
from pi_memory.parts import Parts
from pi_memory.web.site import ask, page, rendered


async def show(request: Request, parts: Parts) -> Response:
    health = await ask(request, "GET", "/healthz")
    usage = await ask(request, "GET", "/usage")
    settings = (await ask(request, "GET", "/settings"))["settings"] if may_do_all(request) else []
    given = [setting for setting in settings if setting["source"] != "default"]
    others = [setting for setting in settings if setting["source"] == "default"]
    days = max(usage["uptime_seconds"], 1.0) / DAY
    values = {
        "health": health,
        "usage": usage,
        "given": given,
        "others": others,
        "logged_in": COOKIE in request.cookies,
    }
    return rendered(request, "health.html", "figures", **values, **_a_day(usage, days))


def _a_day(usage: dict[str, Any], days: float) -> dict[str, Any]:
    """Tokens and megabytes a day, at the rate since the start; None within the first hour, which says little."""
    if days * 24 < 1:
        return {"tokens_a_day": None, "written_a_day": None}
    tokens = {
        name: sum(count[name] for count in usage["tokens"].values()) / days
        for name in ("submitted", "evaluated", "generated")
    }
    written = usage["written_mb"]
    return {"tokens_a_day": tokens, "written_a_day": None if written is None else written / days}


ENDPOINTS = [page("/ui/health", show)]
