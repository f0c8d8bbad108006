"""Agents' session logs: what was said and done is found, and nothing that others put in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.agents.claude_log import ARGUMENT, LINES, TEXT, exchanges, shortened
from tests.logs import SESSION, entry, result, said, used

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
keys = st.sampled_from(["type", "message", "uuid", "timestamp", "sessionId", "cwd", "isMeta"])
values = (
    json_values
    | st.sampled_from(["user", "assistant"])
    | st.dictionaries(
        st.sampled_from(["role", "content"]),
        json_values
        | st.lists(
            st.dictionaries(
                st.sampled_from(["type", "text", "name", "input"]), json_values | st.sampled_from(["text", "tool_use"])
            )
        ),
    )
)


def read(*lines: str) -> list[Any]:
    return list(exchanges(json.loads(line) for line in lines))


def test_an_exchange_goes_from_one_message_of_the_user_to_the_next() -> None:
    first, second = read(
        '{"type": "summary", "summary": "Pumps", "leafUuid": "line-9"}',
        entry("user", "Make the pump quieter", 1),
        entry("assistant", said("I will look."), 2),
        entry("assistant", used("Read", file_path="/home/me/garden/pump.py"), 3),
        entry("user", result("def pump(): ..."), 4),
        entry("assistant", said("Done."), 5),
        entry("user", said("Thanks"), 6),
    )
    assert (first["session_id"], first["project"]) == (SESSION, "/home/me/garden")
    assert [(line["ref"], line["role"], line["text"]) for line in first["lines"]] == [
        ("line-1", "user", "Make the pump quieter"),
        ("line-2", "assistant", "I will look."),
        ("line-3", "assistant", ""),
        ("line-5", "assistant", "Done."),
    ]
    assert first["lines"][2]["tool_calls"] == [{"name": "Read", "arguments": {"file_path": "/home/me/garden/pump.py"}}]
    assert first["lines"][0]["at"] == "2026-02-20T10:00:01.000Z"
    assert [line["text"] for line in second["lines"]] == ["Thanks"]


def test_the_project_is_the_folder_in_which_a_session_began() -> None:
    entries = [json.loads(entry("user", text, number)) for number, text in enumerate(["Look around", "And here?"])]
    entries[1]["cwd"] = "/home/me/garden/src/valves"
    assert [found["project"] for found in exchanges(entries)] == ["/home/me/garden", "/home/me/garden"]


@pytest.mark.parametrize("mark", ["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage"])
def test_what_neither_the_user_nor_the_agent_said_is_left_out(mark: str) -> None:
    assert read(entry("user", "This session is being continued", 1, **{mark: True})) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<command-name>/clear</command-name>\n<command-args></command-args>", None),
        ("<command-name>/review</command-name>\n<command-args>the pump</command-args>", "the pump"),
        ("<local-command-stdout>Compacted</local-command-stdout>", None),
        ("<bash-input>ls</bash-input>", None),
        ("[Request interrupted by user]", None),
        ("<system-reminder>Remember your todos.</system-reminder>\nGo on", "Go on"),
        ("<user-prompt-submit-hook>## Recent Focus\n- x</user-prompt-submit-hook>Go on", "Go on"),
        ("Use the <b>bold</b> tag", "Use the <b>bold</b> tag"),
    ],
)
def test_of_what_stands_in_the_users_message_only_their_words_count(text: str, left: str | None) -> None:
    found = read(entry("user", text, 1))
    assert [line["text"] for exchange in found for line in exchange["lines"]] == ([left] if left else [])


def test_a_long_exchange_goes_on_in_another() -> None:
    lines = [entry("assistant", said(f"Step {number}"), number) for number in range(1, 2 * LINES)]
    found = read(entry("user", "Do it all", 0), *lines)
    assert [len(exchange["lines"]) for exchange in found] == [LINES, LINES]
    assert [exchange["lines"][0]["role"] for exchange in found] == ["user", "assistant"]


def test_what_is_too_much_is_cut() -> None:
    edit = used("Edit", file_path="/a.py", new_string="x" * 10**6, deep=[[[[[[[["y"]]]]]]]], many=["z"] * 10**4)
    (exchange,) = read(entry("user", "u" * 10**6, 1), entry("assistant", edit, 2))
    assert len(exchange["lines"][0]["text"]) == TEXT
    arguments = exchange["lines"][1]["tool_calls"][0]["arguments"]
    assert arguments["file_path"] == "/a.py"
    assert len(arguments["new_string"]) == ARGUMENT
    assert len(arguments["many"]) == 100
    assert "y" not in json.dumps(arguments["deep"])


@given(st.lists(st.dictionaries(keys, values)))
def test_whatever_stands_in_a_log_it_is_read(entries: list[dict[str, Any]]) -> None:
    for exchange in exchanges(entries):
        assert exchange["lines"]
        json.dumps(exchange)


@given(json_values)
def test_a_short_argument_stays_as_it_is(value: object) -> None:
    assert shortened(shortened(value)) == shortened(value)
