"""Whatever is sent or found, it is read or refused. Each takes a second;
`FUZZ_SECONDS=600 .venv/bin/python -m pytest tests/test_fuzz.py` takes ten minutes.
"""

import contextlib
import json
import os
import string
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_memory.agents.history import Skipped, in_time_order
from pi_memory.agents.history_files import found
from pi_memory.focus_file.parse import parse
from pi_memory.focus_file.validate import UnreadableDocument
from pi_memory.model.chat_template import UnusableTemplate, learn
from tests.conftest import Client, Daemon

SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
TARGETS = 10
"""Tests of this file, with their parameters."""
EXAMPLES = 40

FOCUS = b"""# Recent Focus

## Active

- **garden/taps** (strength 0.92, 4 sessions, last 2026-05-17)
  - files: `src/taps.py`, `docs/taps.md`

## Notes

Mine.
"""
TEMPLATE = """{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% endif %}
{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim + '<|im_end|>' }}
{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""
LOG = b"""{"type":"user","sessionId":"s","timestamp":"2026-05-17T10:00:00Z","message":{"role":"user","content":"Hi"}}
{"type":"assistant","sessionId":"s","message":{"content":[{"type":"text","text":"Hello"},{"type":"tool_use","name":"x"}]}}
"""
EXPORT = b"""[{"id":"c","create_time":1.7e9,"current_node":"a","mapping":
{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hi"]}}}}},
{"uuid":"d","chat_messages":[{"sender":"human","text":"Hi","created_at":"2026-05-17"}]}]"""
TALK = b"""{"conversation_id": "c", "project": "p",
"messages": [{"role": "user", "content": "Hi", "at": 1.7e9, "ref": "r"}]}""".replace(b"\n", b" ")
OURS = b"""{"pi_memory": {"version": 1, "exported_at": 1.0}}
{"memory": {"id": 1, "content": "x", "namespace": "user"}}
"""

SAID: dict[str, Any] = {
    "model": "pi-memory",
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    "stream": False,
    "stop": ["x"],
    "max_tokens": 5,
    "temperature": 0.5,
    "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object", "properties": {}}}},
    "tools": [{"type": "function", "function": {"name": "x", "parameters": {}}}],
    "metadata": {"conversation_id": "c"},
    "input": "Hi",
    "instructions": "Be brief.",
}
CALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "recall", "arguments": {"query": "x", "k": 3}, "uri": "x", "_meta": {}},
}

odd = st.sampled_from(
    ["", "\0", "\ud800", "../x", "system", "<|im_start|>", "\u202e", "9" * 400, "-1", "NaN", "x" * 5000]
)
texts = st.one_of(odd, st.text(max_size=30))
numbers = st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.sampled_from([0, -1, 2**63, 1e308]))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
bytes_ = st.one_of(st.binary(max_size=20), st.sampled_from([b"\0", b"\xff\xfe", b"\r", b"[" * 2000, b'"', b"{" * 50]))
cuts = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), bytes_), max_size=6)


def changed(text: bytes, at: list[tuple[float, int, bytes]]) -> bytes:
    """`text` with some pieces replaced by others."""
    for place, length, piece in at:
        begin = int(place * len(text))
        text = text[:begin] + piece + text[begin + length :]
    return text


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a value of JSON, with a key of it."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@st.composite
def like(draw: st.DrawFn, valid: dict[str, Any]) -> bytes:
    """JSON like a valid request, with other values here and there."""
    made = json.loads(json.dumps(valid))
    for _ in range(draw(st.integers(0, 4))):
        container, key = draw(st.sampled_from(list(places(made))))
        container[key] = draw(values)
    sent = json.dumps(made).encode()
    return changed(sent, draw(cuts)) if draw(st.integers(0, 4)) == 0 else sent


def run(strategy: st.SearchStrategy[Any], target: Callable[[Any], None]) -> None:
    """Run `target` with examples, for as long as there is time."""
    ends = time.monotonic() + SECONDS / TARGETS
    checks = list(HealthCheck)
    many = settings(max_examples=1000 if SECONDS else EXAMPLES, database=None, suppress_health_check=checks)
    while True:
        many(given(strategy)(target))()
        if time.monotonic() >= ends:
            return


def test_any_focus_file_is_read_or_refused() -> None:
    def target(at: list[tuple[float, int, bytes]]) -> None:
        with contextlib.suppress(UnreadableDocument):
            parse(changed(FOCUS, at))

    run(cuts, target)


@pytest.mark.parametrize("name", ["log.jsonl", "conversations.json", "talk.md"])
def test_any_history_is_read_or_skipped(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    whole = {"log.jsonl": LOG, "conversations.json": EXPORT, "talk.md": b"User: Hi\n\nAssistant: Hello\n"}[name]

    def target(at: list[tuple[float, int, bytes]]) -> None:
        file.write_bytes(changed(whole, at))
        skipped = Skipped()
        list(in_time_order(found([tmp_path], skipped), advance=lambda _: None))

    run(cuts, target)


def test_any_import_is_taken_or_refused(daemon: Daemon) -> None:
    client = daemon()

    def target(given: tuple[bytes, list[tuple[float, int, bytes]]]) -> None:
        answer = client.post("/import?wait=0", content=changed(*given))
        assert answer.status_code < 500, answer.text

    run(st.tuples(st.sampled_from([TALK, OURS]), cuts), target)


def test_any_template_is_learned_or_refused() -> None:
    some = [b"{{", b"%}", b"{% for x in messages %}", b"(" * 500, b"{{ 'x' * 9999999999999 }}", b"{{ [][9] }}"]
    printable = st.text(string.printable, max_size=12).map(str.encode)
    pieces = st.one_of(printable, st.sampled_from(some))
    now = datetime(2026, 2, 3, tzinfo=UTC)

    def target(at: list[tuple[float, int, bytes]]) -> None:
        source = changed(TEMPLATE.encode(), at).decode(errors="replace")
        with contextlib.suppress(UnusableTemplate):
            learn(source, bos="<s>", eos="</s>", now=now)

    run(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20), pieces), max_size=4), target)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"])
def test_v1_answers_whatever_is_sent_in_its_own_form(daemon: Daemon, path: str) -> None:
    sends(daemon(), path, SAID, "error")


def test_mcp_answers_whatever_is_sent_in_its_own_form(daemon: Daemon) -> None:
    sends(daemon(), "/mcp", CALL, "error")


def sends(client: Client, path: str, valid: dict[str, Any], field: str) -> None:
    def target(sent: bytes) -> None:
        answer = client.post(path, content=sent)
        assert answer.status_code < 500 or answer.status_code == 503, (answer.status_code, answer.text)
        assert answer.status_code < 400 or field in answer.json(), answer.text

    run(like(valid), target)
