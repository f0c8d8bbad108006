"""How long others can make the log."""

import logging

from pi_memory.log_limit import MOST, LogLimit


def written(limit: LogLimit, count: int, *, line: int = 1, at: float = 0.0, level: int = logging.WARNING) -> list[str]:
    """What gets through of `count` lines that one place of the code writes at Unix time `at`."""
    found = []
    for number in range(count):
        record = logging.LogRecord("x", level, "server.py", line, "number %d", (number,), None)
        record.created = at
        if limit.filter(record):
            found.append(record.getMessage())
    return found


def test_lines_of_one_kind_are_bounded_and_the_last_one_says_so() -> None:
    found = written(LogLimit(), 10_000)
    assert len(found) == MOST
    assert found[0] == "number 0"
    assert found[-1] == f"number {MOST - 1} (more of these are left out until the minute is over)"


def test_other_lines_and_later_ones_are_written() -> None:
    limit = LogLimit()
    written(limit, 10_000)
    assert written(limit, 1, line=2) == ["number 0"]
    assert written(limit, 1, at=60.0) == ["number 0"]


def test_debugging_is_not_limited() -> None:
    assert len(written(LogLimit(), 1_000, level=logging.DEBUG)) == 1_000
