"""`GET /usage`: what the daemon has used since it started."""

import re
from datetime import date
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.http.endpoint import Endpoint, answer
from pi_memory.parts import Parts
from pi_memory.types import Count, Purpose

MEGABYTE = 2**20
PROCESS = Path("/proc/self")


class ShownUsage(msgspec.Struct):
    """`first_token_seconds` is the median of the last turns. `written_mb` counts what the daemon has had written to
    the card. `waiting` are exchanges in the inbox, `turns_under_way` chats. What the system does not report is None.
    """

    started_at: str
    uptime_seconds: float
    turns: int
    turns_under_way: int
    waiting: int
    first_token_seconds: float | None
    tokens: dict[Purpose, Count]
    memory_mb: float | None
    written_mb: float | None
    last_backup: date | None


async def usage(request: Request, parts: Parts) -> Response:
    started = parts.clock.started_at
    first = parts.streams.first_after
    return answer(
        ShownUsage(
            started_at=iso(started),
            uptime_seconds=round(parts.clock() - started, 1),
            turns=parts.streams.begun,
            turns_under_way=parts.streams.under_way,
            waiting=parts.inbox.waiting,
            first_token_seconds=None if first is None else round(first, 3),
            tokens=dict(parts.model.now.counts),
            memory_mb=_counted("status", r"VmRSS:\s+(\d+) kB", 1024),
            written_mb=_since(parts.written_mb),
            last_backup=parts.backups.newest,
        )
    )


def written_mb() -> float | None:
    """What this process has had written to the card, also as the program that it was before it became the daemon."""
    return _counted("io", r"^write_bytes: (\d+)", 1)


def _since(before: float | None) -> float | None:
    now = written_mb()
    return None if now is None or before is None else round(now - before, 1)


def _counted(name: str, pattern: str, unit: int) -> float | None:
    """A figure of this process, in megabytes."""
    try:
        found = re.search(pattern, (PROCESS / name).read_text(), re.MULTILINE)
    except OSError:
        return None
    return round(int(found[1]) * unit / MEGABYTE, 1) if found else None


ENDPOINTS = [
    Endpoint(
        "GET",
        "/usage",
        usage,
        "What the daemon has used since it started: turns, tokens, memory, bytes written.",
        needs_memory=False,
        answer=ShownUsage,
    )
]
