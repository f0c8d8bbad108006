"""What a user said, said to them."""

import pytest

from pi_memory.text.second_person import to_user


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My bike is a Gazelle", "Your bike is a Gazelle."),
        ("I'm allergic to nuts, and I was ill.", "You're allergic to nuts, and you were ill."),
        ("The user's sister lives in Oslo.", "Your sister lives in Oslo."),
        ("The user likes tea and the user has a cat.", "You like tea and you have a cat."),
        ("The user plays in a band, we're called the Owls.", "You play in a band, you're called the Owls."),
        ("the stopcock is under the stairs", "The stopcock is under the stairs."),
        ("I keep it in /home/me/notes.md", "You keep it in /home/me/notes.md."),
    ],
)
def test_it_is_turned_to_the_user(text: str, said: str) -> None:
    assert to_user(text) == said


@pytest.mark.parametrize("text", ["I told you so", 'She said "my bike"', "Mein Hund heißt Bello", "我的猫叫小花"])
def test_what_is_in_doubt_is_left_to_be_quoted(text: str) -> None:
    assert to_user(text) == ""
