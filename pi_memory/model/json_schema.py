"""A JSON schema as a grammar in GBNF, by llama.cpp's own converter, with bounds on what it is given."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pi_memory.errors import Unprocessable
from pi_memory.model.library import library

MOST = 1_000
"""What a schema may count to (items, characters): the converter writes each of them down."""
COUNTS = ("minItems", "maxItems", "minLength", "maxLength")
LONGEST = 100_000
"""Characters of a schema."""


def grammar_of(schema: Mapping[str, Any]) -> str:
    """The grammar whose texts are what the schema allows. Raises `Unprocessable`."""
    text = json.dumps(schema)
    if len(text) > LONGEST:
        raise _unusable(f"it is longer than {LONGEST} characters")
    for node in _nodes(schema):
        _check(node)
    try:
        return str(library().llama_grammar.json_schema_to_gbnf(text))
    except Exception as error:
        # The converter asserts, and stumbles over what it does not expect.
        raise _unusable(str(error)[:200]) from error


def _check(node: Mapping[str, Any]) -> None:
    """Raises `Unprocessable` for what the converter would fetch from elsewhere, or write a million times."""
    if "$ref" in node and not str(node["$ref"]).startswith("#"):
        raise _unusable("only references within it (#/...) are followed")
    if any(isinstance(node.get(name), int) and node[name] > MOST for name in COUNTS):
        raise _unusable(f"it counts to more than {MOST}")
    if re.search(r"\{\d*,?\d{4,}", str(node.get("pattern", ""))):
        raise _unusable(f"a pattern counts to more than {MOST}")


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        for below in value.values():
            yield from _nodes(below)
    elif isinstance(value, list):
        for below in value:
            yield from _nodes(below)


def _unusable(why: str) -> Unprocessable:
    return Unprocessable(f"The schema cannot be followed: {why}", hint="Ask with a plain JSON schema, or without one.")
