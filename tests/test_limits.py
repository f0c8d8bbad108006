"""What is too much to look at. The second allows for a slow, busy machine; what it holds off took up to minutes."""

import time
from typing import Any

import pytest

from pi_memory.config import Config
from pi_memory.tagging.evidence import MOST_FILES, Scene, said_and_done, weights_of
from pi_memory.tagging.limits import ARGUMENTS, CALLS, TEXT, trimmed
from pi_memory.tagging.shell import words_of
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.types import Exchange, ToolCall

PATTERNS = load_patterns(Config().file("topics.toml"))


def exchange(*calls: ToolCall, user: str = "", reply: str = "") -> Exchange:
    return Exchange("s", user, reply, 0.0, tool_calls=calls)


def command(text: str) -> ToolCall:
    return ToolCall("bash", {"command": text})


def nested(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    [
        exchange(*[command("<<a " * 4_900)] * 48),
        exchange(*[command("x\n" + "<<a " * 4_900)] * 48),
        exchange(*[command("a.py " * 3_900)] * 48),
        exchange(*[command("a.py " * 150)] * 48),
        exchange(*[command(f"cat /a/b{i}/c.py") for i in range(8_000)]),
        exchange(user="a.py " * 100_000, reply=" ".join(f"/q/f{i}.py" for i in range(50_000))),
        exchange(ToolCall("x", {"a": [f"/q/f{i}.py" for i in range(50_000)]})),
    ],
)
def test_an_exchange_of_megabytes_is_tagged_soon(given: Exchange) -> None:
    began = time.process_time()
    less = trimmed(given)
    weights = weights_of(less)
    said_and_done(Scene(less, weights, {}, None, None), PATTERNS)
    assert time.process_time() - began < 1.0
    assert len(weights) <= MOST_FILES


@pytest.mark.parametrize("key", ["a", "command", "file_path"])
def test_arguments_too_deep_are_left_out(key: str) -> None:
    deep = exchange(ToolCall("x", {key: nested("/a/b.py", 900)}), command("cat /c/d.py"))
    assert list(weights_of(deep)) == list(weights_of(trimmed(deep))) == ["/c/d.py"]
    said_and_done(Scene(deep, weights_of(deep), {}, None, None), PATTERNS)
    assert list(weights_of(exchange(ToolCall("x", {key: nested("/a/b.py", 3)})))) in (["/a/b.py"], [])


def test_the_newest_calls_are_kept_and_contents_do_not_use_up_the_room() -> None:
    calls = [ToolCall("write", {"content": "x" * 2 * TEXT, "file_path": f"/a/f{i}.py"}) for i in range(2 * CALLS)]
    assert list(weights_of(trimmed(exchange(*calls)))) == [f"/a/f{i}.py" for i in range(CALLS, 2 * CALLS)]
    less = trimmed(exchange(*[command("y" * TEXT)] * 4))
    assert [len(call.arguments["command"]) for call in less.tool_calls] == [0, 0, ARGUMENTS - TEXT, TEXT]


def test_a_here_document_is_no_part_of_the_command() -> None:
    assert words_of("cat > /a/b.py <<'EOF'\nimport x.py\nEOF\ncat /c.py")[0] == [">", "/a/b.py", "/c.py"]
