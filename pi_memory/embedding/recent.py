"""A cache in front of an embedder: within a second a message is searched for, stored and tagged."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pi_memory.embedding import token_codes
from pi_memory.embedding.token_codes import Tokens
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

KEPT = 16
"""Texts that are cached. A call with more texts is a batch made once, and not cached."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A vector, shape (dimensions,), and the tokens, once somebody has asked for them."""

    vector: Vectors
    tokens: Tokens | None = None


class RecentEmbedder:
    """See `TokenEmbedder`. Costs 1.5 kB a text at 384 dimensions, and as much for four of its tokens."""

    def __init__(self, embedder: Embedder) -> None:
        self.id = embedder.id
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._known: dict[str, Embedded] = {}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not 0 < len(texts) <= KEPT:
            return await self._embedder.embed(texts)
        known = {text: self._known[text] for text in texts if text in self._known}
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            known |= zip(missing, map(Embedded, await self._embedder.embed(missing)), strict=True)
        self._keep(known)
        return np.stack([known[text].vector for text in texts])

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        if not 0 < len(texts) <= KEPT:
            return await token_codes.embed(self._embedder, texts)
        known = {text: each for text in texts if (each := self._known.get(text)) and each.tokens is not None}
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            made = await token_codes.embed(self._embedder, missing)
            known |= zip(missing, map(Embedded, *made), strict=True)
        self._keep(known)
        found = [known[text] for text in texts]
        return np.stack([e.vector for e in found]), [e.tokens or token_codes.NO_TOKENS for e in found]

    def _keep(self, known: dict[str, Embedded]) -> None:
        for text, each in known.items():
            self._known.pop(text, None)
            self._known[text] = each
        for text in list(self._known)[:-KEPT]:
            del self._known[text]

    async def close(self) -> None:
        await self._embedder.close()
