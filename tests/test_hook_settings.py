"""Our hooks in an agent's settings: what others put there stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.agents.hook_settings import EVENTS, is_ours, undone, with_hooks, without_hooks
from pi_memory.errors import RequestError

OURS = "/opt/pi-memory/bin/pi-memory hook"

commands = st.sampled_from(["lint", "pi-memory hooked", "make 'it", "", OURS])
hook = st.fixed_dictionaries({"type": st.just("command")}, optional={"command": commands, "timeout": st.integers()})
group = st.fixed_dictionaries({"hooks": st.lists(hook, max_size=3)}, optional={"matcher": st.text(max_size=5)})
events = st.dictionaries(st.sampled_from([*EVENTS, "PreToolUse"]), st.lists(group, max_size=3))
settings = st.fixed_dictionaries({}, optional={"model": st.text(), "hooks": events, "env": st.just({"a": "é"})})


def all_commands(text: str) -> list[Any]:
    hooks = json.loads(text).get("hooks", {})
    return [hook.get("command") for groups in hooks.values() for group in groups for hook in group["hooks"]]


@given(settings)
def test_installing_twice_is_installing_once_and_keeps_what_is_there(before: dict[str, Any]) -> None:
    text = json.dumps(before)
    once = with_hooks(text, OURS)
    assert with_hooks(once, OURS) == once
    assert all_commands(once).count(OURS) == len(EVENTS)
    others = [command for command in all_commands(text) if not is_ours(command)]
    assert sorted(map(str, others)) == sorted(str(c) for c in all_commands(once) if not is_ours(c))
    assert {k: v for k, v in json.loads(once).items() if k != "hooks"} == {
        k: v for k, v in before.items() if k != "hooks"
    }


@given(settings)
def test_uninstalling_leaves_what_was_there_without_us(before: dict[str, Any]) -> None:
    once = with_hooks(json.dumps(before), OURS)
    after = without_hooks(once)
    assert all_commands(after) == [command for command in all_commands(once) if not is_ours(command)]
    assert without_hooks(after) == after
    assert {k: v for k, v in json.loads(after).items() if k != "hooks"} == {
        k: v for k, v in before.items() if k != "hooks"
    }


@given(settings, st.sampled_from(["", "not JSON"]))
def test_undoing_gives_the_text_back_unless_it_has_changed_since(before: dict[str, Any], other: str) -> None:
    text = without_hooks(json.dumps(before, indent=1, separators=(" ,", " :")))
    once = with_hooks(text, OURS)
    assert undone(once, OURS, text) == text
    assert undone(once, OURS, other) == undone(once, OURS, once) == without_hooks(once)


def test_an_older_installation_is_replaced() -> None:
    old = with_hooks("", "'/home/me/my venv/bin/pi-memory' hook")
    assert set(all_commands(with_hooks(old, OURS))) == {OURS}


def test_without_our_hooks_not_a_blank_changes() -> None:
    text = '{"a":1,   "hooks": {"Stop": []}}'
    assert without_hooks(text) == text


def test_the_indent_stays() -> None:
    assert with_hooks('{\n\t"a": 1\n}', OURS).startswith('{\n\t"a": 1,\n\t"hooks": {\n\t\t"SessionStart"')


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        '{"a": 1, "a": 2}',
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"hooks": {"Stop": [{"matcher": ""}]}}',
        '{"hooks": {"Stop": [{"hooks": ["make"]}]}}',
        "// mine\n{}",
        "[" * 100_000,
    ],
)
def test_what_is_malformed_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="left alone"):
        with_hooks(text, OURS)
    with pytest.raises(RequestError, match="left alone"):
        without_hooks(text)


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("pi-memory hook", True),
        ("/usr/bin/python3 -P -m pi_memory hook", True),
        ("pi-memory hook --install", False),
        ("cd x && pi-memory hook", False),
        ("'unbalanced", False),
        (None, False),
    ],
)
def test_only_what_we_wrote_is_ours(command: object, ours: bool) -> None:
    assert is_ours(command) is ours
