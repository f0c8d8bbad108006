"""What may become a memory: texts that are there, of bearable length, of a known kind."""

from typing import Any

import pytest
from msgspec.structs import replace

from pi_memory.errors import RequestError, TooLarge
from pi_memory.memories.validation import LONGEST, MOST_TOPICS, checked
from pi_memory.types import Candidate

GOOD = Candidate("The key is in the shed.")


def test_texts_are_stripped_and_the_namespace_has_one_form() -> None:
    fit = checked(Candidate("  The key. \n", namespace="Project/Shop/", quote=" key ", topics=(" a ", "a", " ")))
    assert fit == Candidate("The key.", namespace="project/shop", quote="key", topics=("a",))
    assert checked(fit) == fit


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"content": " ... "}, "content: empty"),
        ({"content": "a\x00b"}, "content: has control characters"),
        ({"quote": "half \ud800 of one"}, "quote: has control characters"),
        ({"type": "rumour"}, "type: unknown"),
        ({"priority": "urgent"}, "priority: unknown"),
        ({"namespace": "nowhere/x"}, "namespace: "),
    ],
)
def test_what_cannot_be_one_is_refused_by_its_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        checked(replace(GOOD, **change))


@pytest.mark.parametrize(
    "change",
    [
        {"content": "x" * (LONGEST + 1)},
        {"quote": "x" * (LONGEST + 1)},
        {"topics": tuple(map(str, range(MOST_TOPICS + 1)))},
    ],
)
def test_what_is_too_long_is_too_large(change: dict[str, Any]) -> None:
    with pytest.raises(TooLarge):
        checked(replace(GOOD, **change))
