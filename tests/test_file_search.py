"""Known files are found by the words of their names and topics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.topics.file_search import files_about
from pi_memory.types import Topic

INVOICE, TAX = "/home/ada/shop/billing/invoice.py", "/home/ada/shop/billing/taxRates.py"
PARSER, LEXER = "/home/ada/lang/src/parser.rs", "/home/ada/lang/src/lexer.rs"
VALVES, PLAN = "/home/ada/garden/irrigation/valves.py", "/home/ada/garden/irrigation/plan.md"
TOPICS = [
    Topic("billing", 0.0, 3.0, (INVOICE, TAX), ("/home/ada/shop/billing/",)),
    Topic("compiler", 0.0, 2.0, (PARSER, LEXER), ("/home/ada/lang/src/",)),
    Topic("irrigation", 0.0, 1.0, (VALVES, PLAN), ("/home/ada/garden/irrigation/",)),
]


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("invoice rounding", (INVOICE,)),
        ("the parser", (PARSER,)),
        ("where we parse things", (PARSER,)),
        ("tax rates", (TAX,)),
        ("the irrigation plan", (PLAN,)),
        ("which files belong to the compiler?", (LEXER, PARSER)),
        ("database schema", ()),
        ("which file is it", ()),
        ("", ()),
    ],
)
def test_files_are_found_by_their_words(query: str, files: tuple[str, ...]) -> None:
    assert files_about(query, TOPICS, most=5) == files


def test_of_many_the_newest_are_found() -> None:
    many = Topic("tests", 0.0, 0.0, tuple(f"/t/test_{n}.py" for n in range(30)))
    assert files_about("the tests", [many], most=5) == tuple(f"/t/test_{n}.py" for n in range(29, 24, -1))


@given(st.text(max_size=600))
def test_whatever_is_asked_only_known_files_are_found(query: str) -> None:
    assert set(files_about(query, TOPICS, most=5)) <= {INVOICE, TAX, PARSER, LEXER, VALVES, PLAN}
