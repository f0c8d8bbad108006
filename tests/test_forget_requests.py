"""Which memories are meant by what is to be forgotten."""

import pytest
from msgspec.structs import replace

from pi_memory.learning import forget_requests
from pi_memory.learning.forget_requests import meant, numbers
from pi_memory.merging.dedup import Neighbour
from tests.test_dedup import memory

KNOWN = (
    "The user's phone number is 0123.",
    "The office phone number is 0999.",
    "The user lives in Lyon.",
    "The red bike has a flat tyre.",
    "The blue bike has new brakes.",
)
NEIGHBOURS = [Neighbour(memory(content, number=number)) for number, content in enumerate(KNOWN, 1)]


@pytest.mark.parametrize(
    ("what", "ids", "clear"),
    [
        ("The user's phone number.", [1, 2], True),
        ("The user lives in Lyon.", [3], True),
        ("Lyon", [3], True),
        ("the bike", [4, 5], False),
        ("the red bike", [4], True),
        ("the unicorn", [], False),
        ("it", [], False),
        ("", [], False),
    ],
)
def test_meant(what: str, ids: list[int], clear: bool) -> None:
    found, is_clear = meant(what, NEIGHBOURS, same=0.8)
    assert ([neighbour.memory.id for neighbour in found], is_clear) == (ids, clear)


def test_what_is_near_in_meaning_alone_is_asked_about() -> None:
    found, clear = meant("my home town", [Neighbour(memory("The user lives in Lyon."), 0.9)], same=0.8)
    assert (len(found), clear) == (1, False)


@pytest.mark.parametrize(
    ("what", "expected"),
    [("Memory 12.", [12]), ("#3 and 4", [3, 4]), ("1, 2", [1, 2]), ("the 3 cats", []), ("room 12", []), ("", [])],
)
def test_numbers(what: str, expected: list[int]) -> None:
    assert numbers(what) == expected


def test_what_no_longer_holds_is_not_meant() -> None:
    over = replace(memory("We keep bees, three hives."), valid_to=1.0)
    assert meant("We keep bees.", [Neighbour(over, 0.9)], same=0.8) == ([], False)


@pytest.mark.parametrize("message", ["yes", "Yes, please.", "ok, do it", "ja, bitte", "oui", "sí"])
def test_a_yes_forgets_what_was_asked_about(message: str) -> None:
    line = f"{forget_requests.IS_IT_THIS} “forget memory 12”:\n- memory 12: The code is 1."
    assert forget_requests.confirmed(message, [line]) == "memory 12"


@pytest.mark.parametrize("message", ["no", "yes, I moved", "maybe", "which one?"])
def test_what_is_no_yes_forgets_nothing(message: str) -> None:
    assert forget_requests.confirmed(message, [f"{forget_requests.IS_IT_THIS} “forget memory 12”:"]) == ""


def test_a_yes_to_nothing_forgets_nothing_and_to_one_of_several_asks_which() -> None:
    several = f"{forget_requests.IS_IT_ONE} “forget memory 12”, or another:"
    assert forget_requests.confirmed("yes", []) == ""
    assert forget_requests.confirmed("yes", [several]) == forget_requests.WHICH
    assert forget_requests.confirmed("memory 13", [several]) == ""
