"""What the meaning of an exchange says for each area: nearness to what topics are called, and to where they lie."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from pi_memory.protocols import Embedder
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.evidence import Scene, area_of
from pi_memory.types import Topic, Vectors

KEPT = 4_000
"""Most vectors of descriptions that are kept: 6 MB at 384 dimensions."""


class NearestText:
    """Keeps the vectors of descriptions, as those rarely change.

    `related` and `same` are the embedder's calibrated cosines: two texts about the same thing, two that say the same.
    """

    def __init__(self, embedder: Embedder, *, related: float, same: float) -> None:
        self._embedder = embedder
        self._related = related
        self.same = same
        self._vectors: dict[str, Vectors] = {}

    @property
    def is_blind(self) -> bool:
        """Whether no text can ever be near another: there is no embedder, or it has no scale."""
        return self._embedder.dimensions == 0 or not math.isfinite(self._related)

    async def vector(self, text: str) -> Vectors:
        """Of unit length, shape (dimensions,). Raises `EmbedderError`."""
        return np.asarray((await self._embedder.embed([text]))[0], dtype=np.float32)

    def scores(self, cosines: Mapping[str, float]) -> dict[str, float]:
        """How near each is, for those that are related: from 0.0 at `related` to 1.0 at `same`."""
        span = max(self.same - self._related, 0.01)
        return {name: (c - self._related) / span for name, c in cosines.items() if c >= self._related}

    async def cosines(self, vector: Vectors, descriptions: Mapping[str, str]) -> dict[str, float]:
        """The cosine of a text's vector to each description by name. Raises `EmbedderError`."""
        if not descriptions or self.is_blind:
            return {}
        wanted = dict.fromkeys(descriptions.values())
        missing = [text for text in wanted if text not in self._vectors]
        vectors = await self._embedder.embed(missing) if missing else ()
        if len(self._vectors) + len(missing) > KEPT:
            self._vectors = {text: vector for text, vector in self._vectors.items() if text in wanted}
        self._vectors.update(zip(missing, vectors, strict=True))
        known = np.stack([self._vectors[description] for description in descriptions.values()])
        return dict(zip(descriptions, (known @ vector).tolist(), strict=True))


NEAR = 1.0
"""The exchange says the same as the topic's description, as the embedder sees it."""
LIKE = 0.3
"""It says the same as the topic's exchanges do: less, as all of a session are somewhat alike."""

MOST_DESCRIBED = 200
"""Most known topics that are compared by meaning, the strongest first."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """Areas by nearness to their descriptions, and to where they lie, 0.0 for the unrelated; the exchange's vector."""

    described: Mapping[str, float]
    placed: Mapping[str, float]
    vector: Vectors


class TopicSimilarity:
    """Compares with the configured topics, whose plain words are `words`, and with the strongest known ones."""

    def __init__(self, nearest: NearestText, centroids: Centroids, words: Mapping[str, str]) -> None:
        self._nearest = nearest
        self._centroids = centroids
        self._words = words

    async def of(self, scene: Scene) -> Similarity:
        """Raises `EmbedderError`."""
        known = dict(list(scene.known.items())[:MOST_DESCRIBED])
        vector = await self._nearest.vector(_gist(scene))
        described = {name: _described(topic) for name, topic in known.items()}
        near = await self._nearest.cosines(vector, {**self._words, **described})
        placed = self._centroids.cosines(vector, known)
        unrelated = {area_of(name): 0.0 for name in placed}
        return Similarity(self._by_area(near, most=NEAR), unrelated | self._by_area(placed, most=LIKE), vector)

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


def _gist(scene: Scene) -> str:
    """What is embedded: the beginnings, which say what it is about. A message that was there before gives way to the
    names of the files.
    """
    reply = scene.exchange.reply[:400]
    if scene.repeated:
        return f"{reply}\n{_stems(list(scene.weights)[:8])}"
    return f"{scene.exchange.user[:400]}\n{reply}"


def _described(topic: Topic) -> str:
    """A topic in words: its name and its newest files."""
    return f"{_plain(topic.name)} {_stems(topic.file_paths[-5:])}".strip()


def _stems(paths: Collection[str]) -> str:
    return " ".join(dict.fromkeys(path.rpartition("/")[2].partition(".")[0] for path in paths))


def _plain(name: str) -> str:
    return name.replace("/", " ").replace("-", " ")
