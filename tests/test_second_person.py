"""What a user said, said to them."""

import pytest

from pi_memory.text.second_person import in_second_person, to_user


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My bike is a Gazelle", "Your bike is a Gazelle."),
        ("I'm allergic to nuts, and I was ill.", "You're allergic to nuts, and you were ill."),
        ("The user's sister lives in Oslo.", "Your sister lives in Oslo."),
        ("The user likes tea and the user has a cat.", "You like tea and you have a cat."),
        (
            "The user always parks it here, and the user still has no key.",
            "You always park it here, and you still have no key.",
        ),
        ("The user plays in a band, we're called the Owls.", "You play in a band, you're called the Owls."),
        ("the stopcock is under the stairs", "The stopcock is under the stairs."),
        ("The user is Ann and the user has just set you up.", "You are Ann and you have just set me up."),
        (
            "The user is old and we forget things, so the user asks you.",
            "You are old and you forget things, so you ask me.",
        ),
        ("The user's pump stops when you press reset.", "Your pump stops when you press reset."),
        ("im Dan, the user has a shop", "You're Dan, you have a shop."),
        ("I told you so", "You told me so."),
        ("The user uses LemFi and closes at six", "You use LemFi and closes at six."),
        ("The user closes the shop, the user watches it.", "You close the shop, you watch it."),
        ("The user passes the mill, and the user fixes bikes.", "You pass the mill, and you fix bikes."),
        ("The user freezes bread and the user focuses on it.", "You freeze bread and you focus on it."),
        ("The bus is gone, I'm afraid, we walk.", "The bus is gone, you walk."),
        ("I keep it in /home/me/notes.md", "You keep it in /home/me/notes.md."),
    ],
)
def test_it_is_turned_to_the_user(text: str, said: str) -> None:
    assert to_user(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "I know what you can do",
        'She said "my bike"',
        "Mein Hund heißt Bello",
        "我的猫叫小花",
        "J'ai garé la voiture",
        "La llave la tiene Marta",
    ],
)
def test_what_is_in_doubt_is_left_to_be_quoted(text: str) -> None:
    assert to_user(text) == ""


def test_a_few_words_of_the_user_are_said_to_them() -> None:
    assert in_second_person("my car") == "your car"
    assert in_second_person("Anna and her bike") == "Anna and her bike"
