"""What a server answers beside chats: JSON by a schema, or whatever else it sends."""

import json

import pytest

from pi_memory.model import answers
from pi_memory.types import AnswerForm

FORM = AnswerForm(
    "",
    {"kind": {"type": "string", "enum": ["fact", "fix"]}, "text": {"type": "string"}},
    line="- {kind}: {text}\n",
    most=2,
)
FACT, FIX = {"kind": "fact", "text": "It rains."}, {"kind": "fix", "text": "An\n umbrella."}


def written(text: str, cap: int = 100) -> str:
    return answers.written(text, FORM, count=len, cap=cap)


def test_each_object_becomes_a_line() -> None:
    assert written(json.dumps({"lines": [FACT, FIX]})) == "- fact: It rains.\n- fix: An umbrella.\n"


def test_lines_beyond_the_most_and_the_cap_are_left_out() -> None:
    assert written(json.dumps({"lines": [FACT] * 3})) == "- fact: It rains.\n" * 2
    assert written(json.dumps({"lines": [FACT] * 2}), cap=20) == "- fact: It rains.\n"


def test_what_is_no_line_is_left_out() -> None:
    odd = [1, None, "text", {}, {"kind": "fact"}, {"kind": "fact", "text": 3}, {**FACT, "more": 1}]
    assert written(json.dumps({"lines": odd})) == "- fact: It rains.\n"


@pytest.mark.parametrize("text", ['{"lines": [{"kind": "fa', "[1, 2]", '{"lines": 3}', "{}", ""])
def test_broken_json_is_nothing(text: str) -> None:
    assert written(text) == ""


def test_what_is_no_json_is_read_as_it_stands() -> None:
    assert written("- fact: It rains.\n- fix: An umbrella.") == "- fact: It rains.\n- fix: An umbrella."


def test_json_in_a_code_block_counts() -> None:
    assert written(f"Here it is:\n```json\n{json.dumps({'lines': [FACT]})}\n```") == "- fact: It rains.\n"
    assert answers.chosen('```json\n{"answer": "dog"}\n```', ["cat", "dog"]) == "dog"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"answer": "dog"}', "dog"),
        (" dog\n", "dog"),
        ('{"answer": "horse"}', None),
        ("[]", None),
        ('{"answer": 1}', None),
    ],
)
def test_only_a_label_is_chosen(text: str, label: str | None) -> None:
    assert answers.chosen(text, ["cat", "dog"]) == label


def test_schemas_keep_to_what_every_server_knows() -> None:
    schema = answers.lines_of(FORM)
    item = schema["properties"]["lines"]["items"]
    assert (item["required"], item["additionalProperties"]) == (["kind", "text"], False)
    assert answers.one_of(["a", "b"])["properties"]["answer"]["enum"] == ["a", "b"]
