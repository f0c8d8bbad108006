import asyncio
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from pi_memory.embedding.recent import RecentEmbedder
from pi_memory.tagging import similarity
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.evidence import Scene
from pi_memory.tagging.similarity import NearestText, TopicSimilarity
from pi_memory.types import Exchange, Vectors
from tests.test_message_index import indexing, say


class Letters:
    """An embedder whose vectors count letters: texts of the same letters are near."""

    id = "letters"
    dimensions = 26

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        counts = np.array([[text.count(chr(97 + i)) for i in range(26)] for text in texts], dtype=np.float32)
        return np.asarray(counts / np.maximum(1, np.linalg.norm(counts, axis=1, keepdims=True)), dtype=np.float32)

    async def close(self) -> None: ...


def cosines(near: NearestText, text: str, descriptions: Mapping[str, str]) -> dict[str, float]:
    async def compared() -> dict[str, float]:
        return await near.cosines(await near.vector(text), descriptions)

    return asyncio.run(compared())


def test_a_score_is_placed_between_related_and_same() -> None:
    near = NearestText(Letters(), related=0.5, same=1.0)
    scores = near.scores(cosines(near, "aa", {"x": "aaa", "y": "ab", "z": "bbb"}))
    assert scores == {"x": pytest.approx(1.0), "y": pytest.approx((math.sqrt(0.5) - 0.5) / 0.5)}


def test_descriptions_are_embedded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "KEPT", 3)
    embedder = Letters()
    near = NearestText(embedder, related=0.0, same=1.0)
    for described in ({"x": "a", "y": "b"}, {"x": "a", "y": "c"}, {"x": "a", "y": "d"}, {}):
        cosines(near, "q", described)
    assert embedder.embedded == ["q", "a", "b", "q", "c", "q", "d", "q"]


def test_without_a_scale_nothing_is_near() -> None:
    near = NearestText(Letters(), related=math.inf, same=math.inf)
    assert near.is_blind
    assert cosines(near, "a", {"x": "a"}) == {}


LONG = "The valve of the second pump is closed. "
NO_CENTROIDS = Centroids(1, {})


@pytest.mark.parametrize(("user", "reply"), [("the pump leaks", "Close the valve."), (LONG * 300, f"So. {LONG * 300}")])
def test_what_was_embedded_to_be_searched_is_not_embedded_again_to_be_tagged(
    tmp_path: Path, user: str, reply: str
) -> None:
    real = Letters()
    recent = RecentEmbedder(real)

    async def main() -> None:
        async with indexing(tmp_path / "m.db", recent) as (index, db):
            await say(index, db, user, reply)
            real.embedded.clear()
            meaning = TopicSimilarity(NearestText(recent, related=0.5, same=0.9), NO_CENTROIDS, {})
            await meaning.of(Scene(Exchange("c", user, reply, 0.0), {}, {}))

    asyncio.run(main())
    assert real.embedded == []


def test_the_configured_topics_are_embedded_before_the_first_exchange() -> None:
    real = Letters()
    meaning = TopicSimilarity(
        NearestText(real, related=0.5, same=0.9), NO_CENTROIDS, {"pump": "pump", "garden": "hedge"}
    )

    async def main() -> None:
        await meaning.ready()
        await meaning.of(Scene(Exchange("c", "the valve", "", 0.0), {}, {}))

    asyncio.run(main())
    assert real.embedded == ["pump", "hedge", "the valve"]


def test_a_message_counts_by_its_length() -> None:
    meaning = TopicSimilarity(NearestText(Letters(), related=0.1, same=1.0), NO_CENTROIDS, {"x": "x", "y": "y"})
    heard = asyncio.run(meaning.of(Scene(Exchange("c", "xxxxxxxxx", "yyy", 0.0), {}, {})))
    assert heard.described == {"x": pytest.approx(0.65 / 0.9), "y": pytest.approx(0.15 / 0.9)}


def test_a_repeated_message_counts_for_the_files_instead() -> None:
    embedder = Letters()
    meaning = TopicSimilarity(NearestText(embedder, related=0.1, same=1.0), NO_CENTROIDS, {})
    exchange = Exchange("c", "go on", "done", 0.0)
    asyncio.run(meaning.of(Scene(exchange, {"/garden/pump.py": 1.0}, {}, repeated=True)))
    assert embedder.embedded == ["pump", "done"]
