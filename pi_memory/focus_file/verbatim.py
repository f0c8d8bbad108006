"""Where the focus file holds code, comments and underlined headings: the user's, whatever a line looks like. Pure."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

FENCE = re.compile(r"\s*(`{3,}|~{3,})")
COMMENT, COMMENT_END = "<!--", "-->"
UNDERLINE = re.compile(r"={3,}|-{3,}")
NO_TEXT = re.compile(r"[ \t>#]|(?:[-*+•–]|[0-9]{1,3}[.)])\s|\w+:")
"""How a line begins that is no text: it has a meaning of its own."""


def blocks(lines: Sequence[str], is_topic: Callable[[str], bool]) -> dict[int, int]:
    """The numbers of the lines in code and in comments, with the number of the line that their block begins with.

    A block that has no end is none, nor is code with a topic in it: somebody has begun to write.
    """
    found: dict[int, int] = {}
    for number in range(len(lines)):
        if number not in found and (end := _end(lines, number, is_topic)) is not None:
            found |= dict.fromkeys(range(number, end + 1), number)
    return found


def _end(lines: Sequence[str], number: int, is_topic: Callable[[str], bool]) -> int | None:
    line, rest = lines[number], range(number + 1, len(lines))
    if line.lstrip().startswith(COMMENT) and COMMENT_END not in line:
        return next((at for at in rest if COMMENT_END in lines[at]), None)
    if fence := FENCE.match(line):
        end = next((at for at in rest if lines[at].strip() == fence[1]), None)
        return None if end is None or any(is_topic(lines[at]) for at in range(number, end)) else end
    return None


def headings(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines that are headings because the next one underlines them."""
    pairs = enumerate(pairwise(lines))
    return {number for number, (line, below) in pairs if UNDERLINE.fullmatch(below) and _is_text(line)}


def _is_text(line: str) -> bool:
    return line != "" and not NO_TEXT.match(line) and not UNDERLINE.fullmatch(line)
