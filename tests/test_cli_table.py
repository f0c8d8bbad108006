"""Lists, wrapped text, ids and hints, as the commands print them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.cli.client import OF_HTTP, of_commands
from pi_memory.cli.options import MEMORY, MEMORY_OR_EXCHANGE, Id
from pi_memory.cli.table import columns, lines
from pi_memory.cli.wrap import Wrapped

SOURCE = Path(__file__).parents[1] / "pi_memory"
ROWS = [["id", "since", "content"], ["m1", "2026-02-22", "The pump needs a new seal"]]


def wrapped(*pieces: str, width: int) -> str:
    written: list[str] = []
    out = Wrapped(written.append, width)
    for piece in pieces:
        out.add(piece)
    out.end()
    return "".join(written)


def test_a_wide_terminal_shows_everything() -> None:
    assert lines(ROWS, 80) == ["id  since       content", "m1  2026-02-22  The pump needs a new seal"]


def test_other_columns_go_before_the_content() -> None:
    assert lines(ROWS, 30) == ["id  content", "m1  The pump needs a new seal"]
    assert lines(ROWS, 12) == ["content", "The pump ne…"]


@given(st.lists(st.tuples(st.text("ab日 ́"), st.text("ab日 ́", max_size=90)), min_size=1), st.integers(4, 100))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str]], width: int) -> None:
    assert max(map(columns, lines(rows, width))) <= width


def test_words_are_wrapped_as_they_arrive() -> None:
    assert wrapped("The pu", "mp needs", " a new seal", width=12) == "The pump\nneeds a new\nseal\n"


def test_lines_and_indentation_stay() -> None:
    assert wrapped("def f():\n    return 1\n\nend", width=40) == "def f():\n    return 1\n\nend\n"


def test_a_word_that_is_too_long_is_left_to_the_terminal() -> None:
    assert wrapped("see http://example.org/a/long/path now", width=10) == "see\nhttp://example.org/a/long/path\nnow\n"


def test_wide_characters_break_anywhere() -> None:
    assert wrapped("日本語日本語", width=6) == "日本語\n日本語\n"


@pytest.mark.parametrize(("text", "meant"), [("12", "m12"), ("m12", "m12"), ("M12", "m12"), ("e3", "e3")])
def test_an_id_says_what_it_is_of(text: str, meant: str) -> None:
    assert str(MEMORY_OR_EXCHANGE.convert(text, None, None)) == meant


@pytest.mark.parametrize("text", ["e3", "x", "", "m", "0", "m0", "-1", "9" * 30])
def test_what_is_no_id_of_a_memory_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="such as m12"):
        MEMORY.convert(text, None, None)


def test_ids_lead_to_what_they_name() -> None:
    assert (Id("memory", 1).path, Id("exchange", 2).path) == ("/memories/1", "/exchanges/2")


def test_hints_name_commands() -> None:
    assert of_commands("GET /focus?all=1 lists them.") == "`pi-memory focus --all` lists them."
    assert of_commands("It may have expired; POST /chat begins a new one.").endswith(
        "`pi-memory chat` begins a new one."
    )
    assert of_commands("Stop the other one.") == "Stop the other one."


def test_no_hint_of_the_daemon_speaks_of_http_here() -> None:
    found = list(hints())
    assert sum(any(sign in hint for sign in OF_HTTP) for hint in found) > 5
    assert [hint for hint in map(of_commands, found) if re.search(r"(GET|POST|PUT) /|openapi|\?\w+=", hint)] == []


def hints() -> Iterator[str]:
    """Every hint of the source that is written out."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint" and isinstance(node.value, ast.Constant):
                yield str(node.value.value)
