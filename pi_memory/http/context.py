"""`POST /context`: what an agent elsewhere should know, when its session begins and when its user says something."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.http.endpoint import Endpoint, answer, body, client_id
from pi_memory.http.parts import Parts
from pi_memory.prompt import Budget


class ContextRequest(msgspec.Struct, forbid_unknown_fields=True):
    """`begins`: the agent knows nothing yet, or nothing any more."""

    session_id: str
    message: str = ""
    project: str | None = None
    begins: bool = False


class Context(msgspec.Struct):
    text: str
    focus: list[str]


async def context(request: Request, parts: Parts) -> Response:
    asked = await body(request, ContextRequest)
    client_id(asked.session_id, "session_id")
    model = parts.model.now
    budget = Budget.of(model.context_tokens, parts.settings.chat.max_tokens)
    if not asked.begins:
        return answer(Context("", []))
    block, topics = await parts.focus.block(count=model.count, tokens=budget.focus)
    return answer(Context(block, list(topics)))


ENDPOINTS = [
    Endpoint(
        "POST",
        "/context",
        context,
        "What an agent should know: the focus when its session begins.",
        body=ContextRequest,
        answer=Context,
    )
]
