"""Choose the topic of an exchange from what its files, its words and its meaning suggest.

Every piece of evidence adds to the score of an area: files that a known topic holds, names in the files' paths, words
of the user, nearness in meaning, what the session has been about. The best area becomes the topic, with a detail if the
files agree on one. Known topics are used again before a new one is named.
"""

import logging
import math
from collections.abc import Mapping, Sequence

from pi_memory.errors import EmbedderError
from pi_memory.focus.evidence import Scene, add, area_of, by_rules, shares_of, weights_of
from pi_memory.focus.limits import trimmed
from pi_memory.focus.naming import detail_of
from pi_memory.focus.nearest import Nearest
from pi_memory.focus.paths import directories
from pi_memory.focus.paths import working_directory as directory_of
from pi_memory.focus.patterns import Patterns
from pi_memory.focus.topics import match, place
from pi_memory.focus.wording import is_chatter
from pi_memory.turn import Embedder, Exchange, Tag, Topic

NEAR = 1.0
"""The exchange says the same as the topic's description, as the embedder sees it."""
ENOUGH = 0.45
"""Least score of a topic: one word of the user's that is a topic's, or half of the files."""

MOST_DESCRIBED = 200
"""Most known topics that are compared by meaning, the strongest first."""

logger = logging.getLogger(__name__)


class Tagger:
    """Rules; with an embedder and its calibrated thresholds (see `Nearest`) also by meaning."""

    def __init__(
        self, patterns: Patterns, *, embedder: Embedder | None = None, related: float = math.inf, same: float = math.inf
    ) -> None:
        self._patterns = patterns
        nearest = Nearest(embedder, related=related, same=same) if embedder is not None else None
        self._nearest = None if nearest is None or nearest.is_blind else nearest

    async def tag(
        self, exchange: Exchange, *, topics: Sequence[Topic], current: str | None, working_directory: str | None
    ) -> Tag:
        """The tag of an exchange; `topics` are the active ones, `current` is the one of the session's last exchange.

        The topic is final: matched with the known ones and placed. It is None for chatter, and when nothing tells.
        """
        exchange = trimmed(exchange)
        weights = weights_of(exchange)
        if not weights and not exchange.tool_calls and is_chatter(exchange.user, exchange.reply, self._patterns):
            return Tag(None)
        base = directory_of(exchange.tool_calls, working_directory)
        scene = Scene(exchange, weights, {topic.name: topic for topic in topics}, current, base)
        scores = by_rules(scene, self._patterns)
        add(scores, await self._by_meaning(scene))
        topic = await self._choose(scores, scene)
        return Tag(topic, tuple(weights), directories(weights, base=base))

    async def _by_meaning(self, scene: Scene) -> dict[str, float]:
        """Areas by how near in meaning they are; nothing without an embedder, or while it fails."""
        if self._nearest is None:
            return {}
        described = {topic.name: _described(topic) for topic in [*scene.known.values()][:MOST_DESCRIBED]}
        try:
            near = await self._nearest.scores(_gist(scene.exchange), {**self._patterns.words, **described})
        except EmbedderError as error:
            logger.warning("Tagging without the embedder: %s", error)
            return {}
        areas: dict[str, float] = {}
        for name, score in near.items():
            areas[area_of(name)] = max(areas.get(area_of(name), 0.0), NEAR * score)
        return areas

    async def _choose(self, scores: Mapping[str, float], scene: Scene) -> str | None:
        best = max(scores, key=lambda name: (scores[name], name == scene.current, name), default=None)
        if best is None or scores[best] < ENOUGH:
            return None
        area = await self._known_as(self._patterns.canonical(best), scene)
        name = _with_detail(area, scene, self._patterns)
        return place(match(name, scene.known) or name, scene.known)

    async def _known_as(self, name: str, scene: Scene) -> str:
        """The known topic that `name` is another word for, else `name`: the user may call it what they like."""
        known = [other for other in scene.known if "/" not in other]
        same = next((other for other in known if self._patterns.canonical(other) == name), None) or match(name, known)
        if same is not None or self._nearest is None:
            return same or name
        try:
            similarity = await self._nearest.cosines(_plain(name), {other: _plain(other) for other in known})
        except EmbedderError:
            return name
        return match(name, known, similarity=similarity, threshold=self._nearest.same) or name


def _with_detail(area: str, scene: Scene, patterns: Patterns) -> str:
    """The area with the detail that more than half of the files agree on; else its child that holds them; else, without
    any files, the child that the session is about. `place` decides whether a new detail becomes a topic.
    """
    if "/" in area:
        return area
    details: dict[str, float] = {}
    for path, weight in scene.weights.items():
        add(details, {detail_of(path, patterns) or "": weight})
    half = sum(details.values()) / 2
    agreed = next((detail for detail, weight in details.items() if detail not in ("", area) and weight > half), None)
    if agreed is not None:
        return f"{area}/{agreed}"
    holders = [n for n, share in shares_of(scene).items() if n.startswith(f"{area}/") and share > 1 / 2]
    current = scene.current or ""
    return holders[0] if holders else current if not scene.weights and area_of(current) == area else area


def _described(topic: Topic) -> str:
    """A topic in words: its name and its newest files."""
    stems = (path.rpartition("/")[2].partition(".")[0] for path in topic.file_paths[-5:])
    return " ".join([_plain(topic.name), *dict.fromkeys(stems)])


def _plain(name: str) -> str:
    return name.replace("/", " ").replace("-", " ")


def _gist(exchange: Exchange) -> str:
    """What is embedded: the beginnings, which say what it is about."""
    return f"{exchange.user[:400]}\n{exchange.reply[:400]}"
