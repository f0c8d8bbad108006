from pi_memory.model.truncation import newest, oldest
from pi_memory.types import Message

SYSTEM = Message("system", "You are the assistant.")
SAID = [SYSTEM, *(Message(role, f"{role} {n}") for n in range(3) for role in ("user", "assistant"))]


def test_all_comes_first() -> None:
    for messages in ([], [SYSTEM], SAID[:2], SAID):
        assert next(newest(messages)) == messages
        assert next(oldest(messages)) == messages


def test_the_newest_is_the_last_exchange_behind_the_system_text() -> None:
    assert list(newest(SAID)) == [SAID, [SYSTEM, *SAID[-2:]]]
    assert list(newest(SAID[1:])) == [SAID[1:], SAID[-2:]]


def test_the_oldest_are_beginnings_of_whole_exchanges() -> None:
    assert list(oldest(SAID)) == [SAID, SAID[:5], SAID[:3]]


def test_one_exchange_is_not_cut() -> None:
    assert list(newest(SAID[:3])) == list(oldest(SAID[:3])) == [SAID[:3]]
