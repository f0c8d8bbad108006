"""The user's sentences in the third person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.knowledge.person import about_user

CASES = [
    ("I prefer tea", "The user prefers tea."),
    ("I don't like my old job", "The user does not like the user's old job."),
    ("I'm allergic to nuts and I've been to Rome", "The user is allergic to nuts and the user has been to Rome."),
    ("I always carry a knife", "The user always carries a knife."),
    ("I moved to Lyon", "The user moved to Lyon."),
    ("I’d rather wait", "The user would rather wait."),
    ("I go home and I watch it", "The user goes home and the user watches it."),
    ("call me Bob", "Call the user Bob."),
    ("deploy.sh runs first", "deploy.sh runs first."),
    ("use `my_var` for me!", "Use `my_var` for the user!"),
    ('she said "I am here"', 'She said "I am here"'),
    ("Ich mag keinen Kaffee", "Ich mag keinen Kaffee."),
    ("the  port\nis 80", "The port is 80."),
    ("", ""),
]


@pytest.mark.parametrize(("text", "told"), CASES)
def test_third_person(text: str, told: str) -> None:
    assert about_user(text) == told


@given(st.text(max_size=200))
def test_any_text_is_one_line(text: str) -> None:
    told = about_user(text)
    assert told == " ".join(told.split())
