"""What an embedder reads in texts for one question about them, with an adapter that was fitted for it.

Vectors say what texts are about. Whether a sentence states a fact, and how one text bears on another, they do not say
(Nogueira and Cho, 2019, "Passage re-ranking with BERT").
"""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

Purpose = Literal["sentences", "pairs", "answers", "words"]
"""Also the name of the adapter: for one text by itself, for two statements that are read as one, for a question with a
statement; and none, for what the words of a text mean, not what answers it.
"""
Text = tuple[str, ...]
"""One text, or two."""


@runtime_checkable
class ReadingEmbedder(Embedder, Protocol):
    """An embedder that reads texts too."""

    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        """Float32, shape (len(texts), dimensions); None if it was not fitted for that. Raises `EmbedderError`."""
        ...


async def read(embedder: Embedder, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
    """What an embedder reads in texts; None of one that reads none. Raises `EmbedderError`."""
    return await embedder.read(texts, purpose) if isinstance(embedder, ReadingEmbedder) else None


async def by_words(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Unit vectors of texts, shape (len(texts), dimensions), without the adapter that moves a question to its answers;
    as they are embedded where there is none. Raises `EmbedderError`.
    """
    found = await read(embedder, [(text,) for text in texts], "words")
    if found is None:
        return await embedder.embed(texts)
    units: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return units
