"""Memories: found, added, corrected, undone, forgotten."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import Forgotten, NotFound
from pi_memory.parts import Parts
from pi_memory.web import formats
from pi_memory.web.site import ask, done, form, fragment, here, into, listed, page, rendered, said, wants

SHOWN = 20
FOUND = 10
MANY = 100
PAIRS = 3
BACK = "/ui/memories"
ONE = BACK + "/{id:int}"
EDITED = ("content", "namespace", "priority", "type", "topics")
"""Fields of a memory that somebody edits."""
NUMBER = re.compile(r"[0-9]{1,18}")
STATES = {"": {}, "ended": {"valid": "0"}, "all": {"all": "1"}}
"""What the filter of a page says to the API."""


async def show(request: Request, parts: Parts) -> Response:
    asked = request.query_params
    chosen = {name: asked.get(name, "").strip() for name in ("q", "namespace", "type", "priority", "state")}
    values: dict[str, Any] = {"chosen": chosen, "results": None, "memories": (), "total": 0, "next": None}
    only = {name: chosen[name] for name in ("namespace", "type", "priority")}
    if chosen["q"]:
        wanted = {"kind": "memory", "everywhere": "1", "explain": "1", "bearing": "1"}
        found = await ask(request, "GET", "/memories/search", k=FOUND, q=chosen["q"], **only, **wanted)
        values["results"] = found["results"]
    else:
        state = STATES.get(chosen["state"], {})
        before = asked.get("before")
        values |= await ask(request, "GET", "/memories", limit=SHOWN, before=before, **only, **state)
        values["next"] = values["memories"][-1]["id"] if len(values["memories"]) == SHOWN else None
        values["is_first"] = before is None
    if wants(request, "results"):
        return rendered(request, "memories.html", "results", **values)
    namespaces = (await ask(request, "GET", "/namespaces"))["namespaces"]
    return rendered(request, "memories.html", namespaces=namespaces, **await _conflicts(request), **values)


async def _conflicts(request: Request) -> dict[str, Any]:
    """Of the pairs that may not both hold the newest ones, and how many more there are."""
    found = listed(await ask(request, "GET", "/memories/conflicts"), "conflicts")
    return {"conflicts": found[:PAIRS], "more": len(found[PAIRS:])}


async def settle(request: Request, parts: Parts) -> Response:
    """One of two holds, which ends the other one, or both do; the pairs that are left."""
    given = await form(request)
    holds, ends = given.get("holds", ""), given.get("ends", "")
    wanted = {"holds": int(holds) if NUMBER.fullmatch(holds) else holds}
    await ask(request, "POST", f"/memories/conflicts/{request.path_params['id']}", wanted)
    subject = ends or given.get("newer", "")
    undo = await _last_event(request, int(subject)) if NUMBER.fullmatch(subject) else None
    html = said("The other one no longer holds." if ends else "Both hold.", undo=undo)
    return done(request, html + fragment("memories.html", "conflicts", **await _conflicts(request)), BACK)


async def add(request: Request, parts: Parts) -> Response:
    given = await form(request)
    new = {name: given[name] for name in ("content", "namespace") if given.get(name)}
    anyway = given.get("anyway") == "1"
    try:
        memory = await ask(request, "POST", "/memories", {"content": "", "anyway": anyway, **new})
    except Forgotten as error:
        return rendered(request, "again.html", "again", status=error.status, given=new)
    html = fragment("memories.html", "line", memory=memory)
    return done(request, html + (said("Remembered again.") if anyway else ""), BACK)


async def show_one(request: Request, parts: Parts) -> Response:
    return rendered(request, "memory.html", "memory", **await _one(request, request.path_params["id"]))


async def _one(request: Request, number: int) -> dict[str, Any]:
    """A memory, and whether somebody has written it anew since it was learned."""
    if number not in (found := await several(request, [number])):
        raise NotFound(f"There is no memory {number}", hint="It may be in another store.")
    memory = found[number]
    if memory["updated_at"] == memory["created_at"]:
        return {"memory": memory, "rewritten": False}
    changes = (await ask(request, "GET", f"/memories/{number}/history"))["history"]
    added = next((one["after"] for one in changes if one["kind"] == "memory.added"), None) or {}
    return {"memory": memory, "rewritten": added.get("content", memory["content"]) != memory["content"]}


async def several(request: Request, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Memories by their ids."""
    wanted = ",".join(map(str, ids))
    found = listed(await ask(request, "GET", "/memories", ids=wanted), "memories") if wanted else ()
    return {memory["id"]: memory for memory in found}


async def edit(request: Request, parts: Parts) -> Response:
    given = await form(request)
    fields = {name: given[name] for name in ("content", "namespace", "priority", "type") if given.get(name)}
    path = f"/memories/{request.path_params['id']}"
    await ask(request, "PATCH", path, fields)
    return await _changed(request, "Saved.")


async def close(request: Request, parts: Parts) -> Response:
    await ask(request, "DELETE", f"/memories/{request.path_params['id']}")
    return await _changed(request, "It no longer holds.")


