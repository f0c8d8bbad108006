"""When something is told with a message, and how much."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from pi_memory.retrieval import excerpts, gate
from pi_memory.retrieval.gate import MOST, asks_something, let_through
from pi_memory.text.intent import intent_of
from pi_memory.types import Recalled


def found(score: float, *, words: float = 0.0, cosine: float = 0.0) -> Recalled:
    return Recalled(
        id=1,
        kind="memory",
        content="",
        score=score,
        similarity=score,
        strength=1.0,
        boost=0.0,
        cosine=cosine,
        words=words,
        at=0.0,
    )


def test_courtesy_asks_nothing() -> None:
    for message in ("Good morning, thanks a lot!", "How is the day?", "What do I do?"):
        assert not asks_something(message, intent_of(message))
    for message in ("Good morning, where is the pump?", "What do I have to do tomorrow?", "When do I get up?"):
        assert asks_something(message, intent_of(message))


@pytest.mark.parametrize(
    ("words", "cosine", "by_meaning", "passes"),
    [
        (0.0, 0.7, True, True),
        (0.5, 0.3, True, True),
        (0.5, 0.1, True, False),
        (0.3, 0.5, True, False),
        (0.7, 0.0, False, True),
        (0.5, 0.0, False, False),
    ],
)
def test_what_bears_on_the_message_is_shown(words: float, cosine: float, by_meaning: bool, passes: bool) -> None:
    assert bool(let_through([found(1.0, words=words, cosine=cosine)], by_meaning=by_meaning)) is passes


def test_with_what_bears_on_it_comes_what_is_nearly_as_good() -> None:
    results = [found(1.0), found(0.8, words=1.0), found(0.5, words=1.0)]
    assert let_through(results, by_meaning=False) == results[:2]


def test_nothing_is_shown_for_the_sake_of_a_result_that_is_not() -> None:
    assert let_through([found(1.0), found(0.5, words=1.0)], by_meaning=False) == []


def test_the_more_is_shown_the_nearer_to_the_best_it_has_to_be() -> None:
    results = [found(1.0, words=1.0), *(found(0.8) for _ in range(30))]
    assert 1 < len(let_through(results, by_meaning=False)) < MOST
    assert len(let_through([found(1.0, words=1.0)] * 30, by_meaning=False)) == MOST


def test_of_nothing_nothing_is_shown() -> None:
    assert let_through([], by_meaning=True) == []


def said(content: str, *, cosine: float, words: float = 0.0, **fields: Any) -> Recalled:
    known: dict[str, Any] = {"kind": "exchange", "role": "user", "source": "chat", "strength": 1.0, **fields}
    return Recalled(id=1, content=content, score=1, similarity=1, boost=0, cosine=cosine, words=words, at=0.0, **known)


def answered(question: str, *found: Recalled, own: float = 0.9) -> list[str]:
    judged = gate.judge(question, found, {})
    return [each.content for each in gate.answers(question, intent_of(question), judged, own=own)]


def test_meaning_outweighs_shared_words() -> None:
    near, alike = said("The stopcock is under the sink", cosine=0.6), said("The water was cold", cosine=0.2, words=0.6)
    assert answered("Where can I shut the water off?", alike, near)[0] == near.content


def test_what_was_said_beside_a_question_comes_second() -> None:
    why = said("The dog has to be given his pill. How do I get it into him?", cosine=0.65)
    told = said("He takes it in liver sausage", cosine=0.55)
    assert answered("How does the dog take his pill?", why, told)[0] == told.content
    requested = said("Can you write a card to Derek? He feeds the dog his pill", cosine=0.65)
    assert answered("Who feeds the dog?", requested, told)[0] != told.content


def test_a_question_about_the_users_world_needs_less() -> None:
    found = said("Rivet sleeps in the offcut bin", cosine=0.3)
    assert answered("Where does my dog sleep?", found, own=0.9)
    assert not answered("Where do whales sleep?", found, own=0.1)
    assert not answered("Where do whales sleep?", replace(found, cosine=0.65), own=0.0)
    assert answered("Where do whales sleep?", replace(found, cosine=0.8), own=0.0)


def test_a_question_with_words_of_what_was_told_needs_less() -> None:
    found = said("Rivet sleeps in the offcut bin", cosine=0.45)
    assert not answered("Where does Rivet sleep?", found, own=0.1)
    assert answered("Where does Rivet sleep?", replace(found, words=0.6), own=0.1)


def test_what_has_the_kind_of_answer_that_is_asked_for_comes_first() -> None:
    when, what = said("The test is on Monday", cosine=0.5), said("The test is hard", cosine=0.52)
    assert answered("When is my test?", what, when)[0] == when.content


def test_a_faded_memory_comes_after_a_fresh_one_but_is_found() -> None:
    old, new = (said("It is a cat", cosine=0.5, strength=strength) for strength in (0.1, 1.0))
    judged = gate.judge("Which pet do I have?", [old, new], {})
    assert [each.found.strength for each in judged] == [1.0, 0.1]


def test_a_cry_and_a_question_are_no_parts_that_answer() -> None:
    assert gate.parts_of("Pipe's burst! Where is the tap? It is red.") == ("It is red.",)


def test_a_remark_of_a_moment_comes_behind_what_states_something() -> None:
    remark = said("I need to eat something", cosine=0.7, strength=0.0)
    told = said("The cat eats turkey from the tin", cosine=0.4)
    assert answered("What does the cat eat?", remark, told)[0] == told.content


def test_of_a_long_message_the_sentence_that_answers_is_answered() -> None:
    long = "We talked about many things that evening, as one does on such long evenings in the autumn."
    text = f"{long} {long} Her cat is called Miso."
    judged = gate.judge("What is the cat called?", [said(text, cosine=0.3)], {"Her cat is called Miso.": 0.9})
    (answer, *_) = gate.answers("What is her cat called?", intent_of("What is her cat called?"), judged, own=1.0)
    assert answer.content.endswith(f"{long} Her cat is called Miso.")


def test_an_answer_too_long_to_be_shown_with_what_is_before_it_is_shown_alone() -> None:
    before = f"The curtains can wait {'for another year ' * 8}as they have waited."
    answer = f"Nadira, who has the attic, drives a night train {'and is tired in the morning ' * 5}when we get up."
    judged = gate.judge(
        "Who works at night?", [said(f"{before} {answer}", cosine=0.3, kind="memory")], {answer: 0.9, before: 0.1}
    )
    assert len(f"{before} {answer}") > excerpts.LONG
    assert judged[0].shown == answer


def test_what_is_said_right_behind_the_sentence_that_answers_is_shown_with_it() -> None:
    sick = "The cat was sick on the stairs, of course on the one day on which they were clean."
    rest = "Tigger eats anything, it was a lily. I have rung the vets at the mill and they say to watch him for a day."
    judged = gate.judge("What is my cat called?", [said(f"{sick} {rest}", cosine=0.3)], {sick: 0.7})
    assert judged[0].shown == f"{sick} Tigger eats anything, it was a lily."


def test_what_goes_on_about_a_question_is_shown_with_it() -> None:
    mill, letter = "All our flour comes from them.", "How long does flour of Ostrow keep?"
    judged = gate.judge("Who sells us flour?", [said(f"{letter} {mill} Nobody else is open.", cosine=0.3)], {mill: 0.7})
    assert judged[0].shown == f"{letter} {mill}"
    rye = "Our flour comes from Bern."
    judged = gate.judge("Who sells us flour?", [said(f"{letter} {rye} Nobody else is open.", cosine=0.3)], {rye: 0.7})
    assert letter not in judged[0].shown


def test_a_word_alone_does_not_stand_for_its_message() -> None:
    boat = said("It is my own boat. Petrel. Nobody else rows her.", cosine=0.3)
    judged = gate.judge("What is the boat called?", [boat], {"Petrel.": 0.6, "It is my own boat.": 0.5})
    assert judged[0].sentences[judged[0].best] == "It is my own boat."
    assert "Petrel" in judged[0].shown


def test_what_people_wrote_to_each_other_is_no_statement() -> None:
    assert gate.is_told_by_user(said("I moved", cosine=1))
    assert not gate.is_told_by_user(said("I moved", cosine=1, source="import"))
    assert not gate.is_told_by_user(said("I moved", cosine=1, role="assistant"))


def judged(*texts: str) -> list[gate.Judged]:
    """Statements, the nearest first."""
    hits = [replace(found(0.9 - n / 100, cosine=0.9 - n / 100), id=n, content=text) for n, text in enumerate(texts)]
    return gate.judge("Which fruit may he not have?", hits, {})


def test_what_the_question_tells_itself_is_no_answer() -> None:
    asked = "I am standing at the copier. What do I have to key in?"
    found = judged("I am standing at the copier.", "The user is standing at the copier.", "The copier wants 7046.")
    assert [each.found.content for each in gate.not_told_by(asked, found)] == ["The copier wants 7046."]


def test_what_goes_on_is_shown_with_what_it_goes_on_from() -> None:
    answers = gate.answers(
        "Which fruit may our son not have?",
        intent_of("Which fruit may our son not have?"),
        judged("Our son Otis is three.", "Our son Otis is three. He is allergic to kiwi.", "The key is in the shed."),
        own=1.0,
    )
    assert [each.content for each in answers[:1]] == ["Our son Otis is three. He is allergic to kiwi."]
    assert "Our son Otis is three." not in [each.content for each in answers]


def test_what_answers_as_it_was_read_comes_first_and_what_was_not_read_stays_behind() -> None:
    first, second, third = judged("The server is in the cupboard", "The server is called walnut", "The pump is red")
    read = gate.reread([first, second, third], np.array([-7.0, 7.0], np.float32))
    assert [each.found.content for each in read] == [each.found.content for each in (second, first, third)]
    assert read == sorted(read, key=lambda each: -each.score)
    even = gate.reread([first, second], np.array([0.0, 0.0], np.float32))
    assert [each.found.content for each in even] == [each.found.content for each in (first, second)]


def test_what_reads_as_another_thing_of_its_kind_is_not_surely_the_answer() -> None:
    question, found = "What name has he got?", [said("Our cat's called Biscuit", cosine=0.6, words=0.5)]
    (judged,) = gate.judge(question, found, {})
    sure = [
        each.is_sure
        for odds in (8.0, -2.0)
        for each in gate.answers(question, intent_of(question), [replace(judged, odds=odds)], own=0.9)
    ]
    assert sure == [True, False]


def test_what_only_might_be_is_not_surely_the_answer() -> None:
    question, found = "What colour is the hall?", [said("I might paint the hall green", cosine=0.7, words=0.6)]
    answers = gate.answers(question, intent_of(question), gate.judge(question, found, {}), own=0.9)
    assert [each.is_sure for each in answers] == [False]


def test_what_is_left_out_as_it_is_over_still_says_what_the_rest_is_about() -> None:
    (left,) = judged("We use wood.")
    said = "We don't cook with gas any more, we use wood."
    assert gate.as_said(left) == "We use wood."
    assert gate.as_said(replace(left, found=replace(left.found, as_said=said))) == said
    assert gate.as_said(replace(left, found=replace(left.found, as_said=said * 20))) == "We use wood."


def test_a_text_counts_as_it_was_judged_better() -> None:
    (near,), (far,) = judged("Bosun fears fireworks."), judged("Bosun fears fireworks.")
    far = replace(far, score=0.1)
    assert gate.better_of([far], [near]) == gate.better_of([near], [far]) == [near]


def told_about(subject: str, *found: Recalled) -> list[str]:
    return [each.content for each in gate.about(subject, gate.judge(subject, found, {}))]


def test_about_a_subject_comes_what_names_it_then_what_belongs_to_it_then_what_is_near() -> None:
    near = said("I get up at five", cosine=0.3)
    belongs = said("My boss is called Greta", cosine=0.1)
    names = said("The job is in Bern", cosine=0.1)
    assert told_about("my job", near, belongs, names) == [names.content, belongs.content, near.content]


def test_about_somebody_comes_what_names_them_by_another_word() -> None:
    names, near = said("Dad is in ward 7", cosine=0.1), said("A quiet man, but he knows his trade", cosine=0.3)
    assert told_about("my father", near, names)[0] == names.content


def test_about_a_subject_no_request_is_told() -> None:
    both = said("Write me a poem about Momo. Momo is a rabbit.", cosine=0.3)
    bids = said("Write me a poem about Momo.", cosine=0.3)
    assert told_about("Momo", bids, both) == ["Momo is a rabbit."]


def test_about_the_user_comes_all_there_is_the_nearest_first() -> None:
    works, near = said("It works now.", cosine=0.1), said("I have a son.", cosine=0.3)
    assert told_about(gate.ABOUT_USER, works, near) == [near.content, works.content]


def test_about_a_subject_comes_what_goes_on_about_it() -> None:
    named = said("Our rabbit is called Momo", cosine=0.5, words=0.9)
    goes_on, apart = (said(text, cosine=0.0, words=0.25) for text in ("She sleeps in the shed", "The rent is high"))
    assert told_about("Momo", apart, goes_on, named) == [named.content, goes_on.content]


def test_about_what_is_the_users_own_comes_what_is_hardly_near_but_not_by_itself() -> None:
    near, faint = said("I get up at five", cosine=0.3), said("The car is red", cosine=0.2)
    assert told_about("my job", faint, near) == [near.content, faint.content]
    named = said("The job is in Bern", cosine=0.3)
    assert told_about("my job", faint, near, named) == [named.content, near.content]
    assert told_about("my job", faint) == []
    assert told_about("volcanoes", faint, near) == [near.content]


def test_about_a_subject_comes_who_belongs_to_it_by_name() -> None:
    sister, peg, ladder = (
        said(text, cosine=0.0) for text in ("My sister Peg is well", "Peg takes a size five", "The ladder is short")
    )
    assert {*told_about("my family", ladder, peg, sister)} == {sister.content, peg.content}


def test_about_people_comes_what_names_one() -> None:
    texts = ("Our baker is Wanda", "Wanda is off in May", "People never read", "Bins go on Monday", "I row with Ruben")
    wanda, off, never, bins, ruben = (said(text, cosine=0.0) for text in texts)
    told = {*told_about("the people who work for me", never, bins, off, wanda, ruben)}
    assert told == {wanda.content, off.content, ruben.content}


def test_about_a_subject_comes_what_shares_a_seldom_word_with_what_names_it() -> None:
    named = said("I've got plot 14 on the allotment", cosine=0.4)
    plot, far = (said(text, cosine=0.2) for text in ("I pay 62 pounds for the plot", "I lent my loppers to Tom"))
    others = [
        said(f"The {each} is old", cosine=0.0)
        for each in ("radio", "kettle", "lamp", "sofa", "table", "carpet", "window", "bicycle")
    ]
    assert told_about("my allotment", far, plot, named, *others) == [named.content, plot.content]


def test_about_the_user_comes_first_what_they_are_and_do() -> None:
    other, own = said("Nadia gets 14 an hour", cosine=0.4), said("I get up at three", cosine=0.1)
    assert told_about(gate.ABOUT_USER, other, own) == [own.content, other.content]


def test_about_a_subject_comes_no_remark_and_no_request() -> None:
    remark = replace(said("The flat is fine today", cosine=0.5), strength=0.0)
    request = said("Write me a poem about the flat", cosine=0.5)
    assert told_about("the flat", remark, request, named := said("The flat is in Bern", cosine=0.3)) == [named.content]


def test_about_a_subject_each_text_comes_once_and_twelve_at_most() -> None:
    memory = said("The user's job is in Bern", cosine=0.4, kind="memory")
    message = said("Hello! My job is in Bern, near the river", cosine=0.5)
    assert told_about("my job", memory, message) == ["My job is in Bern, near the river"]
    many = [said(f"Job number {number} is hard", cosine=0.4) for number in "abcdefghijklmnop"]
    assert len(told_about("my job", *many)) <= gate.MOST_ABOUT


def test_courtesy_is_no_part_that_answers() -> None:
    assert gate.parts_of("Good to know. Hello, I'm Anna. Now the car.") == ("I'm Anna.",)


def test_what_was_said_beside_something_nearer_counts_more() -> None:
    said = [
        replace(found(cosine, cosine=cosine), id=n, kind="exchange", role="user", content=f"It is {n}.")
        for n, cosine in [(1, 0.8), (2, 0.3), (9, 0.3)]
    ]
    scores = {each.found.id: each.score for each in gate.judge("Which is it?", said, {})}
    assert scores[1] > scores[2] > scores[9]


def certain(question: str, *found: Recalled) -> list[bool]:
    return [
        each.is_sure for each in gate.answers(question, intent_of(question), gate.judge(question, found, {}), own=1.0)
    ]


def test_what_is_only_the_nearest_there_is_is_not_sure() -> None:
    dentist = "When is my dentist appointment?"
    assert certain(dentist, said("Our plumber comes on Tuesday", cosine=0.35)) == [False]
    assert certain(dentist, said("The dentist sees me on Tuesday", cosine=0.35, words=0.7)) == [True]
    assert certain(dentist, said("They pull my tooth on Tuesday", cosine=0.55)) == [True]
    assert certain(dentist, said("The plumber comes on Tuesday", cosine=0.5)) == [False]


@pytest.mark.parametrize(
    ("question", "lacks", "has"),
    [
        ("What is Noor allergic to?", "Tobias is allergic to cashews", "Noor must not eat cashews"),
        ("When does Archie's train leave?", "Frieda's train leaves at ten", "Archie takes the one at ten"),
        ("When is Piotr's birthday?", "Piotr can't work on Saturdays", "Piotr turns 40 in May"),
        ("What's Wim's phone number?", "Wim pays on the 25th", "Wim is on 0555 318 42"),
        ("Wann hat Ole Geburtstag?", "Ole kommt am Montag", "Ole ist im Mai geboren"),
    ],
)
def test_what_has_nothing_that_is_asked_by_name_is_not_sure(question: str, lacks: str, has: str) -> None:
    assert certain(question, said(lacks, cosine=0.7, words=0.5)) == [False]
    assert certain(question, said(has, cosine=0.7, words=0.5)) == [True]


def test_a_name_that_is_only_stated_beside_the_question_is_not_asked_about() -> None:
    asked = "Our plumber is called Dave Tanner. Where is the stopcock?"
    assert certain(asked, said("The stopcock is under the sink", cosine=0.7, words=0.5)) == [True]


def test_a_name_may_stand_in_what_was_said_beside_it() -> None:
    beside = replace(said("Bracken is a Connemara", cosine=0.1), id=1)
    vet = replace(said("His vet is Dr. Sandoval", cosine=0.7, words=0.5), id=2)
    assert certain("Who treats Bracken?", vet, beside)[0]
    assert not certain("Who treats Bracken?", vet, replace(beside, id=9))[0]


def test_what_is_far_from_any_question_answers_none() -> None:
    assert certain("When is my dentist appointment?", said("Rivet sleeps in the offcut bin", cosine=0.19)) == []


def test_a_word_alone_is_no_answer() -> None:
    says, word = said("My sister Ruth is a nurse.", cosine=0.5), said("Ruth", cosine=0.9, words=1.0)
    assert answered("Who is Ruth?", word, says) == [says.content]


def test_beside_what_names_the_subject_comes_nothing_that_does_not() -> None:
    names, too = said("I owe Tom 30 quid.", cosine=0.65, words=1.0), said("Tom is a baker.", cosine=0.4, words=0.5)
    apart = said("My sister is here.", cosine=0.49, words=0.2)
    assert answered("Who is Tom?", names, too, apart) == [names.content, too.content]
    assert len(answered("Who is Tom?", replace(names, words=0.3), too, apart)) == 3
    assert len(answered("Who is Tom?", replace(names, cosine=0.5), too, apart)) == 3


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("where's the car", "where did I park the car"),
        ("Where is my bike?", "where did I park my bike"),
        ("Wo ist das Auto?", "wo habe ich das Auto geparkt"),
        ("où est mon vélo ?", "où ai-je laissé mon vélo"),
        ("Where is the car key?", ""),
        ("When is the car due?", ""),
        ("Where is the ladder?", ""),
        ("Where did Anna buy the car?", ""),
    ],
)
def test_a_vehicle_is_where_it_was_left(question: str, other: str) -> None:
    assert gate.otherwise(question) == other


def test_a_text_in_another_language_needs_a_word_of_the_question() -> None:
    key, rent = said("Der Ersatzschlüssel ist bei Frau Lindner.", cosine=0.6), said("Die Miete ist hoch.", cosine=0.55)
    assert answered("Wer hat den Schlüssel?", key, rent) == [key.content]
    assert certain("Wo ist mein Fahrrad?", key, rent) == [False]
    assert told_about("Fußball", key, rent) == []
    assert told_about("Zoé", said("Ma fille s'appelle Zoé.", cosine=0.5)) == ["Ma fille s'appelle Zoé."]
    assert told_about("die Miete", key, rent) == [rent.content]


def test_of_a_memory_a_longer_one_of_the_same_message_is_shown() -> None:
    raised = said("The teacher has put up his fee.", cosine=0.7, kind="memory")
    whole = said("The teacher has put up his fee. It is 31 pounds a lesson.", cosine=0.1, kind="memory")
    later = replace(whole, at=900.0)
    assert answered("What does a lesson cost?", raised, whole) == [whole.content]
    assert answered("What does a lesson cost?", raised, later) == [raised.content]


def test_what_was_answered_is_not_told_again_in_other_small_words() -> None:
    long = said("Osprey is the planner, on flask, and I dont host it.", cosine=0.7)
    same = said("Osprey is the planner, on flask, and the user does not host it.", cosine=0.6, kind="memory")
    denied = said("Osprey is not the planner.", cosine=0.6)
    question = "What is osprey?"
    assert answered(question, long, same) == [long.content]
    assert answered(question, said("Osprey is the planner.", cosine=0.7), denied)[1:] == [denied.content]


def test_a_request_does_not_stand_in_for_what_was_learned_from_it() -> None:
    asked = said("Can you word a text to Desmond who does our boiler?", cosine=0.7)
    learned = said("Desmond does the user's boiler.", cosine=0.6, kind="memory")
    assert learned.content in answered("Who does our boiler?", asked, learned)
    assert answered("Who does our boiler?", asked, asked) == [asked.content]


def test_a_message_whose_secret_is_masked_does_not_stand_in_for_the_memory() -> None:
    message = said("The PIN of the gate is 4711 and the gate is green.", cosine=0.7)
    memory = said("The PIN of the gate is 4711.", cosine=0.6, kind="memory")
    assert memory.content in answered("What is the PIN of the gate?", message, memory)


def test_a_question_in_a_memory_says_what_the_next_sentence_is_about() -> None:
    text = "How long do quinces keep? The user gets them from Bern."
    assert gate.parts_of(text, is_memory=True) == (text,)
    assert gate.parts_of(text) == ("The user gets them from Bern.",)


def test_what_stands_behind_a_question_is_judged_with_it_too() -> None:
    asked, said_behind = "How often is a clock oiled?", "Ours goes to Bern in March."
    text = f"{asked} {said_behind}"
    assert gate.behind_questions(text) == {said_behind: text}
    assert gate.behind_questions(f"{said_behind} {asked}") == {}
    (judged,) = gate.judge("Where is the clock oiled?", [said(text, cosine=0.1)], {})
    assert gate.as_said(judged) == text, "it is read with the question"


def test_without_an_embedder_the_best_sentences_by_their_words_answer() -> None:
    key, ladder = said("The spare key is in the tin.", cosine=0.0), said("The ladder is in the shed.", cosine=0.0)

    def told(question: str, own: float) -> list[tuple[str, bool]]:
        judged = gate.judge(question, [key, ladder], {})
        return [(each.content, each.is_sure) for each in gate.answers_by_words(question, judged, own=own)]

    assert told("Where is my spare key?", own=0.9) == [(key.content, True)]
    assert told("Where is the aluminium ladder?", own=0.9) == [(ladder.content, False)]
    assert told("Where is the aluminium ladder?", own=0.1) == [], "half of its words are not known"
    assert told("Why is the sky blue?", own=0.9) == []


def test_what_is_said_of_another_thing_is_not_surely_the_answer() -> None:
    def sure(question: str, content: str) -> list[bool]:
        judged = gate.judge(question, [said(content, cosine=0.9, words=0.6)], {})
        return [each.is_sure for each in gate.answers(question, intent_of(question), judged, own=0.9)]

    assert sure("When does the depot open?", "The depot opens at eight.") == [True]
    assert sure("When does the library open?", "The depot opens at eight.") == [False]
    assert sure("When do I open?", "The user opens at eight.") == [True]
    assert sure("When is Kit's dentist?", "Kit's dentist is on 14 March.") == [True]
    assert sure("When is Ada's dentist?", "Kit's dentist is on 14 March.") == [False]
    assert sure("What is the code of the paint shed?", "The code of the mast shed is 317.") == [False]
    assert sure("What is the dog's name?", "The cat is called Bix.") == [False]
    assert sure("When's judo for ada?", "kit does judo on saturdays at 10") == [False]
