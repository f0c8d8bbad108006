"""`POST /history`: records past exchanges line by line; known lines are not added again."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.http.endpoint import Endpoint, answer, body, client_id, flag
from pi_memory.http.times import unix
from pi_memory.parts import Parts
from pi_memory.store import imports
from pi_memory.types import Exchange, ToolCall


class PastLine(msgspec.Struct, forbid_unknown_fields=True):
    """`ref` identifies the line; without it, its session, time and words do."""

    role: Literal["user", "assistant"]
    text: str = ""
    tool_calls: list[ToolCall] = []
    at: str | float | None = None
    ref: str = ""


class PastExchange(msgspec.Struct, forbid_unknown_fields=True):
    session_id: str
    lines: list[PastLine]
    project: str | None = None


class PastSession(msgspec.Struct, forbid_unknown_fields=True):
    exchanges: list[PastExchange]


class Recorded(msgspec.Struct):
    """Counts of exchanges: added, wholly or in part, and known."""

    added: int
    known: int


async def record(request: Request, parts: Parts) -> Response:
    past = await body(request, PastSession)
    waits = flag(request, "wait")
    read = [(exchange, _refs(exchange)) for exchange in past.exchanges]
    # Before anything is added: all of them are right, or none counts.
    wholes = [_exchange(exchange, exchange.lines, parts.clock()) for exchange, _ in read]
    seen = await parts.db.read(lambda db: imports.recorded(db, [ref for _, refs in read for ref in refs]))
    parts.db.check_writable()
    parts.inbox.admit()
    added = []
    for (exchange, refs), whole in zip(read, wholes, strict=True):
        new = {ref: line for ref, line in zip(refs, exchange.lines, strict=True) if ref not in seen}
        seen.update(new)
        if new:
            recorded = _exchange(exchange, [*new.values()], whole.at)
            added.append(parts.inbox.put(recorded, refs=[*new]))
    if added and waits:
        # Shielded, as the work goes on when the client leaves.
        await asyncio.wait({asyncio.shield(tagged) for tagged in added})
    return answer(Recorded(len(added), len(read) - len(added)), status=200 if waits else 202)


def _refs(exchange: PastExchange) -> list[int]:
    said = exchange.session_id
    return [imports.ref(line.ref or f"{said} {line.at} {line.role} {line.text}") for line in exchange.lines]


def _exchange(past: PastExchange, lines: Sequence[PastLine], now: float) -> Exchange:
    """One exchange of these lines, at the time of the first that has one."""
    at = next((min(now, unix(line.at, "at")) for line in lines if line.at is not None), now)
    return Exchange(
        conversation_id=client_id(past.session_id, "session_id"),
        user="\n\n".join(line.text for line in lines if line.role == "user" and line.text),
        reply="\n\n".join(line.text for line in lines if line.role == "assistant" and line.text),
        at=at,
        project=past.project,
        tool_calls=tuple(call for line in lines for call in line.tool_calls),
        source="activity",
    )


ENDPOINTS = [
    Endpoint(
        "POST",
        "/history",
        record,
        "Record exchanges of the past by their lines; lines that are known are left out.",
        body=PastSession,
        answer=Recorded,
        also=((202, "application/json", Recorded),),
        query={"wait": "1: answer 200 when the topics have been found, instead of 202 at once"},
    )
]
