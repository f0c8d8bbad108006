import asyncio
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from pi_memory.tagging import similarity
from pi_memory.tagging.similarity import NearestText
from pi_memory.types import Vectors


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
