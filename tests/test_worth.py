"""Which sentences are facts worth keeping, by signs alone: as it is without an embedder."""

import pytest

from pi_memory.config import Config
from pi_memory.judges.worth import Worth

WORTH = Worth(Config().folder("heads"))

FACTS = (
    "The ladder is in the cellar behind the boiler.",
    "Our plumber is called Tomasz Wrona and lives at number 14.",
    "The car is insured until 3 March.",
    "The spare key hangs in the shed, on the third hook from the door.",
)
OTHERS = (
    "thanks, that was quick!",
    "Could you make that a bit shorter?",
    "What would happen if we moved to Mars?",
    "haha obviously, brilliant",
)


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("other", OTHERS)
def test_a_fact_is_worth_more_than_a_remark(fact: str, other: str) -> None:
    chances = WORTH.chances([fact, other], None)
    assert chances[0] > 0.6 > 0.4 > chances[1]


@pytest.mark.parametrize(
    "text",
    [
        "It is in the shed.",
        "And he hates cheese.",
        "In there the switch is on the left.",
        "There are four of them in the shed.",
        "It took us a week to find it.",
        "If we need him again, he is in Ash Lane.",
        "If she is not in by four I ring Bo.",
        "The vet found that his heart is weak.",
    ],
)
def test_a_sentence_without_a_subject_of_its_own_refers_back(text: str) -> None:
    assert WORTH.refers_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "Italy won.",
        "The shed has no light.",
        "Theo is nine.",
        "They moved the bins to Monday.",
        "This year we ask 90 for the room.",
        "The vet found that our dog is deaf.",
        "There is a cart under the tarpaulin.",
        "It took us a week to find the key.",
        "If we need the joiner again, he is in Ash Lane.",
        "Bo has packed it in, the logs are from Kit now",
        "Ada called it a day at the mill",
    ],
)
def test_a_sentence_with_a_subject_does_not(text: str) -> None:
    assert not WORTH.refers_back(text)


def test_nothing_has_no_chances() -> None:
    assert WORTH.chances([], None).shape == (0,)
