import asyncio
from pathlib import Path

import numpy as np
import pytest

from pi_memory.store import embedders
from pi_memory.store import topics as rows
from pi_memory.store.database import Database
from pi_memory.tagging.centroids import Centroids
from pi_memory.types import Topic, Vectors
from tests.test_similarity import Letters


def axis(number: int) -> Vectors:
    return np.asarray(np.eye(26)[number], dtype=np.float32)


def test_a_topic_begins_where_its_first_exchange_is_and_follows_the_newest() -> None:
    places = Centroids(1, {})
    places.move("garden", axis(0))
    assert places.cosines(axis(0), ["garden", "unknown"]) == {"garden": pytest.approx(1.0)}
    for _ in range(20):
        places.move("garden", axis(1))
    near = [places.cosines(axis(number), ["garden"])["garden"] for number in (0, 1, 2)]
    assert near[1] > near[0] > near[2] == pytest.approx(0.0)


def test_a_renamed_topic_lies_where_it_did() -> None:
    places = Centroids(1, {})
    places.move("garden", axis(0))
    places.rename("garden", "orchard")
    places.rename("unknown", "other")
    assert places.cosines(axis(0), ["orchard", "other"]) == {"orchard": pytest.approx(1.0)}


def test_they_are_kept_for_the_embedder_that_made_them(tmp_path: Path) -> None:
    async def kept() -> None:
        db = await Database.open(tmp_path / "db")
        places = await Centroids.load(db, Letters())
        await db.write(lambda d: rows.save(d, Topic("garden", 0, 0)))
        await db.write(places.move("garden", axis(3)).save)
        await db.write(places.move("never-stored", axis(3)).save)
        again = await Centroids.load(db, Letters())
        assert again.cosines(axis(3), ["garden", "never-stored"]) == {"garden": pytest.approx(1.0)}
        other = Letters()
        other.id = "another"
        assert (await Centroids.load(db, other)).cosines(axis(3), ["garden"]) == {}
        await db.write(lambda d: d.execute("update centroids set vector = x'00'"))
        assert (await Centroids.load(db, Letters())).cosines(axis(3), ["garden"]) == {}
        assert await db.read(lambda d: embedders.number(d, "letters", dimensions=26)) == 1
        await db.close()

    asyncio.run(kept())
