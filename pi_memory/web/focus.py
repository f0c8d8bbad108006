"""The focus: topics and how they fade, the file beside them, and what the session is in the middle of."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import NotFound
from pi_memory.parts import Parts
from pi_memory.web import formats
from pi_memory.web.site import ask, done, form, fragment, page, rendered, said, wants

BACK = "/ui/focus"
ONE = BACK + "/topic/{topic:path}"
SHOWN = 15
OF_TOPIC = 10


async def show(request: Request, parts: Parts) -> Response:
    if wants(request, "file"):
        return rendered(request, "focus.html", "file", **await _file(request))
    topics = (await ask(request, "GET", "/focus"))["topics"]
    values = {"topics": topics[:SHOWN], "more": max(0, len(topics) - SHOWN)}
    if wants(request, "topics"):
        return rendered(request, "focus.html", "topics", **values)
    if wants(request, "attention"):
        return rendered(request, "focus.html", "attention", session=await _session(request))
    rejected = (await ask(request, "GET", "/focus.rejected"))["rejected"]
    others = {"session": await _session(request), "rejected": rejected}
    return rendered(request, "focus.html", **values, **others, **await _file(request))


async def _file(request: Request) -> dict[str, Any]:
    return {"text": await ask(request, "GET", "/focus.md")}


async def _session(request: Request) -> dict[str, Any] | None:
    """What the session that was active last is in the middle of."""
    try:
        found: dict[str, Any] = await ask(request, "GET", "/session")
        return found
    except NotFound:
        return None


async def edit(request: Request, parts: Parts) -> Response:
    given = await form(request)
    await ask(request, "PUT", "/focus.md", {"text": f"{given.get('text', '')}\n", "base": f"{given.get('base', '')}\n"})
    html = fragment("focus.html", "file", **await _file(request))
    return done(request, html + said("Saved, and merged with what came meanwhile."), BACK)


async def add(request: Request, parts: Parts) -> Response:
    await ask(request, "PUT", f"/focus/{(await form(request)).get('topic', '')}")
    return done(request, await _bars(request), BACK)


async def _bars(request: Request) -> str:
    topics = (await ask(request, "GET", "/focus"))["topics"]
    return fragment("focus.html", "topics", topics=topics[:SHOWN], more=max(0, len(topics) - SHOWN))


async def show_one(request: Request, parts: Parts) -> Response:
    return rendered(request, "topic.html", "topic", **await _topic(request, request.path_params["topic"]))


async def _topic(request: Request, name: str) -> dict[str, Any]:
    found = await ask(request, "GET", f"/focus/{name}")
    memories = await ask(request, "GET", "/memories", topic=name, limit=OF_TOPIC + 1)
    sessions = await ask(request, "GET", "/conversations", topic=name, limit=OF_TOPIC)
    return {
        "topic": found["topic"],
        "history": found["history"][:OF_TOPIC],
        "memories": memories["memories"][:OF_TOPIC],
        "more": len(memories["memories"]) > OF_TOPIC,
        "sessions": sessions["conversations"],
    }


async def change(request: Request, parts: Parts) -> Response:
    """Touch it, drop it, or give it another name."""
    name, given = request.path_params["topic"], await form(request)
    what = given.get("do", "touch")
    if what == "drop":
        await ask(request, "DELETE", f"/focus/{name}")
    else:
        renamed = {"rename_to": given["rename_to"]} if what == "rename" else {}
        name = (await ask(request, "PUT", f"/focus/{name}", renamed))["topic"]
    message = {"drop": f"{name} is no longer on it.", "rename": f"It is called {name} now."}.get(what, "Touched.")
    history = (await ask(request, "GET", f"/focus/{name}"))["history"]
    kinds = {"drop": "topic.removed", "rename": "topic.renamed"}
    undo = next((event["id"] for event in history if event["kind"] == kinds.get(what, "topic.changed")), None)
    html = said(message, undo=undo) + fragment("topic.html", "topic", **await _topic(request, name))
    return done(request, html, f"{BACK}/topic/{formats.segment(name)}")


async def drop_rejected(request: Request, parts: Parts) -> Response:
    await ask(request, "DELETE", f"/focus.rejected/{request.path_params['name']}")
    return done(request, "Removed.", BACK)


ENDPOINTS = [
    page(BACK, show, needs_memory=True),
    page(BACK, add, method="POST", needs_memory=True),
    page(f"{BACK}/file", edit, method="POST", needs_memory=True),
    page(f"{BACK}/rejected/{{name}}", drop_rejected, method="POST", needs_memory=True),
    page(ONE, show_one, needs_memory=True),
    page(ONE, change, method="POST", needs_memory=True),
]
