"""Replies that follow a JSON schema, and what a client may ask of one reply besides."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pi_memory.errors import Unprocessable
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.model.json_schema import grammar_of
from pi_memory.model.local import LocalModel
from pi_memory.protocols import Model
from pi_memory.types import Message, ReplyOptions
from tests.gguf_files import write_llama

PET = {"type": "object", "properties": {"kind": {"enum": ["cat", "dog"]}, "old": {"type": "boolean"}}}
SCHEMA: dict[str, Any] = {**PET, "required": ["kind", "old"], "additionalProperties": False}


async def said(model: Model, **options: Any) -> str:
    asked = model.generate([Message("user", "The dog")], max_tokens=60, options=ReplyOptions(**options))
    return "".join([piece async for piece in asked if isinstance(piece, str)])


async def said_here(folder: Path, *asked: dict[str, Any], temperature: float = 0.0) -> list[str]:
    model = LocalModel.open(write_llama(folder / "tiny.gguf"), threads=1, temperature=temperature)
    replies = [await said(model, **options) for options in asked]
    await model.close()
    return replies


def test_a_reply_follows_the_schema(tmp_path: Path) -> None:
    (reply,) = asyncio.run(said_here(tmp_path, {"schema": SCHEMA}))
    assert set(json.loads(reply)) == {"kind", "old"}


def test_the_next_reply_is_free_again(tmp_path: Path) -> None:
    before, _, after = asyncio.run(said_here(tmp_path, {}, {"schema": SCHEMA}, {}))
    assert before == after


def test_a_reply_ends_before_a_stop(tmp_path: Path) -> None:
    (whole,) = asyncio.run(said_here(tmp_path, {}))
    stop = whole[12:15]
    assert asyncio.run(said_here(tmp_path, {"stops": (stop,)})) == [whole.partition(stop)[0].rstrip()]


def test_the_same_seed_says_the_same(tmp_path: Path) -> None:
    one, same, cold = asyncio.run(said_here(tmp_path, {"seed": 7}, {"seed": 7}, {"temperature": 0.0}, temperature=1.5))
    assert one == same
    assert [cold] == asyncio.run(said_here(tmp_path, {}))


def test_without_a_model_no_schema_can_be_followed() -> None:
    with pytest.raises(Unprocessable):
        asyncio.run(said(ExtractiveModel(), schema=SCHEMA))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "#/$defs/missing"},
        {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
        {"type": "string", "maxLength": 10**9},
        {"type": "string", "pattern": "^a{100000}$"},
        {"type": "object", "description": "x" * 200_000},
    ],
)
def test_a_schema_that_cannot_be_followed_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(Unprocessable):
        grammar_of(schema)
