"""`/conversations/{id}`: shows a conversation's window, and ends the conversation."""

from functools import partial
from typing import get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.errors import NotFound
from pi_memory.http import gone
from pi_memory.http.endpoint import Endpoint, answer, choice, flag, number, of_project
from pi_memory.http.times import shown
from pi_memory.memories.redaction import Forgetting
from pi_memory.parts import Parts
from pi_memory.store import exchanges, sessions
from pi_memory.types import Source

MOST = 200


class ShownWindowExchange(msgspec.Struct):
    user: str
    reply: str
    at: str
    partial: bool


class ShownConversation(msgspec.Struct):
    """`earlier` counts the exchanges that stand in the prompt word for word besides the last `MEMORY_MAX_TURNS`;
    `summary` stands for those before them.
    """

    conversation_id: str
    project: str | None
    started_at: str
    last_at: str
    expires_at: str | None
    exchanges: list[ShownWindowExchange]
    earlier: int
    summary: str


class ListedConversation(msgspec.Struct):
    """`exchanges` counts the stored ones; `ended_at` is None while the conversation is alive; `title` are its first
    words.
    """

    conversation_id: str
    source: Source
    project: str | None
    started_at: str
    last_at: str
    ended_at: str | None
    exchanges: int
    title: str
    topics: tuple[str, ...]


class ShownConversations(msgspec.Struct):
    conversations: list[ListedConversation]


async def listed(request: Request, parts: Parts) -> Response:
    limit, offset = number(request, "limit", 50, least=1, most=MOST), number(request, "offset", 0)
    asked = request.query_params
    source = choice(request, "source", get_args(Source))
    which = sessions.SessionFilter(source, of_project(request), asked.get("topic"))
    found = await parts.db.read(partial(sessions.listed, which=which, limit=limit, offset=offset))
    return answer(ShownConversations([shown(ListedConversation, one, conversation_id=one.name) for one in found]))


async def show(request: Request, parts: Parts) -> Response:
    conversation = parts.windows.get(request.path_params["id"], parts.clock())
    if conversation is None:
        raise _unknown()
    expires = parts.windows.expires_at(conversation)
    last = list(conversation.exchanges)[-parts.settings.memory.max_turns :]
    return answer(
        shown(
            ShownConversation,
            conversation,
            conversation_id=conversation.id,
            expires_at=iso(expires) if expires is not None else None,
            exchanges=[shown(ShownWindowExchange, exchange) for exchange in last],
            earlier=len(conversation.exchanges) - len(last),
            summary=conversation.summary and f"[Context compacted]\n{conversation.summary}",
        )
    )


async def end(request: Request, parts: Parts) -> Response:
    name, dry_run = request.path_params["id"], flag(request, "dry_run")
    ids = await parts.db.read(partial(exchanges.of_session, name=name)) if flag(request, "forget") else []
    done = await parts.memories.erase(ids, dry_run=dry_run) if ids else Forgetting()
    if not dry_run and not await parts.housekeeping.end(name) and not ids:
        raise _unknown()
    return gone.gone(done, dry_run=dry_run)


def _unknown() -> NotFound:
    return NotFound(
        "There is no such conversation", hint="It may have expired; GET /conversations lists those that there are."
    )


ENDPOINTS = [
    Endpoint(
        "GET",
        "/conversations",
        listed,
        "Conversations and sessions of which something is kept, the last one first.",
        answer=ShownConversations,
        query={
            "source": "chat, activity or import",
            "project": "only those in this project",
            "topic": "only those that worked on this topic",
            "limit": f"most conversations, 1 to {MOST} (50)",
            "offset": "conversations to skip",
        },
    ),
    Endpoint("GET", "/conversations/{id}", show, "A conversation's window.", answer=ShownConversation),
    Endpoint(
        "DELETE",
        "/conversations/{id}",
        end,
        "End a conversation; or erase what was said in it.",
        status=204,
        also=gone.ALSO,
        query={"forget": "1: erase its exchanges for good, and forget the memories that rest on them"} | gone.DRY_RUN,
    ),
]
