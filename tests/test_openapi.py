"""`/openapi.json` describes what is answered."""

from typing import Any

import pytest

from pi_memory.app import every_endpoint
from pi_memory.http.openapi import document

PATHS: dict[str, Any] = document(every_endpoint())["paths"]


@pytest.mark.parametrize("path", ["/activity", "/history"])
def test_work_that_goes_on_after_the_answer_is_202(path: str) -> None:
    good = {status for status in PATHS[path]["post"]["responses"] if status < "300"}
    assert good == {"200", "202"}


def test_a_chat_answers_in_three_ways() -> None:
    content = PATHS["/chat"]["post"]["responses"]["200"]["content"]
    assert set(content) == {"application/json", "text/plain", "text/event-stream"}


def test_a_body_is_required_where_a_field_is() -> None:
    required = {path: PATHS[path]["post"]["requestBody"]["required"] for path in ("/chat", "/session", "/memories")}
    assert required == {"/chat": True, "/session": False, "/memories": True}
    assert not PATHS["/focus/{topic}"]["put"]["requestBody"]["required"]


def test_nothing_is_said_where_there_is_no_content() -> None:
    assert "content" not in PATHS["/memories/{id}"]["delete"]["responses"]["204"]


def test_mcp_accepts_without_a_word_and_refuses_in_its_own_form() -> None:
    responses = PATHS["/mcp"]["post"]["responses"]
    assert "content" not in responses["202"]
    refused = responses["400"]["content"]["application/json"]["schema"]["anyOf"]
    assert [form["$ref"].rpartition("/")[2] for form in refused] == ["McpAnswer", "McpFailure"]


def test_a_search_answers_with_results_or_with_groups_of_them() -> None:
    content = PATHS["/memories/search"]["get"]["responses"]["200"]["content"]["application/json"]
    assert len(content["schema"]["anyOf"]) == 2


def test_events_have_no_schema_of_a_text() -> None:
    assert PATHS["/live"]["get"]["responses"]["200"]["content"] == {"text/event-stream": {"schema": {}}}
