"""When something is told with a message, how much, and how surely."""

import pytest
from msgspec.structs import replace

from pi_memory.recall import gate, judging
from pi_memory.recall.gate import let_through
from pi_memory.retrieval.search import MOST
from pi_memory.text.intent import intent_of
from pi_memory.types import Recalled
from tests.statements import answered, found, judged, said


def certain(question: str, *found: Recalled) -> list[bool]:
    return [
        each.is_sure
        for each in gate.answers(question, intent_of(question), judging.judge(question, found, {}), own=1.0)
    ]


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


def test_what_goes_on_is_shown_with_what_it_goes_on_from() -> None:
    answers = gate.answers(
        "Which fruit may our son not have?",
        intent_of("Which fruit may our son not have?"),
        judged("Our son Otis is three.", "Our son Otis is three. He is allergic to kiwi.", "The key is in the shed."),
        own=1.0,
    )
    assert [each.content for each in answers[:1]] == ["Our son Otis is three. He is allergic to kiwi."]
    assert "Our son Otis is three." not in [each.content for each in answers]


def test_what_reads_as_another_thing_of_its_kind_is_not_surely_the_answer() -> None:
    question, found = "What name has he got?", [said("Our cat's called Biscuit", cosine=0.6, words=0.5)]
    (judged,) = judging.judge(question, found, {})
    sure = [
        each.is_sure
        for odds in (8.0, -2.0)
        for each in gate.answers(question, intent_of(question), [replace(judged, odds=odds)], own=0.9)
    ]
    assert sure == [True, False]


def test_what_only_might_be_is_not_surely_the_answer() -> None:
    question, found = "What colour is the hall?", [said("I might paint the hall green", cosine=0.7, words=0.6)]
    answers = gate.answers(question, intent_of(question), judging.judge(question, found, {}), own=0.9)
    assert [each.is_sure for each in answers] == [False]


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


def test_a_text_in_another_language_needs_a_word_of_the_question() -> None:
    key, rent = said("Der Ersatzschlüssel ist bei Frau Lindner.", cosine=0.6), said("Die Miete ist hoch.", cosine=0.55)
    assert answered("Wer hat den Schlüssel?", key, rent) == [key.content]
    assert certain("Wo ist mein Fahrrad?", key, rent) == [False]


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


def test_without_an_embedder_the_best_sentences_by_their_words_answer() -> None:
    key, ladder = said("The spare key is in the tin.", cosine=0.0), said("The ladder is in the shed.", cosine=0.0)

    def told(question: str, own: float) -> list[tuple[str, bool]]:
        judged = judging.judge(question, [key, ladder], {})
        return [(each.content, each.is_sure) for each in gate.answers_by_words(question, judged, own=own)]

    assert told("Where is my spare key?", own=0.9) == [(key.content, True)]
    assert told("Where is the aluminium ladder?", own=0.9) == [(ladder.content, False)]
    assert told("Where is the aluminium ladder?", own=0.1) == [], "half of its words are not known"
    assert told("Why is the sky blue?", own=0.9) == []


def test_what_is_said_of_another_thing_is_not_surely_the_answer() -> None:
    def sure(question: str, content: str) -> list[bool]:
        judged = judging.judge(question, [said(content, cosine=0.9, words=0.6)], {})
        return [each.is_sure for each in gate.answers(question, intent_of(question), judged, own=0.9)]

    assert sure("When does the depot open?", "The depot opens at eight.") == [True]
    assert sure("When does the library open?", "The depot opens at eight.") == [False]
    assert sure("When do I open?", "The user opens at eight.") == [True]
    assert sure("When is Kit's dentist?", "Kit's dentist is on 14 March.") == [True]
    assert sure("When is Ada's dentist?", "Kit's dentist is on 14 March.") == [False]
    assert sure("What is the code of the paint shed?", "The code of the mast shed is 317.") == [False]
    assert sure("What is the dog's name?", "The cat is called Bix.") == [False]
    assert sure("When's judo for ada?", "kit does judo on saturdays at 10") == [False]
