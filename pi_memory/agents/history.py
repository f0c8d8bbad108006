"""Sources of history: a session or conversation each, opened when its time comes. Pure."""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from pi_memory import clock

Exchange = dict[str, Any]
"""As `POST /history` takes it: `{session_id, project, lines: [{ref, role, at, text, tool_calls}]}`."""

Advance = Callable[[int], None]
"""A callback with the number of bytes read since the last call."""
Read = Callable[[Advance], Iterator[Exchange]]

SHOWN = 10
"""Most places that are named of what could not be read."""


class Skipped(Struct):
    """How many lines could not be read, and where the first of them are."""

    count: int = 0
    places: list[str] = field(default_factory=list)

    def add(self, where: str, why: str) -> None:
        self.count += 1
        if len(self.places) < SHOWN:
            self.places.append(f"{where}: {why}")


class Source(Struct, frozen=True):
    """One session: the Unix time of its first exchange, its size in bytes, and its reader."""

    path: Path
    begins: float
    size: int
    read: Read


class Past(Struct, frozen=True):
    """An exchange, its time, and whether it is the last of its source."""

    at: float
    exchange: Exchange
    source: Source
    is_last: bool


def in_time_order(sources: Iterable[Source], *, advance: Advance) -> Iterator[Past]:
    """The exchanges of all sources, oldest first. A source is open only during its turn.

    Within a source its own order is kept, also where its clock went back.
    """
    waiting = sorted(sources, key=lambda source: source.begins, reverse=True)
    ticket = itertools.count()
    heap: list[tuple[float, int, Past, Iterator[Past]]] = []
    while waiting or heap:
        while waiting and (not heap or waiting[-1].begins <= heap[0][0]):
            _push(heap, _dated(waiting.pop(), advance), ticket)
        if heap:
            _, _, past, rest = heapq.heappop(heap)
            yield past
            _push(heap, rest, ticket)


def _push(heap: list[tuple[float, int, Past, Iterator[Past]]], rest: Iterator[Past], ticket: Iterator[int]) -> None:
    past = next(rest, None)
    if past is not None:
        heapq.heappush(heap, (past.at, next(ticket), past, rest))


def _dated(source: Source, advance: Advance) -> Iterator[Past]:
    """The exchanges of a source; one without a time has that of the one before."""
    at = source.begins
    before: Past | None = None
    for exchange in source.read(advance):
        if before is not None:
            yield before
        at = time_of(exchange) or at
        exchange["lines"][0]["at"] = at
        before = Past(at, exchange, source, is_last=False)
    if before is not None:
        yield Past(before.at, before.exchange, source, is_last=True)


def time_of(exchange: Exchange) -> float | None:
    """Time of an exchange: the first that a line has, None without any."""
    return next((at for line in exchange["lines"] if (at := unix(line["at"])) is not None), None)


def unix(value: object) -> float | None:
    """Unix seconds; None for what is no time, and for the 0 of programs that know none."""
    return clock.unix(value) or None
