"""Which sentences of a message are the user's own."""

import pytest

from pi_memory.text.user_text import LONG, sentences

CASES = [
    ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    ("I like e.g. tea. No, Mr. Smith is at 3.5 km.", ["I like e.g. tea.", "No, Mr. Smith is at 3.5 km."]),
    ("Am 3. Mai fahre ich. Gut.", ["Am 3. Mai fahre ich.", "Gut."]),
    ('He said "Hi. Bye. So." and left. Then I.', ['He said "Hi. Bye. So." and left.', "Then I."]),
    ("- one\n2. two", ["one", "two"]),
    ("mine\n```py\ncode.\n```\nmine too", ["mine", "mine too"]),
    ("It fails:\nTraceback (most recent call last):\n  x\nValueError: y\n\nmine", ["It fails:", "mine"]),
    ("<context>\na. b.\n</context>\nmine", ["mine"]),
    ("## Relevant Memories\n\n### About the User\n- a\n- b\n\nmine", ["mine"]),
    ("mine\n\n[Context compacted]\nnot mine", ["mine"]),
    ("The mail says:\n\nHello.\n\nmine", ["The mail says:", "mine"]),
    ("user: a\nassistant: b\n\nmine", ["mine"]),
    ("this is a line that an editor has wrapped because\nit is long. Next.", None),
]


@pytest.mark.parametrize(("message", "own"), CASES)
def test_sentences(message: str, own: list[str] | None) -> None:
    found = [sentence.text for sentence in sentences(message)]
    assert found == (own or ["this is a line that an editor has wrapped because\nit is long.", "Next."])


def test_of_a_long_message_the_two_ends_are_read() -> None:
    paste = "x" * 70 + "\n"
    message = "The beginning.\n" + paste * (2 * LONG // len(paste)) + "The end."
    found = [sentence.text for sentence in sentences(message)]
    assert found[0].startswith("The beginning.")
    assert found[-1] == "The end."


def test_the_end_of_a_long_message_may_be_code() -> None:
    message = "Mine.\n```\n" + "y = 1\n" * LONG + "remember this"
    assert [sentence.text for sentence in sentences(message)] == ["Mine."]


def test_what_is_asked_of_a_statement_at_its_end_leaves_the_statement() -> None:
    said = [each.text for each in sentences("Took the cat to the vet, 90 bucks, is that normal?")]
    assert said == ["Took the cat to the vet, 90 bucks", "is that normal?"]
    assert [each.text for each in sentences("Where is the key, any ideas?")] == ["Where is the key, any ideas?"]


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "can you give me a block for it, osprey listens on 9310",
            ["can you give me a block for it,", "osprey listens on 9310"],
        ),
        (
            "we put 300 by for a boat, so what's that after 2 years?",
            ["we put 300 by for a boat", "so what's that after 2 years?"],
        ),
        (
            "Write a text to the sitter: the bike is in the barn, lock is 7713",
            ["Write a text to the sitter:", "the bike is in the barn, lock is 7713"],
        ),
        (
            "Bins go out on Friday, can you put that first, I print this.",
            ["Bins go out on Friday", "can you put that first,", "I print this."],
        ),
        (
            "Could you draft a mail to the council, our street was not swept?",
            ["Could you draft a mail to the council,", "our street was not swept"],
        ),
        ("Kannst du Bo schreiben, er ist am Montag hier?", ["Kannst du Bo schreiben,", "er ist am Montag hier"]),
        (
            "Could you write him a note, then, saying that the car is at the mill, and that the lock is 7713?",
            ["Could you write him a note, then", "the car is at the mill", "the lock is 7713"],
        ),
        (
            "Peux-tu écrire un mot à Bo disant que la clé est en haut, et que le chien mord ?",
            ["Peux-tu écrire un mot à Bo", "la clé est en haut", "le chien mord"],
        ),
        (
            "Kannst du Bo schreiben, dass der Lift wieder geht?",
            ["Kannst du Bo schreiben", "der Lift wieder geht"],
        ),
        (
            "¿Puedes escribir una nota a Bo diciendo que la llave está arriba?",
            ["¿Puedes escribir una nota a Bo", "la llave está arriba"],
        ),
        ("help me word a text saying we are four on Monday", ["help me word a text", "we are four on Monday"]),
        ("Can you find something to say to a friend who lost his dog?", None),
        ("Write a note saying thank you to Bo", None),
        ("Can you write to Bo, ask him to come at 9", None),
        ("A fever of 38.5 since Monday, any ideas?", ["A fever of 38.5 since Monday", "any ideas?"]),
        ("What's that song Bo likes, it has a whistle", None),
        ("Write a poem about autumn, it should rhyme", None),
        ("Draft a note to Cal, who cuts our hedge", None),
        ("I'm locked out, can you tell me who has the key?", None),
        ("If the bell rings, can you open the door?", None),
    ],
)
def test_what_is_to_be_done_is_apart_from_what_is_said_beside_it(message: str, parts: list[str] | None) -> None:
    assert [each.text for each in sentences(message)] == (parts or [message])


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "we've a pot for the boat, it's at 640 of 900 now, when are we there",
            ["we've a pot for the boat, it's at 640 of 900 now", "when are we there"],
        ),
        (
            "We always go to Luigi's on the 14th of May, what should I wear?",
            ["We always go to Luigi's on the 14th of May", "what should I wear?"],
        ),
        (
            "how do you say 'dona' - it's the Haydn mass we sing, and I'm in the bass",
            ["how do you say 'dona'", "it's the Haydn mass we sing, and I'm in the bass"],
        ),
        ("What can I bake for Ida, she is allergic to nuts?", ["What can I bake for Ida,", "she is allergic to nuts"]),
        ("The alarm goes off again and again, what do I press?", None),
        ("I am at the counter with a form for them, which box is mine", None),
        ("What is it, and when does the shop on the hill open?", None),
        ("If the alarm goes off at the shop in March, who has the key?", None),
        ("Do you know where Ida is, she called?", None),
        (
            "Did what Bo showed me, open both taps til the needle gets to 1.4, and it's on, but why does it drop?",
            ["Did what Bo showed me, open both taps til the needle gets to 1.4, and it's on", "but why does it drop?"],
        ),
    ],
)
def test_what_is_asked_is_apart_from_what_is_told_before_or_behind_it(message: str, parts: list[str] | None) -> None:
    assert [each.text for each in sentences(message)] == (parts or [message])


def test_a_text_to_be_worked_on_is_not_the_users() -> None:
    assert sentences("Rewrite this: the bike is in the barn") == ()
