"""What a server is asked besides chats: JSON schemas of the answers, and what is read from an answer. Pure.

Servers differ in how strictly they hold a model to a schema. So whatever comes is read as far as it makes sense.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pi_memory.types import AnswerForm


def one_of(labels: Sequence[str]) -> dict[str, Any]:
    """The schema of a choice."""
    return _object({"answer": {"type": "string", "enum": list(labels)}})


def chosen(text: str, labels: Sequence[str]) -> str | None:
    """The label that an answer names, in JSON or as it stands."""
    answer = _read(text).get("answer", text)
    return next((label for label in labels if label == str(answer).strip()), None)


def lines_of(form: AnswerForm) -> dict[str, Any]:
    """The schema of an answer in a form."""
    return _object({"lines": {"type": "array", "items": _object(form.fields)}})


def written(text: str, form: AnswerForm, *, count: Callable[[str], int], cap: int) -> str:
    """An answer in its form, as many whole lines as `cap` tokens have room for; what is no JSON, as it stands."""
    lines = _read(text).get("lines")
    if not isinstance(lines, list):
        return "" if text.lstrip().startswith(("{", "[")) else _within(text.splitlines(keepends=True), count, cap)
    return _within([*_formed(lines, form)][: form.most], count, cap)


def _formed(lines: Sequence[Any], form: AnswerForm) -> Iterator[str]:
    for line in lines:
        if isinstance(line, dict) and all(isinstance(line.get(name), str) for name in form.fields):
            yield form.line.format(**{name: " ".join(line[name].split()) for name in form.fields})


def _within(lines: Sequence[str], count: Callable[[str], int], cap: int) -> str:
    text = ""
    for line in lines:
        if count(text + line) > cap:
            break
        text += line
    return text


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """In the subset of JSON schema that every server knows."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _read(text: str) -> Mapping[str, Any]:
    """The JSON object in a text, which may stand in a code block; an empty one if there is none."""
    try:
        found = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
