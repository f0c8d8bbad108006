"""`/exchanges`: lists, searches and erases what was said, word for word."""

import re
from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import NotFound
from pi_memory.http import gone
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, flag, number, of_project
from pi_memory.http.times import shown, unix
from pi_memory.parts import Parts
from pi_memory.retrieval.candidates import Kind
from pi_memory.store import exchanges, memories
from pi_memory.store.exchanges import ExchangeQuery
from pi_memory.types import Exchange, Memory, Role, Source

MOST = 200


class ShownExchange(msgspec.Struct):
    id: int
    conversation_id: str
    source: Source
    project: str | None
    at: str
    user: str
    reply: str
    partial: bool


class ShownExchanges(msgspec.Struct):
    """`next` is the `before` of the next page, None on the last one."""

    exchanges: list[ShownExchange]
    next: int | None


class ShownHit(msgspec.Struct):
    """What was recalled, with the scores that it had, and whether it holds today."""

    kind: Kind
    id: int
    content: str
    role: Role | None
    is_valid: bool
    score: float
    similarity: float
    strength: float
    boost: float
    cosine: float
    words: float


class ShownFact(msgspec.Struct):
    """A memory in few words."""

    id: int
    content: str
    is_valid: bool


class LearnedFact(ShownFact):
    """A memory that was learned, and the ids of those in whose place it came."""

    instead_of: list[int]


class ShownExchangeAlone(ShownExchange):
    """`standing` are the memories that the prompt had since the conversation began, `recalled` those for this message,
    `learned` those that rest on this exchange. What was forgotten since is not among them.
    """

    standing: list[ShownFact]
    recalled: list[ShownHit]
    learned: list[LearnedFact]


async def show(request: Request, parts: Parts) -> Response:
    given, limit = request.query_params, number(request, "limit", 50, least=1, most=MOST)
    query = ExchangeQuery(
        words=tuple(given.get("q", "").split()),
        conversation=given.get("conversation_id"),
        is_project=of_project(request),
        since=_time(request, "from"),
        until=_time(request, "to"),
        before=number(request, "before", LARGEST),
    )
    if flag(request, "wait"):
        await parts.inbox.caught_up()
    found = await parts.db.read(partial(exchanges.listed, query=query, limit=limit + 1))
    page = found[:limit]
    listed = [shown(ShownExchange, exchange, id=id_) for id_, exchange in page]
    return answer(ShownExchanges(listed, page[-1][0] if len(found) > limit else None))


async def show_one(request: Request, parts: Parts) -> Response:
    number = min(request.path_params["id"], LARGEST)
    receipt = await parts.db.read(partial(exchanges.receipt, number=number))
    recalled = [hit.id for hit in receipt.recalled if hit.kind == "exchange"]
    found = await parts.db.read(partial(exchanges.several, ids=[number, *recalled]))
    if number not in found:
        raise NotFound(f"There is no exchange {number}", hint="GET /exchanges lists them.")
    hits = [hit.id for hit in receipt.recalled if hit.kind == "memory"]
    known = {memory.id: memory for memory in await parts.memories.several([*receipt.memories, *hits])}
    learned = await parts.db.read(partial(memories.of_exchange, exchange_id=number))
    replaced = await parts.db.read(partial(memories.replaced, ids=[memory.id for memory in learned]))
    kept = {n: memory for n, memory in known.items() if memory.forgotten_at is None}
    return answer(
        shown(
            ShownExchangeAlone,
            found[number],
            id=number,
            standing=[shown(ShownFact, kept[n]) for n in receipt.memories if n in kept],
            recalled=[one for hit in receipt.recalled if (one := _hit(hit, kept, found)) is not None],
            learned=[shown(LearnedFact, each, instead_of=replaced.get(each.id, [])) for each in learned],
        )
    )


def _hit(hit: exchanges.StoredHit, known: dict[int, Memory], said: dict[int, Exchange]) -> ShownHit | None:
    """A hit with its text; None when that is gone."""
    if hit.kind == "memory":
        memory = known.get(hit.id)
        return shown(ShownHit, hit, content=memory.content, is_valid=memory.is_valid) if memory else None
    exchange = said.get(hit.id)
    content = exchange and (exchange.reply if hit.role == "assistant" else exchange.user)
    return shown(ShownHit, hit, content=content, is_valid=True) if content else None


async def drop(request: Request, parts: Parts) -> Response:
    dry_run = flag(request, "dry_run")
    done = await parts.memories.erase([min(request.path_params["id"], LARGEST)], dry_run=dry_run)
    return gone.gone(done, dry_run=dry_run)


def _time(request: Request, name: str) -> float | None:
    value = request.query_params.get(name)
    if value is None:
        return None
    return unix(float(value) if re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", value) else value, name)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/exchanges",
        show,
        "What was said, the newest first.",
        answer=ShownExchanges,
        query={
            "q": "only exchanges that have all these words, or parts of words",
            "conversation_id": "only those of this conversation or session",
            "project": "only those said in this project",
            "from": "only those said at this time or later: ISO 8601, or Unix seconds",
            "to": "only those said before this time",
            "before": "only exchanges with a smaller id: the `next` of the page before",
            "limit": f"most exchanges, 1 to {MOST} (50)",
            "wait": "1: first wait until all that was said is learned from, five seconds at most",
        },
    ),
    Endpoint(
        "GET",
        "/exchanges/{id:int}",
        show_one,
        "What was said, what was recalled for it and why, and what was learned from it.",
        answer=ShownExchangeAlone,
    ),
    Endpoint(
        "DELETE",
        "/exchanges/{id:int}",
        drop,
        "Erase an exchange for good, and forget the memories that rest on it.",
        status=204,
        also=gone.ALSO,
        query=gone.DRY_RUN,
    ),
]
