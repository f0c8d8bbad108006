"""Embedding similarity of an exchange and topics: to their descriptions and to their centroids."""

import math
from collections.abc import Collection, Mapping

import numpy as np
from msgspec import Struct

from pi_memory.embedding.pieces import beginning
from pi_memory.protocols import Embedder
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.evidence import Scene
from pi_memory.topics.names import area_of
from pi_memory.types import Topic, Vectors

KEPT = 4_000
"""Most cached vectors of descriptions: 6 MB at 384 dimensions."""


class NearestText:
    """Caches the vectors of descriptions, which rarely change.

    `related` and `same` are the embedder's calibrated cosines of two texts about the same thing, and of two that say
    the same.
    """

    def __init__(self, embedder: Embedder, *, related: float, same: float) -> None:
        self._embedder = embedder
        self._related = related
        self.same = same
        self._vectors: dict[str, Vectors] = {}

    @property
    def is_blind(self) -> bool:
        """Whether no similarity can be positive: there is no embedder, or it has no scale."""
        return self._embedder.dimensions == 0 or not math.isfinite(self._related)

    async def vector(self, text: str) -> Vectors:
        """The unit vector of a text, shape (dimensions,). Raises `EmbedderError`."""
        return await self.mean({text: 1.0})

    async def mean(self, weights: Mapping[str, float]) -> Vectors:
        """The mean of the unit vectors of texts, which count by their weights: its cosines are the means of theirs.
        Shape (dimensions,). Raises `EmbedderError`.
        """
        vectors = np.asarray(await self._embedder.embed(list(weights)), dtype=np.float32)
        return np.average(vectors, axis=0, weights=list(weights.values())).astype(np.float32)

    async def learn(self, descriptions: Collection[str]) -> None:
        """Embed descriptions before they are asked for. Raises `EmbedderError`."""
        missing = [text for text in dict.fromkeys(descriptions) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, await self._embedder.embed(missing), strict=True))

    def scores(self, cosines: Mapping[str, float]) -> dict[str, float]:
        """Scores of related descriptions: from 0.0 at `related` to 1.0 at `same`."""
        span = max(self.same - self._related, 0.01)
        return {name: (c - self._related) / span for name, c in cosines.items() if c >= self._related}

    async def cosines(self, vector: Vectors, descriptions: Mapping[str, str]) -> dict[str, float]:
        """The cosine of a text's vector to each description by name. Raises `EmbedderError`."""
        if not descriptions or self.is_blind:
            return {}
        wanted = descriptions.values()
        await self.learn(wanted)
        if len(self._vectors) > KEPT:
            self._vectors = {text: self._vectors[text] for text in wanted}
        known = np.stack([self._vectors[description] for description in descriptions.values()])
        return dict(zip(descriptions, (known @ vector).tolist(), strict=True))


NEAR = 1.0
"""Most that a description adds to the score: the exchange says the same, by the embedder."""
LIKE = 0.3
"""Most that a centroid adds: less, as all exchanges of a session are somewhat alike."""

BEGINNING = 400
"""Characters up to which a message of an exchange counts by its length."""

MOST_DESCRIBED = 200
"""Most known topics that are compared by embedding, the strongest first."""


class Similarity(Struct, frozen=True):
    """Similarity of areas to the exchange, by descriptions and by centroids, 0.0 for unrelated ones; `nearest` is the
    area whose description is, related or not. The exchange's vector is shorter the less alike its messages are.
    """

    described: Mapping[str, float]
    placed: Mapping[str, float]
    vector: Vectors
    nearest: str = ""


class TopicSimilarity:
    """Compares an exchange with the configured topics, described by `words`, and with the strongest known ones."""

    def __init__(self, nearest: NearestText, centroids: Centroids, words: Mapping[str, str]) -> None:
        self._nearest = nearest
        self._centroids = centroids
        self._words = words

    async def ready(self) -> None:
        """Embed the configured topics, so that no exchange waits for it. Raises `EmbedderError`."""
        await self._nearest.learn(self._words.values())

    async def of(self, scene: Scene) -> Similarity:
        """Raises `EmbedderError`."""
        known = dict(list(scene.known.items())[:MOST_DESCRIBED])
        vector = await self._nearest.mean(_gist(scene))
        topics = {name: _described(topic) for name, topic in known.items()}
        near = await self._nearest.cosines(vector, {**self._words, **topics})
        placed = self._centroids.cosines(vector, known)
        unrelated = {area_of(name): 0.0 for name in placed}
        described, alike = self._by_area(near, most=NEAR), unrelated | self._by_area(placed, most=LIKE)
        return Similarity(described, alike, vector, area_of(max(near, key=near.__getitem__, default="")))

    async def same_name(self, name: str, known: Collection[str]) -> dict[str, float]:
        """The cosines of a name to the strongest known ones. Raises `EmbedderError`."""
        others = {other: _plain(other) for other in list(known)[:MOST_DESCRIBED]}
        return await self._nearest.cosines(await self._nearest.vector(_plain(name)), others) if others else {}

    @property
    def same(self) -> float:
        """The cosine from which on two names mean the same."""
        return self._nearest.same

    def _by_area(self, cosines: Mapping[str, float], *, most: float) -> dict[str, float]:
        areas: dict[str, float] = {}
        for name, score in self._nearest.scores(cosines).items():
            areas[area_of(name)] = max(areas.get(area_of(name), 0.0), most * min(score, 1.0))
        return areas


def _gist(scene: Scene) -> dict[str, float]:
    """What an exchange is compared by, with what each text counts: the beginnings of its messages, which were embedded
    to be searched. A repeated message is replaced by the names of the files.
    """
    user = _stems(list(scene.weights)[:8]) if scene.repeated else scene.exchange.user
    texts = [text for text in (user, scene.exchange.reply) if text.strip()]
    return {beginning(text): float(min(len(text), BEGINNING)) for text in texts} or {"": 1.0}


def _described(topic: Topic) -> str:
    """A topic's description: its name and its newest files."""
    return f"{_plain(topic.name)} {_stems(topic.file_paths[-5:])}".strip()


def _stems(paths: Collection[str]) -> str:
    return " ".join(dict.fromkeys(path.rpartition("/")[2].partition(".")[0] for path in paths))


def _plain(name: str) -> str:
    return name.replace("/", " ").replace("-", " ")
