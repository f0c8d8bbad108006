"""What does not hold any more is not recalled as if it did."""

import numpy as np

from pi_memory.retrieval.ended import newest, standing, unsaid, without
from pi_memory.types import Recalled, Vectors


def memory(number: int, content: str, similarity: float = 0.8) -> Recalled:
    return Recalled(
        id=number,
        kind="memory",
        content=content,
        score=similarity,
        similarity=similarity,
        strength=1.0,
        boost=0.0,
        cosine=0.5,
        words=0.5,
        at=float(number),
        namespace="user/facts",
    )


def vectors(**cosines: float) -> dict[int, Vectors]:
    """Unit vectors by id (`m1=0.9`), each with this cosine to the first axis."""
    return {int(name[1:]): np.array([cosine, (1 - cosine**2) ** 0.5], np.float32) for name, cosine in cosines.items()}


OLD, NEW = memory(1, "The key is in the shed."), memory(2, "The key is at Anna's.")


def test_a_message_is_shown_without_the_sentence_that_was_replaced() -> None:
    assert without("Hello. The key is in the shed. Bins go out on Monday.", ["The key is in the shed."]) == (
        "Hello. Bins go out on Monday."
    )
    assert without("The key is in the shed.", ["The key is in the shed."]) == ""
    assert without("As it  was.", []) == "As it  was."


def test_of_two_about_the_same_thing_the_newer_one_counts() -> None:
    assert newest([OLD, NEW], vectors(m1=1.0, m2=0.9), same=0.5) == [NEW]


def test_what_is_about_something_else_stays() -> None:
    assert newest([OLD, NEW], vectors(m1=1.0, m2=0.1), same=0.5) == [OLD, NEW]


def test_what_answers_much_worse_replaces_no_answer() -> None:
    worse = memory(2, "The key has a red tag.", similarity=0.4)
    assert newest([OLD, worse], vectors(m1=1.0, m2=0.9), same=0.5) == [OLD, worse]


def test_without_vectors_nothing_is_left_out() -> None:
    assert newest([OLD, NEW], {}, same=0.5) == [OLD, NEW]


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
