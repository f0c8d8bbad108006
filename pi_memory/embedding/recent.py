"""A cache in front of an embedder: within a second a message is searched for, stored and tagged.

Vectors and tokens are kept together, as one evaluation gives both, and who asks next may want the other.
"""

from collections.abc import Sequence

import numpy as np

from pi_memory.embedding import reading, token_codes
from pi_memory.embedding.pieces import MOST_PIECES
from pi_memory.embedding.reading import Purpose, Text
from pi_memory.embedding.token_codes import Tokens
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

KEPT = 2 * MOST_PIECES
"""Texts that are cached: both messages of an exchange. A call with more texts is a batch made once, and not cached."""


class RecentEmbedder:
    """See `TokenEmbedder`, `ReadingEmbedder`. Costs 1.5 kB a text at 384 dimensions, as much for four tokens."""

    def __init__(self, embedder: Embedder) -> None:
        self.id = embedder.id
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._known: dict[str, tuple[Vectors, Tokens]] = {}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not 0 < len(texts) <= KEPT:
            return await self._embedder.embed(texts)
        return (await self.embed_tokens(texts))[0]

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        if not 0 < len(texts) <= KEPT:
            return await token_codes.embed(self._embedder, texts)
        known = {text: self._known[text] for text in texts if text in self._known}
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            known |= zip(missing, zip(*await token_codes.embed(self._embedder, missing), strict=True), strict=True)
        self._keep(known)
        vectors, tokens = zip(*(known[text] for text in texts), strict=True)
        return np.stack(vectors), list(tokens)

    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        return await reading.read(self._embedder, texts, purpose)

    def let_go(self) -> None:
        """Keep no text."""
        self._known.clear()

    def _keep(self, known: dict[str, tuple[Vectors, Tokens]]) -> None:
        for text, each in known.items():
            self._known.pop(text, None)
            self._known[text] = each
        for text in list(self._known)[:-KEPT]:
            del self._known[text]

    async def close(self) -> None:
        await self._embedder.close()
