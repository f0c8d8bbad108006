"""`POST /context`: context for an agent elsewhere, at the beginning of its session and with each message of its
user.
"""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.http.endpoint import Endpoint, answer, body, client_id
from pi_memory.parts import Parts


class ContextRequest(msgspec.Struct, forbid_unknown_fields=True):
    """`begins`: the agent has no context of ours, or no longer; else `message` is what its user says."""

    session_id: str
    message: str = ""
    project: str | None = None
    begins: bool = False


class ShownContext(msgspec.Struct):
    text: str
    focus: tuple[str, ...]
    memories: tuple[int, ...]


async def context(request: Request, parts: Parts) -> Response:
    asked = await body(request, ContextRequest)
    session, model = client_id(asked.session_id, "session_id"), parts.model.now
    if asked.begins:
        context = await parts.agent_contexts.begin(session, asked.project, model)
    else:
        context = await parts.agent_contexts.message(session, asked.message, asked.project, model)
    return answer(ShownContext(context.text, context.topics, context.memories))


ENDPOINTS = [
    Endpoint(
        "POST",
        "/context",
        context,
        "Context for an agent: the focus when its session begins, and what memory has about what its user says.",
        needs="read",
        body=ContextRequest,
        answer=ShownContext,
    )
]
