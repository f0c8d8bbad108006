"""The same fact in every person and frame, and facts that only look like it."""

import pytest

from pi_memory.text.fact import Key, facts, states, without

FACT = "The user's vault word is zanzibar."
SAME = """
My vault word is zanzibar.
Remember that my vault word is zanzibar
Your vault word is zanzibar, right?
Zanzibar is my vault word
Vault word: zanzibar
You said: “My vault word is zanzibar.”
- user, 22 February 2026: "Remember that my vault word is zanzibar."
By the way, vault word = ZANZIBAR
I told you my vault word is zanzibar
Got it. I'll keep in mind that your vault word is zanzibar
My current vault word is really zanzibar
{"note": "the user's vault word is zanzibar"}
Forget that my vault word is zanzibar
Nobody but Anna knows that my vault word is zanzibar, and that is good
My vault word
is zanzibar
"""
OTHERS = """
Anna's vault word is zanzibar.
My brother's vault word is zanzibar
The vault is in Zanzibar
What is my vault word?
Zanzibar is an island
"""
PAIRS = [
    ("I live in Lyon.", "The user lives in Lyon", "My sister lives in Lyon"),
    ("I live in Lyon.", "I have lived in Lyon since 2019", "I live in Paris and love Lyon"),
    ("I live in Lyon.", "Lyon is where you live!", "I don't live in Lyon"),
    ("I am allergic to nuts", "As you're allergic to nuts, no cake", "My daughter is allergic to nuts"),
    ("I'm vegetarian", "The user is a vegetarian.", "The vegetarian menu is good"),
    ("My phone number is 0123 456-789", "phone number: 0123456789", "The office phone number is 0123456789"),
    ("My exam is on May 4", "Your exam is on May 4.", "My exam is on June 4"),
    ("I don't eat meat", "You never eat meat", "I eat meat"),
    ("My name is Ada", "Your name is Ada", "My cat's name is Ada"),
    ("My dentist is Dr. Weber", "Dr. Weber is your dentist", "Dr. Weber is at home"),
    ("The ladder is at Ingrid's.", "Your ladder is at Ingrid's", "Ole's ladder is at Ingrid's"),
    ("Mein Tresorwort ist Sansibar", "Dein Tresorwort ist Sansibar.", "Annas Tresorwort ist Sansibar"),
]


@pytest.mark.parametrize("text", [*SAME.strip().split("\n")[:-2], "My vault word\nis zanzibar"])
def test_a_fact_is_the_same_in_every_person_and_frame(text: str) -> None:
    assert states(text, Forgotten(FACT))
    assert "zanzibar" not in without(text, Forgotten(FACT)).lower()


@pytest.mark.parametrize("text", OTHERS.strip().split("\n"))
def test_another_fact_stays(text: str) -> None:
    assert without(text, Forgotten(FACT)) == text


@pytest.mark.parametrize(("fact", "same", "other"), PAIRS)
def test_it_belongs_to_whom_it_belongs(fact: str, same: str, other: str) -> None:
    assert states(same, Forgotten(fact))
    assert without(other, Forgotten(fact)) == other


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hello. My vault word is zanzibar. Bye.", "Hello. Bye."),
        ("My vault word is zanzibar, and the bin goes out on Monday. Bye.", "and the bin goes out on Monday. Bye."),
        ("one\nmy vault word is zanzibar\ntwo\n\nthree", "one\ntwo\n\nthree"),
        ("- my vault word is zanzibar", ""),
    ],
)
def test_what_stands_beside_it_stays(text: str, left: str) -> None:
    assert without(text, Forgotten(FACT)) == left


def test_an_answer_states_it_with_its_question() -> None:
    gone = Forgotten(FACT)
    assert without("It is zanzibar. Ask me more!", gone, question="What is my vault word?") == "Ask me more!"
    assert without("It is zanzibar.", gone, question="Where is Ole?") == "It is zanzibar."


class Forgotten:
    """The facts of a text."""

    def __init__(self, text: str) -> None:
        self._keys = {fact.key for fact in facts(text)}

    def __call__(self, key: Key) -> bool:
        return key in self._keys
