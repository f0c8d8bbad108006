"""The chat: replies as they arrive, conversations old and new, and under each answer what it was made of."""

from collections.abc import AsyncIterator
from html import escape
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pi_memory.chat.stream import TurnEvent
from pi_memory.errors import NotFound, PiMemoryError
from pi_memory.http.chat import ChatRequest, turn_of
from pi_memory.http.clients import may_do_all
from pi_memory.http.turns import TurnResponse, last, unless_gone
from pi_memory.parts import Parts
from pi_memory.types import GENERAL, Delta
from pi_memory.web import formats
from pi_memory.web.said import projects
from pi_memory.web.site import ask, done, form, fragment, into, is_part, listed, page, rendered, said, wants

LISTED, FOUND = 25, 10
"""Conversations in the list, and those that a search finds."""
SHOWN = 10
"""Exchanges of a conversation that are shown; older ones come when they are asked for."""
ONE = "/ui/chat/{id}"


async def show(request: Request, parts: Parts) -> Response:
    name = request.path_params.get("id", "")
    query = request.query_params.get("q", "").strip()
    if wants(request, "conversations"):
        return rendered(request, "chat.html", "conversations", **await _conversations(request, parts, query))
    shown = await _exchanges(request, name) if name else {"exchanges": [], "next": None}
    if wants(request, "older"):
        return rendered(request, "chat.html", "exchanges", name=name, **shown)
    listing = await _conversations(request, parts, query)
    return rendered(
        request,
        "chat.html",
        name=name,
        new=uuid4(),
        agents=(await ask(request, "GET", "/agents"))["agents"],
        general=GENERAL,
        conversation=await _conversation(request, name),
        projects=await projects(request) if parts.settings.memory.enabled else [],
        **listing,
        **shown,
    )


async def _conversations(request: Request, parts: Parts, query: str) -> dict[str, Any]:
    """The last conversations, or those that are about `query`."""
    if not parts.settings.memory.enabled:
        return {"q": "", "conversations": [], "found": None}
    if query:
        wanted = {"q": query, "everywhere": "1", "bearing": "1", "group": "conversation", "k": FOUND}
        groups = await ask(request, "GET", "/memories/search", **wanted)
        return {"q": query, "conversations": [], "found": groups["conversations"]}
    listing = await ask(request, "GET", "/conversations", source="chat", limit=LISTED)
    return {"q": "", "conversations": listing["conversations"], "found": None}


async def _exchanges(request: Request, name: str) -> dict[str, Any]:
    """What was said in a conversation, oldest first, also when it has ended; `next` is where older ones are."""
    before = request.query_params.get("before")
    found = await ask(request, "GET", "/exchanges", conversation_id=name, limit=SHOWN, before=before)
    return {"exchanges": found["exchanges"][::-1], "next": found["next"]}


async def _conversation(request: Request, name: str) -> dict[str, Any] | None:
    """The window of a conversation that is alive."""
    try:
        found: dict[str, Any] = await ask(request, "GET", f"/conversations/{name}") if name else {}
        return found or None
    except NotFound:
        return None


async def say(request: Request, parts: Parts) -> Response:
    given = await form(request)
    name = given.get("conversation_id") or str(uuid4())
    asked = ChatRequest(
        message=given.get("message", ""),
        agent=given.get("agent") or GENERAL,
        stream=True,
        conversation_id=name,
        project=given.get("project") or None,
    )
    before = await _newest(request, parts, name)
    stream = parts.streams.start(turn_of(asked, may_forget=may_do_all(request)))
    events = aiter(stream)
    if not is_part(request):
        await unless_gone(request.receive(), stream, last(events))
        return RedirectResponse(f"/ui/chat/{formats.segment(name)}", 303)
    return TurnResponse(stream, _streamed(request, parts, asked, before, events), "text/event-stream")


async def _newest(request: Request, parts: Parts, name: str) -> int:
    """The id of the newest exchange of a conversation, 0 for none."""
    if not parts.settings.memory.enabled:
        return 0
    found = listed(await ask(request, "GET", "/exchanges", conversation_id=name, limit=1), "exchanges")
    return int(found[0]["id"]) if found else 0


async def _streamed(
    request: Request, parts: Parts, asked: ChatRequest, before: int, events: AsyncIterator[TurnEvent]
) -> AsyncIterator[str]:
    """The message at once, then the reply's pieces into its place, then the receipt."""
    place = f"t{uuid4().hex[:12]}"
    name = asked.conversation_id or ""
    yield _sse(fragment("chat.html", "turn", place=place, message=asked.message, name=name, after=before))
    try:
        async for event in events:
            if isinstance(event, Delta):
                yield _sse(into(f"#{place} .reply", escape(str(formats.visible(event.text))), "beforeend"))
        if (number := await _newest(request, parts, name)) > before:
            exchange = await ask(request, "GET", f"/exchanges/{number}")
            receipt = fragment("exchange.html", "receipt", exchange=exchange, is_new=True)
            yield _sse(into(f"#{place} footer", receipt, "outerHTML"))
    except PiMemoryError as error:
        yield _sse(into(f"#{place} footer", escape(f"{error.message}. {error.hint}"), "innerHTML"))


def _sse(html: str) -> str:
    return "".join(f"data: {line}\n" for line in html.split("\n")) + "\n"


async def newest(request: Request, parts: Parts) -> Response:
    """The receipt of an answer that was stopped, once it is stored: nothing until then."""
    after = request.query_params.get("after", "")
    number = await _newest(request, parts, request.path_params["id"])
    if number <= (int(after) if after.isdecimal() else 0):
        return Response(status_code=204)
    exchange = await ask(request, "GET", f"/exchanges/{number}")
    return rendered(request, "exchange.html", "receipt", exchange=exchange, is_new=True)


async def end(request: Request, parts: Parts) -> Response:
    await ask(request, "DELETE", f"/conversations/{request.path_params['id']}")
    return done(request, said("The conversation has ended; it can still be read."), "/")


async def preview(request: Request, parts: Parts) -> Response:
    name = request.path_params["id"]
    would = await ask(request, "DELETE", f"/conversations/{name}", forget="1", dry_run="1")
    back = f"/ui/chat/{formats.segment(name)}"
    return rendered(request, "forget.html", "preview", action=f"{back}/forget", back=back, would=would)


async def forget(request: Request, parts: Parts) -> Response:
    await ask(request, "DELETE", f"/conversations/{request.path_params['id']}", forget="1")
    return done(request, fragment("forget.html", "gone"), "/")


ENDPOINTS = [
    page("/", show),
    page("/ui/chat", say, method="POST", needs="chat"),
    page(ONE, show),
    page(f"{ONE}/newest", newest, needs_memory=True),
    page(f"{ONE}/end", end, method="POST"),
    page(f"{ONE}/forget", preview, needs_memory=True),
    page(f"{ONE}/forget", forget, method="POST", needs_memory=True),
]
