"""`/v1/embeddings`: texts to vectors, by the embedder that searches what is remembered."""

from base64 import b64encode
from typing import Any, Literal

import msgspec
import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.errors import RequestError, Unprocessable
from pi_memory.http.endpoint import Endpoint, answer, body
from pi_memory.parts import Parts

MOST = 2_048
"""Texts of one request."""
CHARACTERS_PER_TOKEN = 4


class EmbeddingRequest(msgspec.Struct):
    """`dimensions` can only be what the embedder has; `model` is whatever it is."""

    input: str | list[Any]
    model: str = ""
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = None


class OneEmbedding(msgspec.Struct):
    """`embedding` is base64 of little-endian float32 when that was asked for."""

    index: int
    embedding: list[float] | str
    object: str = "embedding"


class EmbeddingUsage(msgspec.Struct):
    prompt_tokens: int
    total_tokens: int


class EmbeddingList(msgspec.Struct):
    data: list[OneEmbedding]
    model: str
    usage: EmbeddingUsage
    object: str = "list"


async def embed(request: Request, parts: Parts) -> Response:
    asked = await body(request, EmbeddingRequest)
    wanted = texts(asked.input)
    model, vectors = await vectors_of(wanted, parts)
    if asked.dimensions not in (None, vectors.shape[1]):
        raise RequestError(f"dimensions: {model} has {vectors.shape[1]}", hint="Leave it out.")
    encode = _base64 if asked.encoding_format == "base64" else _floats
    used = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in wanted)
    data = [OneEmbedding(index, encode(vector)) for index, vector in enumerate(vectors)]
    return answer(EmbeddingList(data, model, EmbeddingUsage(used, used)))


def texts(given: str | list[Any]) -> list[str]:
    """The texts to embed. Raises `RequestError`."""
    several = [given] if isinstance(given, str) else given
    if any(not isinstance(text, str) for text in several):
        raise RequestError(
            "input: expected a text or a list of texts, not tokens",
            hint="LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False).",
        )
    if not several or len(several) > MOST or not all(several):
        raise RequestError(f"input: expected 1 to {MOST} texts, none empty", hint="Send fewer at a time.")
    return several


async def vectors_of(wanted: list[str], parts: Parts) -> "tuple[str, np.ndarray[Any, np.dtype[np.float32]]]":
    """The embedder's name, and vectors of shape (texts, dimensions). Raises `Unprocessable` without an embedder."""
    embedder = await parts.embedder.ready()
    if not embedder.dimensions:
        raise Unprocessable("There is no embedder", hint="`pi-memory pull embedder` fetches one.")
    return embedder.id, await embedder.embed(wanted)


def _base64(vector: "np.ndarray[Any, Any]") -> str:
    return b64encode(vector.astype("<f4").tobytes()).decode()


def _floats(vector: "np.ndarray[Any, Any]") -> list[float]:
    floats: list[float] = vector.tolist()
    return floats


ENDPOINTS = [
    Endpoint(
        "POST",
        "/v1/embeddings",
        embed,
        "OpenAI's embeddings, by the embedder of this daemon.",
        needs_memory=False,
        needs="read",
        within_namespace=True,
        body=EmbeddingRequest,
        answer=EmbeddingList,
    )
]
