"""Topics that come to mind with another, learned from sessions that worked on both. Pure.

How much two topics belong together is the Jaccard index of their sessions. It is not enough that both are common: they
must meet more often than chance would have it (the lift), where PRIOR sessions of neither keep few sessions from saying
much. The boost lies in the range of seed 002's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

LEAST_BOOST, MOST_BOOST = 0.15, 0.3
TOGETHER = 3
"""Sessions that must have worked on both, as many as make a topic well known."""
LEAST_JACCARD = 0.2
LEAST_LIFT = 1.2
PRIOR = 10
MOST_RELATED = 4
"""Related topics that are learned for one topic, as many as seed 002 has at most."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Sessions in all, those that worked on a topic, and by other topic: those with both, those with the other."""

    sessions: int
    own: int
    others: Mapping[str, tuple[int, int]]


def learned(shared: Shared) -> dict[str, float]:
    """Related topics and their boosts, the closest first."""
    close = {name: _jaccard(shared.own, *counts) for name, counts in shared.others.items() if _belong(shared, *counts)}
    closest = sorted(close, key=lambda name: (-close[name], name))[:MOST_RELATED]
    return {name: LEAST_BOOST + (MOST_BOOST - LEAST_BOOST) * close[name] for name in closest}


def joined(given: Mapping[str, float], found: Mapping[str, float]) -> dict[str, float]:
    """Both, each topic with the greater boost."""
    return {name: max(given.get(name, 0.0), found.get(name, 0.0)) for name in (*given, *found)}


def _belong(shared: Shared, together: int, other: int) -> bool:
    lift = together * (shared.sessions + PRIOR) / max(1, shared.own * other)
    return together >= TOGETHER and lift >= LEAST_LIFT and _jaccard(shared.own, together, other) >= LEAST_JACCARD


def _jaccard(own: int, together: int, other: int) -> float:
    return together / max(1, own + other - together)
