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