async def not_now(request: Request, parts: Parts) -> Response:
    """It did not help this time: it loses half of its strength."""
    number, session = request.path_params["id"], (await form(request)).get("session_id")
    used = await ask(request, "POST", "/session/applications", {"memory_id": number, "session_id": session})
    await ask(request, "PATCH", f"/session/applications/{used['id']}", {"helpful": False})
    return done(request, said("It comes up less often."), here(request, f"{BACK}/{number}"))


async def _changed(request: Request, message: str) -> Response:
    """The memory as it is now, where it was shown; elsewhere a notice. Either with the undo."""
    number = request.path_params["id"]
    html = said(message, undo=await _last_event(request, number))
    if wants(request, f"memory{number}"):
        html += fragment("memory.html", "memory", **await _one(request, number))
    return done(request, html, here(request, f"{BACK}/{number}"))


async def _last_event(request: Request, number: int) -> int | None:
    history = (await ask(request, "GET", f"/memories/{number}/history"))["history"]
    return history[0]["event_id"] if history else None


async def history(request: Request, parts: Parts) -> Response:
    found = await ask(request, "GET", f"/memories/{request.path_params['id']}/history")
    changes = [{**change, "differences": _differences(change)} for change in found["history"]]
    return rendered(request, "history.html", "history", memory=found["memory"], changes=changes)


def _differences(change: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Field, before, after; of what was added its content; of what took another one's place nothing."""
    if change.get("instead_of"):
        return []
    before, after = change["before"] or {}, change["after"] or {}
    names = [name for name in after if before] or ["content"]
    return [(name, _text(before.get(name)), _text(after.get(name))) for name in names]


def _text(value: object) -> str:
    if value is None:
        return ""
    return ", ".join(value) if isinstance(value, list) else str(value)


async def preview(request: Request, parts: Parts) -> Response:
    path = f"/memories/{request.path_params['id']}"
    would = await ask(request, "DELETE", path, forget="1", dry_run="1")
    return rendered(request, "forget.html", "preview", action=request.url.path, back=f"/ui{path}", would=would)


async def forget(request: Request, parts: Parts) -> Response:
    await ask(request, "DELETE", f"/memories/{request.path_params['id']}", forget="1")
    return done(request, fragment("forget.html", "gone"), BACK)


async def changes(request: Request, parts: Parts) -> Response:
    """What changed today; the last changes when nothing did."""
    found = listed(await ask(request, "GET", "/events", kind="memory.", limit=MANY), "events")
    today = [event for event in found if formats.local(event["at"]).date() == date.today()]
    shown = (today or found)[:SHOWN]
    ids = dict.fromkeys(int(event["subject"].removeprefix("memory:")) for event in shown)
    memories = await several(request, ids)
    events = [{**event, "differences": _edited(event)} for event in shown]
    return rendered(request, "changes.html", "changes", events=events, memories=memories, is_today=bool(today))


def _edited(event: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Field, before, after of what was edited; the kind of the event says the rest."""
    number = event["subject"].removeprefix("memory:")
    change = {side: (event[side] or {}).get(number) for side in ("before", "after")}
    return [one for one in _differences(change) if one[0] in EDITED] if change["before"] else []


async def unlearn(request: Request, parts: Parts) -> Response:
    """Take back that it was learned."""
    found = (await ask(request, "GET", f"/memories/{request.path_params['id']}/history"))["history"]
    added = next((event["event_id"] for event in found if event["kind"] == "memory.added"), 0)
    await ask(request, "POST", f"/events/{added}/undo")
    return done(request, said("It is as if it had not been learned."), here(request, BACK))


async def undo(request: Request, parts: Parts) -> Response:
    number = request.path_params["id"]
    undone = await ask(request, "POST", f"/events/{number}/undo")
    html = said("Undone.")
    for changed in sorted({change["memory_id"] for change in undone["changes"]}):  # as it is now, where it is shown
        card = fragment("memory.html", "memory", **await _one(request, changed))
        html += into(f"#memory{changed}", card, "outerHTML")
    return done(request, html, here(request, f"{BACK}/changes"))


ENDPOINTS = [
    page(BACK, show, needs_memory=True),
    page(BACK, add, method="POST", needs_memory=True),
    page(f"{BACK}/changes", changes, needs_memory=True),
    page(f"{BACK}/conflicts/{{id:int}}", settle, method="POST", needs_memory=True),
    page(ONE, show_one, needs_memory=True),
    page(ONE, edit, method="POST", needs_memory=True),
    page(f"{ONE}/close", close, method="POST", needs_memory=True),
    page(f"{ONE}/not-now", not_now, method="POST", needs_memory=True),
    page(f"{ONE}/unlearn", unlearn, method="POST", needs_memory=True),
    page(f"{ONE}/history", history, needs_memory=True),
    page(f"{ONE}/forget", preview, needs_memory=True),
    page(f"{ONE}/forget", forget, method="POST", needs_memory=True),
    page("/ui/events/{id:int}/undo", undo, method="POST", needs_memory=True),
]
