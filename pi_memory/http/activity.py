"""`POST /activity`: records what an agent elsewhere has just done."""

import asyncio
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import RequestError, Unavailable
from pi_memory.focus.recorder import Tagged
from pi_memory.http.endpoint import Endpoint, answer, body, client_id, flag
from pi_memory.http.times import unix
from pi_memory.parts import Parts
from pi_memory.types import Exchange, ToolCall


class Activity(msgspec.Struct, forbid_unknown_fields=True):
    session_id: str
    user_message: str = ""
    tool_calls: list[ToolCall] = []
    assistant_response: str = ""
    file_paths: list[str] | None = None
    project: str | None = None
    at: str | float | None = None


class Accepted(msgspec.Struct):
    accepted: bool = True


async def activity(request: Request, parts: Parts) -> Response:
    done = await body(request, Activity)
    parts.db.check_writable()
    parts.inbox.admit()
    tagged = parts.inbox.put(_exchange(done, parts.clock()))
    if not flag(request, "wait"):
        return answer(Accepted(), status=202)
    refused = asyncio.create_task(parts.db.refused())
    # Shielded, as the work goes on when the client leaves.
    either: set[asyncio.Future[Any]] = {asyncio.shield(tagged), refused}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    refused.cancel()
    if not tagged.done() or tagged.cancelled():
        raise Unavailable("Not saved yet: the activity is kept", hint="GET /healthz says what is wrong.")
    return answer(tagged.result())


def _exchange(done: Activity, now: float) -> Exchange:
    if not (done.user_message.strip() or done.assistant_response.strip() or done.tool_calls or done.file_paths):
        raise RequestError("user_message: nothing was done", hint="Send a message, a reply, tool calls or file paths.")
    return Exchange(
        conversation_id=client_id(done.session_id, "session_id"),
        user=done.user_message,
        reply=done.assistant_response,
        at=now if done.at is None else min(now, unix(done.at, "at")),
        project=done.project,
        tool_calls=tuple(done.tool_calls),
        file_paths=tuple(done.file_paths or ()),
        source="activity",
    )


ENDPOINTS = [
    Endpoint(
        "POST",
        "/activity",
        activity,
        "Record what an agent has done; with `wait` the answer names the topic.",
        body=Activity,
        answer=Tagged,
        also=((202, "application/json", Accepted),),
        query={"wait": "1: answer 200 with what was tagged, instead of 202 at once"},
    )
]
