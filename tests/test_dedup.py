"""Known, refined, contradicted, or new: decided by rules, and in doubt added."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.knowledge.dedup import Neighbour, decide
from pi_memory.turn import Candidate, Memory

CASES = [
    # Known.
    ("The user prefers tea.", "the user prefers TEA", "noop"),
    ("The user has a dog called Rex.", "The user has a dog.", "noop"),
    # Refined.
    ("The user has a dog.", "The user has a dog called Rex.", "update"),
    ("The backup runs at night.", "The backup runs at night on the NAS.", "update"),
    # Contradicted.
    ("The API listens on port 8080.", "The API listens on port 8081.", "delete"),
    ("The user's favourite colour is blue.", "The user's favourite colour is green.", "delete"),
    ("The user lives in Lyon.", "The user lives in Nantes.", "delete"),
    ("The meeting is on Monday.", "The meeting is on Tuesday.", "delete"),
    ("The user likes coriander.", "The user does not like coriander.", "delete"),
    ("The user likes coriander.", "The user hates coriander.", "delete"),
    ("The user does not eat meat.", "The user eats meat.", "delete"),
    ("The logs are in /var/log/a.", "The logs are in /srv/log/a.", "delete"),
    ("Call the user Bob.", "Call the user Robert.", "delete"),
    # New.
    ("The user likes tea.", "The user likes coffee.", "add"),
    ("Server 1 has 4 GB of memory.", "Server 2 has 4 GB of memory.", "add"),
    ("The user's sister is a nurse.", "The user's sister is Anna.", "add"),
    ("The staging API listens on port 8080.", "The production API listens on port 8081.", "add"),
    ("The user has two cats.", "The user plays the violin.", "add"),
    ("The user does not like Mondays.", "The user likes tea.", "add"),
]


def memory(content: str, *, number: int = 1, namespace: str = "user/facts") -> Memory:
    return Memory(number, content, "semantic", namespace, "medium", "api", 0.0, 0.0, 0.0, 0.0)


def decided(old: str, new: str, **fields: str) -> str:
    neighbour = Neighbour(memory(old))
    candidate = Candidate(new, namespace=fields.get("namespace", "user/facts"), priority="highest")
    return decide(candidate, [neighbour], related=0.5).action


@pytest.mark.parametrize(("old", "new", "action"), CASES)
def test_decisions(old: str, new: str, action: str) -> None:
    assert decided(old, new) == action


def test_a_correction_ends_what_says_the_wrong_value_and_takes_its_subject() -> None:
    neighbours = [Neighbour(memory("The server listens on port 8080.")), Neighbour(memory("Rex is a dog.", number=2))]
    candidate = Candidate("It is 8081, not 8080.", namespace="user/facts", priority="highest")
    decision = decide(candidate, neighbours, related=0.5)
    assert (decision.action, decision.id) == ("delete", 1)
    assert decision.content == "The server listens on port 8081."


def test_a_correction_with_a_subject_stands_for_itself() -> None:
    neighbours = [Neighbour(memory("The path is /a.")), Neighbour(memory("The tool is in /a too.", number=2))]
    candidate = Candidate("The path is /b, not /a.", namespace="user/facts", priority="highest")
    decision = decide(candidate, neighbours, related=0.5)
    assert (decision.action, decision.id, decision.content) == ("delete", 1, None)


def test_other_projects_are_left_alone() -> None:
    assert decided("The port is 80.", "The port is 81.", namespace="project/shop/facts") == "add"


def test_what_no_longer_holds_is_no_neighbour() -> None:
    over = Memory(1, "The user likes tea.", "semantic", "user", "low", "api", 0.0, 0.0, 0.0, 0.0, valid_to=1.0)
    candidate = Candidate("The user likes tea.", namespace="user")
    assert decide(candidate, [Neighbour(over)], related=0.5).action == "add"


def test_what_is_about_the_same_is_linked() -> None:
    neighbours = [Neighbour(memory("Ada walks her dog."), 0.6), Neighbour(memory("Snow fell.", number=2), 0.1)]
    candidate = Candidate("The puppy needs exercise.", namespace="user")
    assert decide(candidate, neighbours, related=0.5).linked == (1,)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_are_compared(old: str, new: str) -> None:
    decided(old, new)


@given(st.lists(st.sampled_from([case[0] for case in CASES]), max_size=8), st.sampled_from([c[1] for c in CASES]))
def test_only_a_neighbour_is_ever_closed(known: list[str], new: str) -> None:
    neighbours = [Neighbour(memory(text, number=number)) for number, text in enumerate(known, 1)]
    decision = decide(Candidate(new, namespace="user/facts"), neighbours, related=0.5)
    assert (decision.id is None) == (decision.action == "add")
    assert decision.id is None or decision.id <= len(known)
