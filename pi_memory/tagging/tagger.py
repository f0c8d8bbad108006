"""Chooses the topic of an exchange from its files, its words and its embedding.

Each piece of evidence adds to the score of an area: files that a known topic holds, names in the files' paths, words of
the user, embedding similarity, the session's current topic. The best area becomes the topic, with a detail if the files
agree on one. Known topics are preferred to new ones.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Protocol

from msgspec import Struct

from pi_memory.errors import EmbedderError
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.evidence import (
    STAY,
    STAY_AFTER_TURN,
    Scene,
    add,
    is_idle,
    said_and_done,
    shares_of,
    weights_of,
)
from pi_memory.tagging.file_index import FileIndex
from pi_memory.tagging.keywords import is_chatter, is_remark, refers_back
from pi_memory.tagging.limits import trimmed
from pi_memory.tagging.path_topics import detail_of
from pi_memory.tagging.paths import directories
from pi_memory.tagging.paths import working_directory as directory_of
from pi_memory.tagging.similarity import Similarity, TopicSimilarity
from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.tasks import until_done
from pi_memory.topics.names import area_of, match, place
from pi_memory.types import Exchange, Tag, Topic
from pi_memory.worker import Worker

ENOUGH = 0.45
"""Least score of a topic: one word of a topic by the user, or half of the files."""

ENOUGH_OF_FILES = 0.3
"""The same when files were touched: there was work, and the most specific of their names will do."""

ENOUGH_OF_TALK = 0.6
"""The same where nothing was done, more than one word, of a new topic that the exchange is not nearest to, or of an
activity: without files or tools `black` is a colour, a `branch` is one of a tree, and the heating has a `button`.
"""

MOST_KNOWN = 1_000
"""Most known topics that are considered, the strongest first, so that a tag costs the same after years."""

logger = logging.getLogger(__name__)


class Tagger(Protocol):
    """The protocol of taggers. Implementations: `EvidenceTagger`, by rules and embeddings, and `LlmTagger`, by asking a
    model.
    """

    async def tag(
        self,
        exchange: Exchange,
        *,
        topics: Sequence[Topic],
        current: str | None,
        working_directory: str | None,
        repeated: bool = False,
    ) -> Tag:
        """The tag of an exchange; `topics` are the active ones, the strongest first, `current` is the topic of the
        session's last exchange, `repeated` marks the same user message as in that one.

        The topic is final: matched with the known ones and placed. It is None for chatter, and when no score suffices.
        """
        ...


class LoadedTagger(Struct, frozen=True):
    """A tagger, and where topics lie for it if it compares meanings."""

    tagger: Tagger
    places: Centroids | None = None


class TaggerLoader:
    """The best tagger so far: at first `rules`, then each of those that `better` loads in the background.

    `better` is begun anew when it fails, after a while.
    """

    def __init__(self, rules: Tagger, *, better: Callable[[], AsyncIterator[LoadedTagger]] | None = None) -> None:
        self._now = LoadedTagger(rules)
        self._better = better
        self._task: asyncio.Task[None] | None = None

    @property
    def now(self) -> LoadedTagger:
        """The best one that is there."""
        return self._now

    def start(self) -> None:
        if self._better is not None:
            self._task = asyncio.create_task(until_done("Finding the better tagger", partial(self._load, self._better)))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _load(self, better: Callable[[], AsyncIterator[LoadedTagger]]) -> None:
        async for self._now in better():
            pass


class EvidenceTagger:
    """Tags by rules; with `meaning` also by embeddings. One exchange at a time."""

    def __init__(self, patterns: Patterns, meaning: TopicSimilarity | None = None, *, worker: Worker) -> None:
        self._patterns = patterns
        self._worker = worker
        self._meaning = meaning
        self._holders = FileIndex()

    async def tag(
        self,
        exchange: Exchange,
        *,
        topics: Sequence[Topic],
        current: str | None,
        working_directory: str | None,
        repeated: bool = False,
    ) -> Tag:
        known = {topic.name: topic for topic in islice(topics, MOST_KNOWN)}
        read = partial(self._read, known=known, current=current, directory=working_directory, repeated=repeated)
        found = await self._worker.run(read, exchange)
        if found is None:
            return Tag(None)
        scene, scores = found
        heard = await self._heard(scene)
        if not await self._worker.run(_weigh, scores, scene, heard, self._patterns.activities):
            return Tag(None)
        topic, weights = await self._choose(scores, scene), scene.weights
        return Tag(topic, tuple(weights), directories(weights, base=scene.base), heard.vector if heard else None)

    def _read(
        self,
        exchange: Exchange,
        *,
        known: dict[str, Topic],
        current: str | None,
        directory: str | None,
        repeated: bool,
    ) -> tuple[Scene, dict[str, float]] | None:
        """The scene, and the scores of areas by words and files; None for chatter."""
        exchange = trimmed(exchange)
        self._holders.update(known)
        weights = weights_of(exchange, known=self._holders.knows)
        if _nothing_done(exchange, weights) and is_chatter(exchange.user, exchange.reply, self._patterns):
            return None
        base = directory_of(exchange.tool_calls, directory)
        scene = Scene(exchange, weights, known, current, base, self._holders.of(weights), repeated)
        return scene, said_and_done(scene, self._patterns)

    async def _heard(self, scene: Scene) -> Similarity | None:
        """The embedding similarity; None without an embedder, or while it fails."""
        try:
            return await self._meaning.of(scene) if self._meaning is not None else None
        except EmbedderError as error:
            logger.warning("Tagging without the embedder: %s", error)
            return None

    async def _choose(self, scores: Mapping[str, float], scene: Scene) -> str | None:
        best = max(scores, key=lambda name: (scores[name], name == scene.current, name), default=None)
        if best is None or scores[best] < (ENOUGH_OF_FILES if scene.weights else ENOUGH):
            return None
        area = await self._known_as(self._patterns.canonical(best), scene)
        name = _with_detail(area, scene, self._patterns)
        return place(match(name, scene.known) or name, scene.known)

    async def _known_as(self, name: str, scene: Scene) -> str:
        """The known topic that `name` is another word for, else `name`: the user may have renamed it."""
        if name in scene.known:
            return name
        known = [other for other in scene.known if "/" not in other]
        same = next((other for other in known if self._patterns.canonical(other) == name), None) or match(name, known)
        if same is not None or self._meaning is None:
            return same or name
        try:
            similarity = await self._meaning.same_name(name, known)
        except EmbedderError:
            return name
        return match(name, known, similarity=similarity, threshold=self._meaning.same) or name


def _nothing_done(exchange: Exchange, weights: Mapping[str, float]) -> bool:
    return not weights and all(map(is_idle, exchange.tool_calls))


def _weigh(scores: dict[str, float], scene: Scene, heard: Similarity | None, activities: Collection[str]) -> bool:
    """Add the embedding similarity and the session's topic to the scores; False for a mere remark. Where nothing was
    done, a new topic by a word that means something else is left out; without an embedder, one of `activities`.
    """
    exchange = scene.exchange
    nothing_done = _nothing_done(exchange, scene.weights)
    add(scores, heard.described if heard else {})
    if nothing_done and max(scores.values(), default=0.0) < ENOUGH and is_remark(exchange.user, exchange.reply):
        return False
    add(scores, heard.placed if heard else {})
    if nothing_done:
        for name in scores.keys() - scene.known.keys():
            if scores[name] < ENOUGH_OF_TALK and (name in activities or (heard and heard.nearest != name)):
                del scores[name]
    elsewhere = max(scores.values(), default=0.0) >= ENOUGH and not refers_back(exchange.user)
    add(scores, _staying(scene, heard, elsewhere=elsewhere) if nothing_done else _staying(scene))
    return True


def _staying(scene: Scene, heard: Similarity | None = None, *, elsewhere: bool = False) -> dict[str, float]:
    """The score of the session's topic for being it. A follow-up does not bring back a topic that the user removed.

    It is lower when a message is far from that topic, or names another and refers back to nothing (`elsewhere`).
    """
    if scene.current is None or scene.current not in scene.known:
        return {}
    area = area_of(scene.current)
    turned = elsewhere or (heard is not None and heard.placed.get(area) == 0.0)
    return {area: STAY_AFTER_TURN if turned else STAY}


def _with_detail(area: str, scene: Scene, patterns: Patterns) -> str:
    """The area with the detail that more than half of the files agree on; else with its child that holds them; else,
    without files, with the session's child. `place` decides whether a new detail becomes a topic.
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
