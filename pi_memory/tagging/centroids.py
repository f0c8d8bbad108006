"""Centroids of topics: the decaying mean of the vectors of each topic's exchanges."""

from collections.abc import Iterable

import numpy as np
import sqlite_utils
from msgspec import Struct

from pi_memory.embedding.quantized import Packed, pack, unpack
from pi_memory.protocols import Embedder
from pi_memory.store import embedders
from pi_memory.store import topics as rows
from pi_memory.store.database import Database
from pi_memory.types import Vectors

PULL = 0.1
"""Share by which one exchange moves a centroid: after a dozen or so the first ones count half."""


class TopicPlace(Struct, frozen=True):
    """A topic's new centroid, in the space that the store calls `space`, to be stored with the topic."""

    topic: str
    space: int
    vector: bytes

    def save(self, db: sqlite_utils.Database) -> None:
        rows.save_centroid(db, self.topic, space=self.space, vector=self.vector)


class Centroids:
    """One int8 vector a topic; RAM is one byte a dimension."""

    def __init__(self, space: int, places: dict[str, Packed]) -> None:
        self._space = space
        self._places = places

    @classmethod
    async def load(cls, db: Database, embedder: Embedder) -> "Centroids":
        """Load the centroids of earlier runs with the same embedder. Raises `StoreError`."""
        dimensions = embedder.dimensions
        space = await db.write(lambda d: embedders.number(d, embedder.id, dimensions=dimensions))
        kept = await db.read(lambda d: rows.load_centroids(d, embedder.id))
        size = len(pack(np.zeros((1, dimensions), np.float32)).to_bytes())
        return cls(space, {name: unpack(vector, dimensions) for name, vector in kept.items() if len(vector) == size})

    def cosines(self, vector: Vectors, names: Iterable[str]) -> dict[str, float]:
        """Cosines of a unit vector, or the mean cosines of several for their mean, shape (dimensions,), to those of
        these topics that have a centroid.
        """
        known = [name for name in names if name in self._places]
        if not known:
            return {}
        places = np.concatenate([self._places[name].codes for name in known]).astype(np.float32)
        lengths = np.maximum(np.linalg.norm(places, axis=1), np.finfo(np.float32).tiny)
        return dict(zip(known, (places @ vector / lengths).tolist(), strict=True))

    def move(self, name: str, vector: Vectors) -> TopicPlace:
        """Move a topic's centroid towards the vector of an exchange."""
        place = self._places.get(name)
        moved = vector if place is None else self._towards(place, vector)
        self._places[name] = pack(np.atleast_2d(moved / max(float(np.linalg.norm(moved)), 1e-9)).astype(np.float32))
        return TopicPlace(name, self._space, self._places[name].to_bytes())

    def rename(self, old: str, new: str) -> None:
        if old in self._places:
            self._places[new] = self._places[old]

    def _towards(self, place: Packed, vector: Vectors) -> Vectors:
        return np.asarray((1 - PULL) * place.codes[0] * place.scales[0] + PULL * vector, np.float32)
