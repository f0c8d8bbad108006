"""`/memories/search`: what is known that answers a query, memories and verbatim messages, and why."""

from typing import get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import RequestError, TooLarge
from pi_memory.http.endpoint import Endpoint, answer, flag, number
from pi_memory.http.parts import Parts
from pi_memory.http.times import iso
from pi_memory.knowledge import namespaces
from pi_memory.knowledge.candidates import Kind
from pi_memory.knowledge.namespaces import Scope
from pi_memory.knowledge.recall import KINDS
from pi_memory.turn import MemoryType, Recalled, Role

MOST = 200
LONGEST_QUERY = 20_000
"""Characters; a query is a question, not a document."""


class ShownResult(msgspec.Struct, omit_defaults=True):
    """`similarity`, `strength`, `boost`, `cosine` and `words` tell why, with `explain=1`."""

    id: int
    kind: Kind
    content: str
    score: float
    at: str
    type: MemoryType | None = None
    namespace: str | None = None
    role: Role | None = None
    conversation_id: str | None = None
    ref: str | None = None
    similarity: float | None = None
    strength: float | None = None
    boost: float | None = None
    cosine: float | None = None
    words: float | None = None


class ShownResults(msgspec.Struct):
    results: list[ShownResult]


async def search(request: Request, parts: Parts) -> Response:
    found = await parts.recall.search(
        _query(request),
        k=_count(request),
        scope=_scope(request),
        now=parts.clock(),
        kinds=_kinds(request),
        session=_session(request, parts),
    )
    explain = flag(request, "explain")
    return answer(ShownResults([_shown(result, explain=explain) for result in found]))


def _query(request: Request) -> str:
    query = request.query_params.get("q", "").strip()
    if not query:
        raise RequestError("q: empty", hint="For example /memories/search?q=irrigation.")
    if len(query) > LONGEST_QUERY:
        raise TooLarge(f"q: longer than {LONGEST_QUERY} characters", hint="Ask in fewer words.")
    return query


def _count(request: Request) -> int:
    count = number(request, "k", 10, most=MOST)
    if not count:
        raise RequestError(f"k: expected a number from 1 to {MOST}", hint="For example ?k=10.")
    return count


def _scope(request: Request) -> Scope:
    namespace, project = request.query_params.get("namespace"), request.query_params.get("project")
    if namespace is None:
        return namespaces.scope(project)
    seen = namespaces.parse(namespace)
    if project is not None and not namespaces.covers(seen, namespaces.scope(project)):
        raise RequestError(f"namespace: {seen} is not seen from project {project}", hint="Leave one of them out.")
    return (seen,)


def _session(request: Request, parts: Parts) -> str | None:
    """Whose attention counts: that of the session that is named, else of the one that is at work, on this project."""
    if (name := request.query_params.get("session_id")) is not None:
        return parts.attention.session(name).session
    at_work, project = parts.attention.at_work(), request.query_params.get("project")
    if at_work is None or (project and at_work.project and not namespaces.same_project(project, at_work.project)):
        return None
    return at_work.session


def _kinds(request: Request) -> tuple[Kind, ...]:
    kind = request.query_params.get("kind")
    if kind is None:
        return KINDS
    chosen = tuple(known for known in KINDS if known == kind)
    if not chosen:
        raise RequestError(f"kind: expected one of {', '.join(get_args(Kind))}", hint="Leave it out for both.")
    return chosen


def _shown(result: Recalled, *, explain: bool) -> ShownResult:
    shown = ShownResult(
        id=result.id,
        kind=result.kind,
        content=result.content,
        score=round(result.score, 4),
        at=iso(result.at),
        type=result.type if result.kind == "memory" else None,
        namespace=result.namespace,
        role=result.role,
        conversation_id=result.conversation_id,
        ref=result.ref,
    )
    if explain:
        for name in ("similarity", "strength", "boost", "cosine", "words"):
            setattr(shown, name, round(getattr(result, name), 4))
    return shown


ENDPOINTS = [
    Endpoint(
        "GET",
        "/memories/search",
        search,
        "Memories and verbatim messages that answer a query, best first.",
        answer=ShownResults,
        query={
            "q": "the query, in plain words",
            "k": f"most results, 1 to {MOST}; 10 unless given",
            "namespace": "only what is in it or below it",
            "project": "see what belongs to this project too",
            "kind": "memory or exchange; both unless given",
            "session_id": "the session whose attention counts; the one that is at work unless given",
            "explain": "1: also similarity, strength, boost, cosine and words",
        },
    )
]
