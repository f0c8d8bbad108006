"""What does not hold any more is not recalled as if it did."""

from pi_memory.retrieval.ended import standing, unsaid, without


def test_a_message_is_shown_without_the_sentence_that_was_replaced() -> None:
    assert without("Hello. The key is in the shed. Bins go out on Monday.", ["The key is in the shed."]) == (
        "Hello. Bins go out on Monday."
    )
    assert without("The key is in the shed.", ["The key is in the shed."]) == ""
    assert without("As it  was.", []) == "As it  was."


def test_a_reply_is_shown_without_the_sentence_that_said_what_is_over() -> None:
    reply = "Your key is in the shed.\nAlso: the bins go out on Monday."
    assert unsaid(reply, ["The key is in the shed."]) == "Also: the bins go out on Monday."
    assert unsaid(reply, ["The ladder is in the shed."]) == reply


def test_a_correction_is_told_without_what_it_says_to_be_over() -> None:
    corrected = ["I work at Weller's bakery."]
    assert standing("I quit the bakery. I work at the library.", corrected) == "I work at the library."
    assert standing("I quit the bakery.", corrected) == "I quit the bakery."
    assert standing("The blog runs on Astro instead of Hugo.", ["The blog runs on Hugo."]) == "The blog runs on Astro"
    assert standing("It is Thursday, not Tuesday.", ["It is Tuesday."]) == "It is Thursday"
    assert standing("As it was, not as it is.", []) == "As it was, not as it is."
