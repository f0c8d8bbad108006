"""Which sentence answers, and whether any does."""

from typing import Any

from pi_memory.retrieval import reranking
from pi_memory.text.intent import intent
from pi_memory.types import Recalled


def said(content: str, *, cosine: float, words: float = 0.0, **fields: Any) -> Recalled:
    known: dict[str, Any] = {"kind": "exchange", "role": "user", "source": "chat", "strength": 1.0, **fields}
    return Recalled(id=1, content=content, score=1, similarity=1, boost=0, cosine=cosine, words=words, at=0.0, **known)


def told(question: str, *found: Recalled, **nearness: float) -> list[str]:
    judged = reranking.judged(question, found, {text.replace("_", " "): near for text, near in nearness.items()})
    return [each.content for each in reranking.answers(question, intent(question), judged)]


def test_meaning_outweighs_shared_words() -> None:
    near, alike = said("The stopcock is under the sink", cosine=0.6), said("The water was cold", cosine=0.2, words=0.6)
    assert told("Where can I shut the water off?", alike, near)[0] == near.content


def test_a_question_about_the_users_world_needs_less() -> None:
    found = said("Rivet sleeps in the offcut bin", cosine=0.3)
    assert told("Where does my dog sleep?", found)
    assert not told("Where do whales sleep?", found)
    assert not told("What's the difference between my dog and a wolf?", found)


def test_what_has_the_kind_of_answer_that_is_asked_for_comes_first() -> None:
    when, what = said("The test is on Monday", cosine=0.5), said("The test is hard", cosine=0.52)
    assert told("When is my test?", what, when)[0] == when.content


def test_a_faded_memory_comes_after_a_fresh_one_but_is_found() -> None:
    old, new = (said("It is a cat", cosine=0.5, strength=strength) for strength in (0.1, 1.0))
    judged = reranking.judged("Which pet do I have?", [old, new], {})
    assert [each.found.strength for each in judged] == [1.0, 0.1]


def test_a_cry_and_a_question_are_no_parts_that_answer() -> None:
    assert reranking.parts_of("Pipe's burst! Where is the tap? It is red.") == ("It is red.",)


def test_of_a_long_message_the_sentence_that_answers_is_told() -> None:
    long = "We talked about many things that evening, as one does on such long evenings in the autumn."
    text = f"{long} {long} Her cat is called Miso."
    judged = reranking.judged("What is the cat called?", [said(text, cosine=0.3)], {"Her cat is called Miso.": 0.9})
    assert reranking.answers("What is her cat called?", intent("What is her cat called?"), judged)[0].content.endswith(
        f"{long} Her cat is called Miso."
    )


def test_what_people_wrote_to_each_other_is_no_statement() -> None:
    assert reranking.is_statement(said("I moved", cosine=1))
    assert not reranking.is_statement(said("I moved", cosine=1, source="import"))
    assert not reranking.is_statement(said("I moved", cosine=1, role="assistant"))
