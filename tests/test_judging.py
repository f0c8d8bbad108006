"""How well a statement answers, by the best of its sentences."""

import numpy as np
from msgspec.structs import replace

from pi_memory.recall import excerpts, gate, judging
from pi_memory.text.intent import intent_of
from tests.statements import answered, found, judged, said


def test_meaning_outweighs_shared_words() -> None:
    near, alike = said("The stopcock is under the sink", cosine=0.6), said("The water was cold", cosine=0.2, words=0.6)
    assert answered("Where can I shut the water off?", alike, near)[0] == near.content


def test_what_was_said_beside_a_question_comes_second() -> None:
    why = said("The dog has to be given his pill. How do I get it into him?", cosine=0.65)
    told = said("He takes it in liver sausage", cosine=0.55)
    assert answered("How does the dog take his pill?", why, told)[0] == told.content
    requested = said("Can you write a card to Derek? He feeds the dog his pill", cosine=0.65)
    assert answered("Who feeds the dog?", requested, told)[0] != told.content


def test_what_has_the_kind_of_answer_that_is_asked_for_comes_first() -> None:
    when, what = said("The test is on Monday", cosine=0.5), said("The test is hard", cosine=0.52)
    assert answered("When is my test?", what, when)[0] == when.content


def test_a_faded_memory_comes_after_a_fresh_one_but_is_found() -> None:
    old, new = (said("It is a cat", cosine=0.5, strength=strength) for strength in (0.1, 1.0))
    judged = judging.judge("Which pet do I have?", [old, new], {})
    assert [each.found.strength for each in judged] == [1.0, 0.1]


def test_a_cry_and_a_question_are_no_parts_that_answer() -> None:
    assert judging.parts_of("Pipe's burst! Where is the tap? It is red.") == ("It is red.",)


def test_a_remark_of_a_moment_comes_behind_what_states_something() -> None:
    remark = said("I need to eat something", cosine=0.7, strength=0.0)
    told = said("The cat eats turkey from the tin", cosine=0.4)
    assert answered("What does the cat eat?", remark, told)[0] == told.content


def test_of_a_long_message_the_sentence_that_answers_is_answered() -> None:
    long = "We talked about many things that evening, as one does on such long evenings in the autumn."
    text = f"{long} {long} Her cat is called Miso."
    judged = judging.judge("What is the cat called?", [said(text, cosine=0.3)], {"Her cat is called Miso.": 0.9})
    (answer, *_) = gate.answers("What is her cat called?", intent_of("What is her cat called?"), judged, own=1.0)
    assert answer.content.endswith(f"{long} Her cat is called Miso.")


def test_an_answer_too_long_to_be_shown_with_what_is_before_it_is_shown_alone() -> None:
    before = f"The curtains can wait {'for another year ' * 8}as they have waited."
    answer = f"Nadira, who has the attic, drives a night train {'and is tired in the morning ' * 5}when we get up."
    judged = judging.judge(
        "Who works at night?", [said(f"{before} {answer}", cosine=0.3, kind="memory")], {answer: 0.9, before: 0.1}
    )
    assert len(f"{before} {answer}") > excerpts.LONG
    assert judged[0].shown == answer


def test_what_is_said_right_behind_the_sentence_that_answers_is_shown_with_it() -> None:
    sick = "The cat was sick on the stairs, of course on the one day on which they were clean."
    rest = "Tigger eats anything, it was a lily. I have rung the vets at the mill and they say to watch him for a day."
    judged = judging.judge("What is my cat called?", [said(f"{sick} {rest}", cosine=0.3)], {sick: 0.7})
    assert judged[0].shown == f"{sick} Tigger eats anything, it was a lily."


def test_what_goes_on_about_a_question_is_shown_with_it() -> None:
    mill, letter, rye = (
        "All our flour comes from them.",
        "How long does flour of Ostrow keep?",
        "Our flour comes from Bern.",
    )

    def shown(answer: str) -> str:
        text = f"{letter} {answer} Nobody else is open."
        return judging.judge("Who sells us flour?", [said(text, cosine=0.3)], {answer: 0.7})[0].shown

    assert shown(mill) == f"{letter} {mill}"
    assert letter not in shown(rye)


