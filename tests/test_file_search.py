"""Known files are named when a file is asked for, and only then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.topics.file_search import MOST, files_asked_for, told
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
    ("message", "files"),
    [
        ("Which file has the invoice rounding?", (INVOICE,)),
        ("which file was it where we round the invoices", (INVOICE,)),
        ("open the parser", (PARSER,)),
        ("Could you please open up the parser in the editor?", (PARSER,)),
        ("Thanks! Now show me the lexer.", (LEXER,)),
        ("open parser.rs", (PARSER,)),
        ("Where are the tax rates defined?", (TAX,)),
        ("where's the parser?", (PARSER,)),
        ("what was the path of the file with the tax rates", (TAX,)),
        ("In which file do we parse things?", (PARSER,)),
        ("Let's look at the irrigation plan.", (PLAN,)),
        ("find the file for the valves", (VALVES,)),
        ("Which files belong to the compiler?", (LEXER, PARSER)),
    ],
)
def test_files_that_are_asked_for_are_named(message: str, files: tuple[str, ...]) -> None:
    assert files_asked_for(message, TOPICS) == files


@pytest.mark.parametrize(
    "message",
    [
        "Why does the parser fail on empty input?",
        "I fixed the invoice rounding.",
        "Open an issue about the parser, please",
        "Where is my cat?",
        "Where did we leave off with the invoices?",
        "Show me how to write a parser",
        "Find the bug in the parser",
        "What does the invoice look like?",
        "let's open the window",
        "read on",
        "Which one do you prefer?",
        "which file has the database schema?",
        "What is the weather in Paris",
        "which file is in my home folder?",
        "thanks",
        "",
    ],
)
def test_nothing_is_named_when_no_known_file_was_asked_for(message: str) -> None:
    assert files_asked_for(message, TOPICS) == ()


def test_the_best_come_first_and_not_too_many() -> None:
    many = Topic("tests", 0.0, 1.0, tuple(f"/t/test_{n}.py" for n in range(30)))
    assert files_asked_for("which files have the tests?", [many]) == tuple(f"/t/test_{n}.py" for n in range(29, 24, -1))
    assert len(files_asked_for("which files have the tests?", [many])) == MOST


def test_the_line_for_the_model() -> None:
    assert told((PARSER, "/a\n`b")) == f"(Files they have worked on: {PARSER}, /ab)"
    assert told(()) == ""
    assert told((PARSER, "/a/" + "b" * 400)) == told((PARSER,))


@given(st.text(max_size=600))
def test_any_message_is_read(message: str) -> None:
    assert set(files_asked_for(message, TOPICS)) <= {INVOICE, TAX, PARSER, LEXER, VALVES, PLAN}
