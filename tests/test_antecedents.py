"""Whom and what a sentence refers to that does not say it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        (
            ["Bix's coach is Ola.", "The rink shuts at ten. They ring a bell before."],
            ["The rink shuts at ten.", "The rink shuts at ten. They ring a bell before."],
        ),
        (
            ["Bix spends June at the farm.", "The goat only likes the hill path, so we go there and back."],
            ["The goat only likes the hill path, so we go there and back."],
        ),
        (
            ["The lad has my saw.", "Ola builds all our boats. She has been here for six years."],
            ["Ola builds all our boats.", "Ola builds all our boats. She has been here for six years."],
        ),
        (
            ["The old organ had no breath left, so we bought one. It's a Walcker.", "It wants oil in spring."],
            ["The old organ had no breath left, so we bought one. It's a Walcker. It wants oil in spring."],
        ),
        (
            ["We have two kilns. The first takes two hours. The second one's in the barn."],
            [
                "We have two kilns.",
                "We have two kilns. The first takes two hours.",
                "We have two kilns. The first takes two hours. The second one's in the barn.",
            ],
        ),
        (["My sister Ola has a loom.", "He naps at one."], ["He naps at one."]),
        (
            ["My uncle Bix fishes.", "My sister Ola has a loom.", "He naps at one."],
            ["My uncle Bix fishes. He naps at one."],
        ),
        (["The bread goes in the crock.", "He naps at one."], ["He naps at one."]),
        (
            ["The mill is Ostrow and Sons.", "They close on Tuesdays."],
            ["The mill is Ostrow and Sons. They close on Tuesdays."],
        ),
        (["Bix rows in the mill race.", "They gave me locker 46."], ["They gave me locker 46."]),
        (["Bix rows on Fridays.", "once they give me a knee I ski again"], ["once they give me a knee I ski again"]),
        (["Bix rows on Fridays.", "Their van is in for repair."], ["Their van is in for repair."]),
        (["Bix rows on Fridays.", "That Skoda outside is half ours."], ["That Skoda outside is half ours."]),
        (["Bix drives a Skoda.", "That Skoda is half ours."], ["Bix drives a Skoda. That Skoda is half ours."]),
        (["Bix rows on Fridays.", "Well that's my feet up till noon."], ["Well that's my feet up till noon."]),
        (["Bix is a goat.", "On Sundays I row with Ola, she steers."], ["On Sundays I row with Ola, she steers."]),
        (["Bix is a goat.", "With Ola, she has to steer."], ["With Ola, she has to steer."]),
        (["Bix is a goat.", "It's Dr Orr I see about my hip."], ["It's Dr Orr I see about my hip."]),
        (
            ["Bix is a goat.", "You'd never find it, but the key is in the pot."],
            ["You'd never find it, but the key is in the pot."],
        ),
    ],
)
def test_a_sentence_is_completed_by_what_it_refers_to(messages: Sequence[str], says: list[str]) -> None:
    assert completed(*messages) == says


@given(st.lists(st.sampled_from(["Our goat is Bix.", "He eats.", "It leaks!", "They", "I pick her up.", "...", "Bo?"])))
def test_any_message_is_completed_and_ends_with_its_own_words(parts: list[str]) -> None:
    said = sentences(" ".join(parts))
    antecedents = Antecedents(WORTH)
    for sentence in said:
        assert antecedents.complete(sentence, said, "talk").rstrip(".!?").endswith(sentence.text.rstrip(".!?"))
    antecedents.remember("talk", said)


def test_a_long_message_that_goes_on_and_on_is_read_once() -> None:
    class Counts(Worth):
        looks = 0

        def refers_back(self, sentence: str) -> bool:
            Counts.looks += 1
            return super().refers_back(sentence)

    antecedents = Antecedents(Counts(Config().folder("heads")))
    said = sentences("Our goat is called Bix. " + " ".join(f"It ate bucket {number}." for number in range(40)))
    for sentence in said:
        antecedents.complete(sentence, said, "talk")
    assert Counts.looks <= 2 * len(said)


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


def test_neither_a_refusal_nor_a_rule_of_a_place_is_what_is_meant() -> None:
    assert completed("Ada does the books.", "Wrong, it's 4-1-7.", "She comes on Mondays.") == [
        "Ada does the books. She comes on Mondays."
    ]
    rule = "Shop rule: nobody welds without a second one there."
    assert completed("I take my coffee black.", rule) == [rule]


def test_a_question_that_is_gone_on_from_stays_one() -> None:
    assert completed("what does Ada drink", "She's off red, likes white now.") == [
        "what does Ada drink? She's off red, likes white now."
    ]


def test_of_a_list_only_whom_it_is_of_is_meant() -> None:
    pills = "Ada's pills: iron twice a day with food, salt in the morning, drops at bedtime."
    assert completed(pills, "She can't have grapefruit.") == ["Ada's pills. She can't have grapefruit."]