def test_a_word_alone_does_not_stand_for_its_message() -> None:
    boat = said("It is my own boat. Petrel. Nobody else rows her.", cosine=0.3)
    judged = judging.judge("What is the boat called?", [boat], {"Petrel.": 0.6, "It is my own boat.": 0.5})
    assert judged[0].sentences[judged[0].best] == "It is my own boat."
    assert "Petrel" in judged[0].shown


def test_what_people_wrote_to_each_other_is_no_statement() -> None:
    assert judging.is_told_by_user(said("I moved", cosine=1))
    assert not judging.is_told_by_user(said("I moved", cosine=1, source="import"))
    assert not judging.is_told_by_user(said("I moved", cosine=1, role="assistant"))


def test_what_the_question_tells_itself_is_no_answer() -> None:
    asked = "I am standing at the copier. What do I have to key in?"
    found = judged("I am standing at the copier.", "The user is standing at the copier.", "The copier wants 7046.")
    assert [each.found.content for each in judging.not_told_by(asked, found)] == ["The copier wants 7046."]


def test_what_answers_as_it_was_read_comes_first_and_what_was_not_read_stays_behind() -> None:
    first, second, third = judged("The server is in the cupboard", "The server is called walnut", "The pump is red")
    read = judging.reread([first, second, third], np.array([-7.0, 7.0], np.float32))
    assert [each.found.content for each in read] == [each.found.content for each in (second, first, third)]
    assert read == sorted(read, key=lambda each: -each.score)
    even = judging.reread([first, second], np.array([0.0, 0.0], np.float32))
    assert [each.found.content for each in even] == [each.found.content for each in (first, second)]


def test_what_is_left_out_as_it_is_over_still_says_what_the_rest_is_about() -> None:
    (left,) = judged("We use wood.")
    said = "We don't cook with gas any more, we use wood."
    assert judging.as_said(left) == "We use wood."
    assert judging.as_said(replace(left, found=replace(left.found, as_said=said))) == said
    assert judging.as_said(replace(left, found=replace(left.found, as_said=said * 20))) == "We use wood."


def test_a_text_counts_as_it_was_judged_better() -> None:
    (near,), (far,) = judged("Bosun fears fireworks."), judged("Bosun fears fireworks.")
    far = replace(far, score=0.1)
    assert judging.better_of([far], [near]) == judging.better_of([near], [far]) == [near]


def test_courtesy_is_no_part_that_answers() -> None:
    assert judging.parts_of("Good to know. Hello, I'm Anna. Now the car.") == ("I'm Anna.",)


def test_what_was_said_beside_something_nearer_counts_more() -> None:
    said = [
        replace(found(cosine, cosine=cosine), id=n, kind="exchange", role="user", content=f"It is {n}.")
        for n, cosine in [(1, 0.8), (2, 0.3), (9, 0.3)]
    ]
    scores = {each.found.id: each.score for each in judging.judge("Which is it?", said, {})}
    assert scores[1] > scores[2] > scores[9]


def test_a_question_in_a_memory_says_what_the_next_sentence_is_about() -> None:
    text = "How long do quinces keep? The user gets them from Bern."
    assert judging.parts_of(text, is_memory=True) == (text,)
    assert judging.parts_of(text) == ("The user gets them from Bern.",)


def test_what_stands_behind_a_question_is_judged_with_it_too() -> None:
    asked, said_behind = "How often is a clock oiled?", "Ours goes to Bern in March."
    text = f"{asked} {said_behind}"
    assert judging.behind_questions(text) == {said_behind: text}
    assert judging.behind_questions(f"{said_behind} {asked}") == {}
    (judged,) = judging.judge("Where is the clock oiled?", [said(text, cosine=0.1)], {})
    assert judging.as_said(judged) == text, "it is read with the question"
