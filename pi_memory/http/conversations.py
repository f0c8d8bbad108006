"""`/conversations/{id}`: what a conversation holds in its window, and its end."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import NotFound
from pi_memory.http.endpoint import Endpoint, answer
from pi_memory.http.parts import Parts
from pi_memory.http.times import iso


class ShownExchange(msgspec.Struct):
    user: str
    reply: str
    at: str
    partial: bool


class ShownConversation(msgspec.Struct):
    """`earlier` counts exchanges that are still prompted word for word besides the last `MEMORY_MAX_TURNS`; `summary`
    stands for those before them."""

    conversation_id: str
    project: str | None
    started_at: str
    last_at: str
    expires_at: str | None
    exchanges: list[ShownExchange]
    earlier: int
    summary: str


async def show(request: Request, parts: Parts) -> Response:
    conversation = parts.memory.get(request.path_params["id"], parts.clock())
    if conversation is None:
        raise _unknown()
    expires = parts.memory.expires_at(conversation)
    shown = list(conversation.exchanges)[-parts.settings.memory.max_turns :]
    return answer(
        ShownConversation(
            conversation_id=conversation.id,
            project=conversation.project,
            started_at=iso(conversation.started_at),
            last_at=iso(conversation.last_at),
            expires_at=iso(expires) if expires is not None else None,
            exchanges=[ShownExchange(e.user, e.reply, iso(e.at), e.partial) for e in shown],
            earlier=len(conversation.exchanges) - len(shown),
            summary=conversation.summary and f"[Context compacted]\n{conversation.summary}",
        )
    )


async def end(request: Request, parts: Parts) -> Response:
    if not await parts.housekeeping.end(request.path_params["id"]):
        raise _unknown()
    return Response(status_code=204)


def _unknown() -> NotFound:
    return NotFound("There is no such conversation", hint="It may have expired; POST /chat begins a new one.")


ENDPOINTS = [
    Endpoint("GET", "/conversations/{id}", show, "A conversation's window.", answer=ShownConversation),
    Endpoint("DELETE", "/conversations/{id}", end, "End a conversation.", status=204),
]
