"""What a message wants, whether or not it has a question mark."""

import pytest

from pi_memory.text.intent import Wish, follows_up, intent_of, only_asks


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("Where is the stopcock?", Wish.QUESTION),
        ("remind me when the car test is due", Wish.QUESTION),
        ("look up the heating man for me", Wish.QUESTION),
        ("nas address", Wish.QUESTION),
        ("size of the deposit", Wish.QUESTION),
        ("I need the stick for the attic", Wish.QUESTION),
        ("I need to ring the dentist on Monday.", Wish.STATEMENT),
        ("Green bin: Wednesdays.", Wish.STATEMENT),
        ("every other Tuesday Ottoline cuts the release branch", Wish.STATEMENT),
        ("What did you suggest for dinner?", Wish.REPLIED),
        ("What did I tell you yesterday?", Wish.SAID),
        ("What did I say in May?", Wish.SAID),
        ("Was habe ich dir letzten Samstag erzählt?", Wish.SAID),
        ("Qu'est-ce que j'ai dit il y a deux semaines ?", Wish.SAID),
        ("¿Qué te dije el 3 de mayo?", Wish.SAID),
        ("who are you", Wish.ASSISTANT),
        ("Tell me a joke.", Wish.REQUEST),
        ("Good morning!", Wish.GREETING),
        ("How are you?", Wish.STATEMENT),
    ],
)
def test_a_message_wants(message: str, wish: Wish) -> None:
    assert intent_of(message).kind is wish


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("What do you know about Pepper?", "Pepper"),
        ("what did I tell you about Mrs. Teixeira", "Mrs. Teixeira"),
        ("tell me everything you've got on Tobi", "Tobi"),
        ("What do you know about me?", ""),
        ("Was weißt du über Anna?", "Anna"),
    ],
)
def test_a_broad_question_has_a_subject(message: str, subject: str) -> None:
    assert intent_of(message).kind is Wish.ABOUT
    assert intent_of(message).subject == subject


@pytest.mark.parametrize(
    "message",
    [
        "Where is the key?",
        "remind me of the code",
        "thanks a lot",
        "convert 3 mm",
        "Pipe's burst! Where can I turn it off?",
        "When I'm away, who feeds the cat",
        "When is the dentist, and where is it.",
        "Write a poem about autumn",
    ],
)
def test_what_only_asks_says_nothing(message: str) -> None:
    assert only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "How long do I boil it? It has to be a duck egg.",
        "The boiler valve squeaks",
        "mi hermana vive en Oslo",
        "I moved to Bergen!",
        "When the heating stops, you have to hold the green button.",
        "Where the path forks, we keep left.",
        "Please write a note to Juno's teacher, Ms. Pellworth, that Juno stays at home",
    ],
)
def test_what_states_something_does_not_only_ask(message: str) -> None:
    assert not only_asks(message)


def test_a_follow_up_takes_its_subject_from_before() -> None:
    assert follows_up("and his brother?")
    assert not follows_up("Where does Anna live?")
