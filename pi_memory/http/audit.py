"""`GET /audit`: what clients with a named token have changed, and what was refused; who, what and when, no content.

Entries are events (`access.changed`, `access.refused`). What repeats within an hour is counted in RAM and stored once,
and of the refusals only some: nobody fills the card by being refused.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.errors import StoreError
from pi_memory.http.endpoint import LARGEST, Endpoint, answer, number
from pi_memory.parts import Parts
from pi_memory.store import events
from pi_memory.store.erasure import KEPT_AUDIT
from pi_memory.store.events import AUDIT, Event

HOUR = 3600.0
MOST_REFUSALS = 20
"""Refusals that are told apart in an hour; the others are counted together."""
MOST = 500

Outcome = Literal["changed", "refused"]


class AuditEntry(NamedTuple):
    outcome: Outcome
    who: str
    what: str


class Audit:
    def __init__(self) -> None:
        self._began = float("-inf")
        self._again: Counter[AuditEntry] = Counter()
        self._last: dict[AuditEntry, float] = {}
        """When each of them was last."""

    def note(self, parts: Parts, entry: AuditEntry) -> None:
        """Store an entry, or count it with those of this hour."""
        now = parts.clock()
        if not 0 <= now - self._began < HOUR:
            self.flush(parts)
            self._began = now
            self._again.clear()
            self._last.clear()
        refusals = sum(known.outcome == "refused" for known in self._again)
        if entry.outcome == "refused" and entry not in self._again and refusals >= MOST_REFUSALS:
            entry = AuditEntry("refused", "others", "others")
        self._last[entry] = now
        if entry in self._again:
            self._again[entry] += 1
            return
        self._again[entry] = 0
        _add(parts, entry, 1, now)

    def flush(self, parts: Parts) -> None:
        """Store what was counted."""
        for entry, times in self._again.items():
            if times:
                _add(parts, entry, times, self._last[entry])
                self._again[entry] = 0


def _add(parts: Parts, entry: AuditEntry, times: int, at: float) -> None:
    event = Event(at, f"{AUDIT}{entry.outcome}", entry.what, entry.who, after=times)
    with contextlib.suppress(StoreError):  # it is stopping
        parts.db.write(partial(events.add, event=event))


class ShownEntry(msgspec.Struct):
    """`who` is `token NAME`, the address of a client, or the `uid` of one on this machine. `times`: within an hour."""

    id: int
    at: str
    outcome: Outcome
    who: str
    what: str
    times: int


class ShownAudit(msgspec.Struct):
    entries: list[ShownEntry]


async def show(request: Request, parts: Parts) -> Response:
    limit, before = number(request, "limit", 50, most=MOST), number(request, "before", LARGEST)
    request.scope["state"]["access"].audit.flush(parts)
    # All of them: what repeats is counted beyond the end of a page.
    found = await parts.db.read(partial(events.listed, kind=AUDIT, before=LARGEST, limit=KEPT_AUDIT))
    shown = [_shown(event, times) for event, times in _each_once(found) if event.id < before]
    return answer(ShownAudit(shown[:limit]))


def _each_once(found: Sequence[Event]) -> Iterator[tuple[Event, int]]:
    """The newest of the entries that say the same within an hour, and how often that was."""
    times: dict[int, int] = {}
    newest: dict[tuple[str, str, str], Event] = {}
    for event in found:
        key = (event.kind, event.origin, event.subject)
        if key not in newest or newest[key].at - event.at >= HOUR:
            newest[key] = event
        times[newest[key].id] = times.get(newest[key].id, 0) + int(event.after or 1)
    return ((event, times[event.id]) for event in found if event.id in times)


def _shown(event: Event, times: int) -> ShownEntry:
    outcome: Outcome = "changed" if event.kind == f"{AUDIT}changed" else "refused"
    return ShownEntry(event.id, iso(event.at), outcome, event.origin, event.subject, times)


ENDPOINTS = [
    Endpoint(
        "GET",
        "/audit",
        show,
        "What clients with a named token have changed, and what was refused, the newest first.",
        needs_memory=False,
        needs="all",
        answer=ShownAudit,
        query={"before": "only entries with a smaller id", "limit": f"most entries, up to {MOST} (50)"},
    )
]
