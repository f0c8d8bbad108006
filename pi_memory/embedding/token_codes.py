"""Token codes: what each word of a message means where it stands, in twelve bytes.

A vector of a whole message is near what most of it is about; a word said in passing is lost in it. So a query is also
compared word by word (late interaction: Khattab and Zaharia, 2020, "ColBERT"). Of the vectors of tokens only the signs
of some random projections are stored (Charikar, 2002), which any embedder shares that gives vectors of tokens.
"""

import hashlib
import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
from msgspec import Struct

from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

BITS = 96
"""Signs of a token. 64 find a little less, 128 no more."""
MOST = 32
"""Tokens of a message that are coded: a long reply would else be near anything."""
UNRELATED, SAME = 0.305, 0.746
"""Mean cosines of a query's tokens to the nearest of a message: of the median candidate, and of the best in 2,000."""


class Tokens(Struct, frozen=True):
    """The tokens of a text that say something: no stop words, no punctuation. Their numbers in the vocabulary, the
    words that they are of, and what is left of their vectors, shape (n, BITS).
    """

    ids: tuple[int, ...]
    words: tuple[str, ...]
    projected: Vectors


NO_TOKENS = Tokens((), (), np.empty((0, BITS), np.float32))


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that gives the tokens of a text along with its vector."""

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """As `embed`, and the tokens of each text, by the same evaluation."""
        ...


async def embed(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
    """The vectors of texts, and their tokens; none of an embedder that gives none. Raises `EmbedderError`."""
    if isinstance(embedder, TokenEmbedder):
        return await embedder.embed_tokens(texts)
    return await embedder.embed(texts), [NO_TOKENS] * len(texts)


def project(vectors: Vectors) -> Vectors:
    """What is left of vectors of shape (n, dimensions): shape (n, BITS)."""
    projected: Vectors = vectors @ _directions(vectors.shape[1])
    return projected


def codes(pieces: Sequence[Tokens]) -> bytes:
    """The codes of a message, from its pieces: of its rarest tokens. A vocabulary begins with frequent ones."""
    ids = np.array([id_ for piece in pieces for id_ in piece.ids])
    rarest = np.sort(np.argsort(-ids, kind="stable")[:MOST])
    return np.packbits(np.concatenate([piece.projected for piece in pieces])[rarest] > 0, axis=1).tobytes()


class QueryTokens(Struct, frozen=True):
    """The terms of a query, and its tokens by the embedder `space`."""

    space: str
    terms: Sequence[str]
    tokens: Tokens

    def nearness(self, coded: Sequence[bytes], weights: Vectors) -> Vectors:
        """How near messages are by their codes, of which each has some, when each term counts what `weights` say: from
        0 for unrelated ones to 1, shape (n,). Where no token is of a term, all are unrelated.
        """
        each = self._weights(weights)
        lengths = np.linalg.norm(self.tokens.projected, axis=1, keepdims=True)
        directions = self.tokens.projected / np.maximum(lengths, np.finfo(np.float32).tiny)
        bits = np.unpackbits(np.frombuffer(b"".join(coded), np.uint8).reshape(-1, BITS // 8), axis=1)
        # Of the signs 2 bits - 1; the product with the bits is the one large array.
        cosines = (2 * (bits.astype(np.float32) @ directions.T) - directions.sum(axis=1)) / math.sqrt(BITS)
        starts = np.cumsum([0, *(8 * len(codes) // BITS for codes in coded[:-1])])
        near = np.maximum(np.maximum.reduceat(cosines, starts, axis=0), 0.0) @ each
        clipped: Vectors = np.clip((near - UNRELATED) / (SAME - UNRELATED), 0.0, 1.0).astype(np.float32)
        return clipped

    def _weights(self, of_terms: Vectors) -> Vectors:
        """What each token counts, all of them 1."""
        known = dict(zip(map(_plain, self.terms), of_terms.tolist(), strict=True))
        each = np.array([known.get(_plain(word), 0.0) for word in self.tokens.words], np.float32)
        total = float(each.sum())
        return each / total if total else each


def _plain(word: str) -> str:
    """Without accents, which a vocabulary may not have."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


@lru_cache(maxsize=1)
def _directions(dimensions: int) -> Vectors:
    """Random directions, the same ones for ever: of signs, shape (dimensions, BITS)."""
    drawn = np.frombuffer(hashlib.shake_128(b"0").digest(dimensions * BITS // 8), np.uint8)
    signs = np.unpackbits(drawn).reshape(dimensions, BITS).astype(np.float32) * 2 - 1
    directions: Vectors = signs / np.float32(math.sqrt(dimensions))
    return directions
