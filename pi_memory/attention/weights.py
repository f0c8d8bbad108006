"""Weights of attention in [0.05, 1], one a topic. Pure.

`canonical` maps names such as `auth` and `authentication` to one; weights keep the name that was used first.
"""

from collections.abc import Callable, Iterable, Mapping

from pi_memory.topics.names import area_of
from pi_memory.types import SharedSessions

LEAST, MOST = 0.05, 1.0
FOCUS = 0.95
"""Weight of a new focus."""
STACK = 0.3
"""Weight of the topics of a project's stack when a session begins, and of what was worked on just before."""
SHIFT = 0.7
"""Factor on all other weights when the focus changes."""
WANE = 0.95
"""Factor on all weights but the focus after STEP seconds of active work."""
STEP = 600.0
MATCH = 0.5
"""Share of a topic's weight that boosts a memory of that topic."""
KEPT = 50
"""Most topics of a session; those with the least weight are evicted."""

Canonical = Callable[[str], str]


def begun(stack: Iterable[str]) -> dict[str, float]:
    """The weights of a new session."""
    return dict.fromkeys(stack, STACK)


def begun_recently(strengths: Mapping[str, float]) -> dict[str, float]:
    """The weights of the topics in the recent focus, while a session has no focus of its own: in proportion to their
    strengths.
    """
    strongest = sorted(strengths, key=lambda name: -strengths[name])[:KEPT]
    return {name: STACK * strengths[name] for name in strongest}


def shifted(
    weights: Mapping[str, float], topic: str, related: Mapping[str, float], *, canonical: Canonical
) -> dict[str, float]:
    """The weights after `topic` became the focus; `related` has its related topics and their boosts."""
    changed = {name: max(LEAST, weight * SHIFT) for name, weight in weights.items()}
    changed.pop(_called(topic, changed, canonical), None)
    changed[topic] = FOCUS
    for other, boost in related.items():
        name = _called(other, changed, canonical)
        changed[name] = within(changed.get(name, 0.0) + boost)
    strongest = sorted(changed, key=lambda name: (name != topic, -changed[name]))[:KEPT]
    return {name: changed[name] for name in strongest}


def waned(weights: Mapping[str, float], focus: str | None, steps: int) -> dict[str, float]:
    """The weights after so many steps of active work."""
    left = WANE**steps
    return {name: weight if name == focus else max(LEAST, weight * left) for name, weight in weights.items()}


def glimpsed(weights: Mapping[str, float], topics: Iterable[str]) -> dict[str, float]:
    """The weights for one question that names `topics`: mostly about those, a little less about the rest."""
    named = dict.fromkeys(topics, FOCUS)
    left = SHIFT if named else 1.0
    return {name: max(LEAST, weight * left) for name, weight in weights.items()} | named


def within(weight: float) -> float:
    return min(MOST, max(LEAST, weight))


def clamped(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: within(weight) for name, weight in weights.items()}


def _called(topic: str, weights: Mapping[str, float], canonical: Canonical) -> str:
    """The name of a topic among the weights, else its own."""
    return next((name for name in weights if canonical(name) == canonical(topic)), topic)


class Boost:
    """The boost of memories: min(1, sum of 0.5 x weight over their topics).

    A topic counts with the highest weight among its own, its parent's and its children's.
    """

    def __init__(self, weights: Mapping[str, float], *, canonical: Canonical) -> None:
        self._canonical = canonical
        self._weights: dict[str, float] = {}
        self._of_children: dict[str, float] = {}
        for name, weight in weights.items():
            self._raise(self._weights, canonical(name), weight)
            self._raise(self._of_children, area_of(canonical(name)), weight)

    def __call__(self, topics: Iterable[str]) -> float:
        """The boost in [0, 1]; 0 for topics without attention."""
        return min(1.0, sum(MATCH * self.weight(name) for name in {self._canonical(topic) for topic in topics}))

    def weight(self, topic: str) -> float:
        """The weight of a topic under its canonical name."""
        own, parents = self._weights.get(topic, 0.0), self._weights.get(area_of(topic), 0.0)
        return max(own, parents, self._of_children.get(topic, 0.0))

    def _raise(self, weights: dict[str, float], name: str, weight: float) -> None:
        weights[name] = max(weight, weights.get(name, 0.0))


LEAST_BOOST, MOST_BOOST = 0.15, 0.3
TOGETHER = 3
"""Least sessions with both topics before they count as related, as many as make a topic well known."""
LEAST_JACCARD = 0.2
LEAST_LIFT = 1.2
PRIOR = 10
MOST_RELATED = 4
"""Most related topics that are learned for one topic."""


def learned(shared: SharedSessions) -> dict[str, float]:
    """Related topics with their boosts, the closest first."""
    close = {name: _jaccard(shared.own, *counts) for name, counts in shared.others.items() if _belong(shared, *counts)}
    closest = sorted(close, key=lambda name: (-close[name], name))[:MOST_RELATED]
    return {name: LEAST_BOOST + (MOST_BOOST - LEAST_BOOST) * close[name] for name in closest}


def joined(given: Mapping[str, float], found: Mapping[str, float]) -> dict[str, float]:
    """Both, with the greater boost of each topic."""
    return {name: max(given.get(name, 0.0), found.get(name, 0.0)) for name in (*given, *found)}


def _belong(shared: SharedSessions, together: int, other: int) -> bool:
    lift = together * (shared.sessions + PRIOR) / max(1, shared.own * other)
    return together >= TOGETHER and lift >= LEAST_LIFT and _jaccard(shared.own, together, other) >= LEAST_JACCARD


def _jaccard(own: int, together: int, other: int) -> float:
    return together / max(1, own + other - together)
