"""Step 3: what goes into a prompt, in which order, and what gives way when there is no room."""

from collections import deque
from collections.abc import Sequence

import pytest

from pi_memory.conversation import prompt
from pi_memory.conversation.prompt import Budget
from pi_memory.errors import Unprocessable
from pi_memory.types import Exchange, Message


def words(messages: Sequence[Message]) -> int:
    return sum(len(message.text.split()) for message in messages)


def exchanges(count: int) -> list[Exchange]:
    return [
        Exchange("c", f"question {n}", f"answer {n}", n, context="it is noon" if n == 0 else "") for n in range(count)
    ]


def build(said: list[Exchange], message: str, context: int = 1_000) -> prompt.Prompt:
    budget = Budget.of(context, 100)
    return prompt.build("be kind", deque(said), Message("user", message, "a line"), budget=budget, count_prompt=words)


def test_the_order_is_stable() -> None:
    built = build(exchanges(2), "and now?")
    assert [(m.role, m.text) for m in built.messages] == [
        ("system", "be kind"),
        ("user", "it is noon\n\nquestion 0"),
        ("assistant", "answer 0"),
        ("user", "question 1"),
        ("assistant", "answer 1"),
        ("user", "a line\n\nand now?"),
    ]


def test_a_turn_extends_the_prompt_of_the_turn_before() -> None:
    before, after = build(exchanges(2), "question 2"), build(exchanges(3), "more")
    assert after.messages[: len(before.messages) - 1] == before.messages[:-1]


def test_the_oldest_exchanges_give_way_with_some_to_spare() -> None:
    built = build(exchanges(40), "now", context=128)
    assert built.left_out > 0
    assert built.messages[1].role == "user"
    assert words(built.messages) <= 0.6 * 96


def test_a_message_without_room_is_refused_with_the_numbers() -> None:
    with pytest.raises(
        Unprocessable, match=r"message: the prompt takes 204 tokens, and there is room for 96"
    ) as caught:
        build([], "word " * 200, context=128)
    assert "CTX_TOKENS" in caught.value.hint


def test_a_message_that_just_fits_leaves_everything_else_out() -> None:
    assert build(exchanges(3), "word " * 90, context=128).left_out == 3


@pytest.mark.parametrize(("context", "focus", "reply"), [(4096, 327, 512), (512, 40, 128), (200_000, 800, 512)])
def test_budgets_follow_the_context(context: int, focus: int, reply: int) -> None:
    budget = Budget.of(context, 512)
    assert (budget.focus, budget.reply) == (focus, reply)


def test_standing_text_has_no_holes() -> None:
    assert prompt.standing_text("persona", ["", "note"], "") == "persona\n\nnote"
