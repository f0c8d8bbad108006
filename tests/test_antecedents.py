"""Whom and what a sentence refers to that does not say it."""

from collections.abc import Sequence

import pytest

from pi_memory.config import Config
from pi_memory.judges.antecedents import Antecedents
from pi_memory.judges.worth import Worth
from pi_memory.text.user_text import sentences

WORTH = Worth(Config().folder("heads"))


def completed(*messages: str) -> list[str]:
    """What each sentence of the last of some messages of a conversation says."""
    found: list[str] = []
    antecedents = Antecedents(WORTH)
    for message in messages:
        said = sentences(message)
        found = [antecedents.complete(sentence, said, "talk") for sentence in said]
        antecedents.remember("talk", said)
    return found


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        (["Our goat is called Bix.", "He eats the washing."], ["Our goat is called Bix. He eats the washing."]),
        (["Our goat is called Bix. I'm a potter, by the way.", "He is six."], ["Our goat is called Bix. He is six."]),
        (
            ["My aunt Ola sails. I have a kayak in the loft.", "It leaks.", "She lives in Ulm."],
            ["My aunt Ola sails. She lives in Ulm."],
        ),
        (["My aunt Ola sails. I have a kayak.", "It leaks."], ["I have a kayak. It leaks."]),
        (
            ["My niece Ida skates on Mondays. I fetch her afterwards at the rink.", "She eats no cheese."],
            ["My niece Ida skates on Mondays. She eats no cheese."],
        ),
        (
            ["Our goat is called Bix.", "He needs a pill at noon. I hide it in bread for him."],
            [
                "Our goat is called Bix. He needs a pill at noon.",
                "Our goat is called Bix. He needs a pill at noon. I hide it in bread for him.",
            ],
        ),
        (
            ["The geese came with the farm. The grey one is Bix.", "They sleep in the barn."],
            ["The geese came with the farm. They sleep in the barn."],
        ),
        (["The rink shuts at ten."], ["The rink shuts at ten."]),
    ],
)
def test_a_sentence_is_completed_by_what_it_refers_to(messages: Sequence[str], says: list[str]) -> None:
    assert completed(*messages) == says


def test_what_is_forgotten_completes_nothing() -> None:
    antecedents = Antecedents(WORTH)
    antecedents.remember("talk", sentences("Our goat is called Bix."))
    antecedents.let_go(lambda text: text.replace("Bix", ""))
    said = sentences("He eats the washing.")
    assert antecedents.complete(said[0], said, "talk") == "He eats the washing."


def test_each_conversation_has_its_own() -> None:
    antecedents = Antecedents(WORTH)
    antecedents.remember("one", sentences("Our goat is called Bix."))
    said = sentences("He eats the washing.")
    assert antecedents.complete(said[0], said, "other") == "He eats the washing."
