"""`/memories/search`: memories and verbatim messages that match a query, with their scores."""

import re
from collections.abc import Iterable, Sequence
from typing import get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.errors import RequestError, TooLarge
from pi_memory.http.clients import seen
from pi_memory.http.endpoint import Endpoint, answer, choice, flag, number
from pi_memory.http.times import unix
from pi_memory.memories import namespaces
from pi_memory.parts import Parts
from pi_memory.retrieval.candidates import Kind
from pi_memory.retrieval.search import KINDS, SearchRequest
from pi_memory.types import MemoryType, Priority, Recalled, Role

MOST = 200
LONGEST_QUERY = 20_000
"""Most characters of a query: it is a question, not a document."""
PASSAGES = 3
"""Results that represent a conversation."""
LOOKED_THROUGH = 12
"""Results that are searched for each conversation wanted: one may have many."""
SHARED, NEAR = 0.15, 0.3
"""The share of the query's words, and the calibrated cosine, from which on a text bears on the query."""
NEAR_BEST = 0.5
"""Share of the best score that every other result needs, to bear on the query."""


class FoundConversation(msgspec.Struct, frozen=True):
    """A conversation that answers a query, with its best passages, best first."""

    conversation_id: str
    passages: tuple[Recalled, ...]

    @property
    def score(self) -> float:
        return self.passages[0].score


class ShownResult(msgspec.Struct, omit_defaults=True):
    """`similarity`, `strength`, `boost`, `cosine` and `words` are present with `explain=1`; `instead_of` then too, if a
    superseded memory led to this one.
    """

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
    instead_of: int | None = None


class ShownResults(msgspec.Struct, omit_defaults=True):
    """`elsewhere` counts, by project, memories that bear on the query and that the search does not see."""

    results: list[ShownResult]
    elsewhere: dict[str, int] = {}


class ShownGroup(msgspec.Struct):
    """A conversation, as good as its best message; `results` are its best ones, at most three."""

    conversation_id: str
    score: float
    results: list[ShownResult]


class ShownGroups(msgspec.Struct):
    conversations: list[ShownGroup]


async def search(request: Request, parts: Parts) -> Response:
    explain, k = flag(request, "explain"), number(request, "k", 10, least=1, most=MOST)
    if choice(request, "group", ("conversation",)) is None:
        wanted = _wanted(request, parts, k)
        shown = [_shown(result, explain=explain) for result in await _found(request, wanted, parts)]
        return answer(ShownResults(shown, await _elsewhere(request, parts, wanted)))
    talks = by_conversation(await _found(request, _wanted(request, parts, LOOKED_THROUGH * k), parts), k)
    return answer(ShownGroups([_shown_conversation(talk, explain=explain) for talk in talks]))


def by_conversation(results: Iterable[Recalled], k: int) -> list[FoundConversation]:
    """The `k` conversations of the best of `results`, which come best first; memories belong to none."""
    passages: dict[str, list[Recalled]] = {}
    for result in results:
        if result.conversation_id is not None:
            passages.setdefault(result.conversation_id, []).append(result)
    found = [FoundConversation(name, tuple(of_it[:PASSAGES])) for name, of_it in passages.items()]
    return found[:k]


async def _found(request: Request, wanted: SearchRequest, parts: Parts) -> list[Recalled]:
    await parts.inbox.caught_up()
    found = await parts.recall.mask_secrets(await parts.search.search(wanted))
    return bearing(found) if flag(request, "bearing") else found


def bearing(results: Sequence[Recalled]) -> list[Recalled]:
    """The results that bear on the query; none of what is merely the nearest there is."""
    least = NEAR_BEST * max((result.score for result in results), default=0.0)
    near = [result for result in results if result.words >= SHARED or result.cosine >= NEAR]
    return [result for result in near if result.score >= least]


def _wanted(request: Request, parts: Parts, k: int) -> SearchRequest:
    asked = request.query_params
    kind = choice(request, "kind", KINDS)
    kinds: tuple[Kind, ...] = (kind,) if kind else KINDS
    return SearchRequest(
        _query(request),
        k=k,
        scope=_scope(request),
        now=parts.clock(),
        kinds=("exchange",) if "group" in asked else kinds,
        session=_session(request, parts),
        at=unix(_number(asked["at"]), "at") if "at" in asked else None,
        having=_labels(request),
        only="answers" if flag(request, "bearing") else None,
    )


async def _elsewhere(request: Request, parts: Parts, wanted: SearchRequest) -> dict[str, int]:
    """Of projects that the client may ask for; none where it asked for one namespace, or for messages."""
    if "namespace" in request.query_params or "memory" not in wanted.kinds or seen(request, None) is not None:
        return {}
    return await parts.recall.elsewhere(wanted)


def _labels(request: Request) -> list[str]:
    labels = choice(request, "type", get_args(MemoryType)), choice(request, "priority", get_args(Priority))
    return [label for label in labels if label is not None]


def _scope(request: Request) -> namespaces.Scope:
    asked = request.query_params
    chosen = namespaces.chosen(asked.get("namespace"), asked.get("project"))
    return seen(request, chosen) or (namespaces.ROOTS if flag(request, "everywhere") else namespaces.scope(None))


def _query(request: Request) -> str:
    query = request.query_params.get("q", "").strip()
    if not query:
        raise RequestError("q: empty", hint="For example /memories/search?q=irrigation.")
    if len(query) > LONGEST_QUERY:
        raise TooLarge(f"q: longer than {LONGEST_QUERY} characters", hint="Ask in fewer words.")
    return query


def _number(value: str) -> str | float:
    """A time as it is written in a URL: Unix seconds are a number there too."""
    return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else value


def _session(request: Request, parts: Parts) -> str | None:
    """The session whose attention counts: the named one, else the active one, on this project."""
    if (name := request.query_params.get("session_id")) is not None:
        return parts.attention.session(name).session
    at_work, project = parts.attention.at_work(), request.query_params.get("project")
    if at_work is None or (project and at_work.project and not namespaces.same_project(project, at_work.project)):
        return None
    return at_work.session


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
        shown.instead_of = result.instead_of
        for name in ("similarity", "strength", "boost", "cosine", "words"):
            setattr(shown, name, round(getattr(result, name), 4))
    return shown


def _shown_conversation(talk: FoundConversation, *, explain: bool) -> ShownGroup:
    results = [_shown(result, explain=explain) for result in talk.passages]
    return ShownGroup(talk.conversation_id, results[0].score, results)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/memories/search",
        search,
        "Memories and verbatim messages that answer a query, best first.",
        within_namespace=True,
        answer=ShownResults,
        also=((200, "application/json", ShownGroups),),
        query={
            "q": "the query, in plain words",
            "k": f"most results, 1 to {MOST}; 10 unless given",
            "namespace": "only what is in it or below it",
            "project": "see what belongs to this project too",
            "everywhere": "1: see what belongs to any project",
            "kind": "memory or exchange; both unless given",
            "type": "only memories of it: semantic, episodic or procedural",
            "priority": "only memories of it: highest, high, medium or low",
            "group": "conversation: the best conversations, at most k, each with its best messages",
            "at": "when it is asked, by which `last week` is meant; now unless given",
            "session_id": "the session whose attention counts; the one that is at work unless given",
            "bearing": "1: only what bears on the query, none when nothing is known; no questions or replies",
            "explain": "1: also similarity, strength, boost, cosine and words",
        },
    )
]
