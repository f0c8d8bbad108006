"""Reading history: files piece by piece, in the order of time, whatever stands in them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.agents import chat_exports, transcript
from pi_memory.agents.history import Advance, Exchange, Skipped, Source, in_time_order, unix
from pi_memory.agents.history_files import found
from pi_memory.agents.json_lines import elements, json_lines, piece
from tests.logs import entry, said

values = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def exchange(at: float | None, text: str = "x") -> Exchange:
    return {"session_id": "s", "project": None, "lines": [{"role": "user", "at": at, "text": text}]}


@given(st.lists(values, max_size=5), st.booleans(), st.sampled_from([8, 9, 1 << 20]))
def test_the_elements_of_an_array_are_found_with_their_places(
    tmp_path_factory: pytest.TempPathFactory, written: list[Any], ascii_only: bool, chunk: int
) -> None:
    path = tmp_path_factory.mktemp("array") / "a.json"
    path.write_text("\ufeff" + json.dumps(written, ensure_ascii=ascii_only, indent=1))
    skipped = Skipped()
    read = list(elements(path, skipped, chunk=chunk))
    assert [value for _, _, value in read] == written
    assert [piece(path, offset, length) for offset, length, _ in read] == written
    assert not skipped.count


def test_an_element_that_is_not_utf_8_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    path, skipped = tmp_path / "a.json", Skipped()
    path.write_bytes(b'["\x80", "ok"]')
    assert [value for _, _, value in elements(path, skipped)] == ["ok"]
    assert skipped.count == 1


def test_a_conversation_alone_is_one_too(tmp_path: Path) -> None:
    path, skipped = tmp_path / "a.json", Skipped()
    path.write_text("\ufeff" + json.dumps({"id": "c", "messages": ["é"]}, indent=1))
    ((offset, length, value),) = elements(path, skipped)
    assert piece(path, offset, length) == value == {"id": "c", "messages": ["é"]}
    path.write_text('{"cut": ')
    assert not list(elements(path, skipped))
    assert skipped.count == 1


@given(st.binary(max_size=200))
def test_whatever_bytes_a_file_has_it_is_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("a.json", "a.jsonl", "a.md"):
        (folder / name).write_bytes(content)
    for source in found([folder], Skipped()):
        list(source.read(lambda read: None))


@given(values)
def test_whatever_a_conversation_is_it_is_read(value: Any) -> None:
    for shape in ({"messages": value}, {"mapping": value}, {"mapping": {"a": value, "b": {"parent": "a"}}}):
        assert list(chat_exports.exchanges({"id": "c", **shape})) is not None


def test_lines_have_their_places(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\nnope\n{"b": "é"}')
    skipped = Skipped()
    read: list[int] = []
    there = list(json_lines(path, skipped, advance=read.append))
    assert [piece(path, offset, length) for offset, length, _ in there] == [{"a": 1}, {"b": "é"}]
    assert (skipped.count, sum(read)) == (1, path.stat().st_size)


@given(st.lists(st.lists(st.floats(1, 1e9), min_size=1, max_size=5)))
def test_sources_are_reported_in_the_order_of_time_and_each_in_its_own(times: list[list[float]]) -> None:
    opened: list[int] = []

    def source(number: int, at: list[float]) -> Source:
        def read(advance: Advance) -> Iterator[Exchange]:
            opened.append(number)
            yield from (exchange(when, str(number)) for when in at)

        return Source(Path(str(number)), at[0], 1, read)

    sources = [source(number, sorted(at)) for number, at in enumerate(times)]
    result = list(in_time_order(sources, advance=lambda read: None))
    assert [past.at for past in result] == sorted(when for at in times for when in at)
    assert sum(past.is_last for past in result) == len(times)
    begun = [sorted(times[number])[0] for number in opened]
    assert begun == sorted(begun)


def test_one_without_a_time_has_that_of_the_one_before() -> None:
    source = Source(Path("x"), 50.0, 1, lambda advance: iter([exchange(None), exchange(70.0), exchange(None)]))
    assert [past.at for past in in_time_order([source], advance=lambda read: None)] == [50.0, 70.0, 70.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User: a\nb\nAssistant: c", [("user", "a\nb"), ("assistant", "c")]),
        ("**Human:** a\n\n**Claude:** c\n", [("user", "a"), ("assistant", "c")]),
        ("## You\n\na\n\n## ChatGPT\n\nc", [("user", "a"), ("assistant", "c")]),
        ("You said:\na\nChatGPT said:\nc", [("user", "a"), ("assistant", "c")]),
        ("Human beings are odd.\nUser\nMe and you: no", []),
        ("preface\nAI: hello", [("assistant", "hello")]),
        ("User: look\n```\nAssistant: in code\n```\n", [("user", "look\n```\nAssistant: in code\n```")]),
    ],
)
def test_who_speaks_in_a_transcript(text: str, expected: list[tuple[str, str]]) -> None:
    found = transcript.exchanges(text.splitlines(keepends=True), name="t")
    assert [(line["role"], line["text"]) for exchange in found for line in exchange["lines"]] == expected


def test_a_transcript_may_have_dates() -> None:
    (found,) = transcript.exchanges(["User (2025-01-02 10:00): a\n", "AI [2025-01-02T10:01:00Z]: b\n"], name="t")
    assert [line["at"] for line in found["lines"]] == [1_735_812_000.0, 1_735_812_060.0]


def test_of_a_file_that_is_named_twice_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(entry("user", said("hello"), 1))
    (tmp_path / "link.jsonl").symlink_to(path)
    assert len(found([path, tmp_path, path], Skipped())) == 1


@pytest.mark.parametrize("value", ["yesterday", -1, float("nan"), float("inf"), 1e99, None, True, [], "0001-01-01"])
def test_what_is_no_time_is_none(value: object) -> None:
    assert unix(value) in (None, 1.0)


def test_what_cannot_be_read_holds_up_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(entry("user", said("hello"), 1))
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    skipped = Skipped()
    assert len(found([tmp_path], skipped)) == 1
    assert skipped.count == 3
