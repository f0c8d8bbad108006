"""What a message asks, as it is searched for."""

import pytest

from pi_memory.recall.questions import asks_something, otherwise
from pi_memory.text.intent import intent_of


def test_courtesy_asks_nothing() -> None:
    for message in ("Good morning, thanks a lot!", "How is the day?", "What do I do?"):
        assert not asks_something(message, intent_of(message))
    for message in ("Good morning, where is the pump?", "What do I have to do tomorrow?", "When do I get up?"):
        assert asks_something(message, intent_of(message))


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
    assert otherwise(question) == other
