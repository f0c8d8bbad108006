"""What a client shows of a conversation, beside what we hold of it."""

from collections import deque

from pi_memory.conversation import screen
from pi_memory.conversation.window import Conversation
from pi_memory.types import Exchange, Message


def held(name: str, *said: str, summary: str = "") -> Conversation:
    """`said` are messages and replies in turn; what was recalled for each message stands in its context."""
    pairs = zip(said[::2], said[1::2], strict=True)
    exchanges = deque(Exchange(name, user, reply, at=5.0, context=f"recalled for {user}") for user, reply in pairs)
    return Conversation(name, 1.0, 5.0, exchanges, summary=summary)


def shown(*said: str) -> tuple[Message, ...]:
    return tuple(Message("assistant" if n % 2 else "user", text) for n, text in enumerate(said))


def texts(exchanges: list[Exchange]) -> list[str]:
    return [text for exchange in exchanges for text in (exchange.user, exchange.reply)]


def test_the_conversation_is_found_by_its_last_two_exchanges() -> None:
    one, other = held("one", "a", "A", "b", "B"), held("other", "c", "C", "b", "B")
    assert screen.find([other, one], shown("a", "A", "b", "B")) is one
    assert screen.find([one, other], shown("c", "C", "b", "B")) is other


def test_a_client_that_has_trimmed_the_beginning_is_recognised_by_the_last_exchange() -> None:
    assert screen.find([held("one", "a", "A", "b", "B")], shown("b", "B")) is not None


def test_a_reply_that_was_asked_for_again_belongs_to_its_conversation() -> None:
    one = held("one", "a", "A", "b", "B", "c", "C")
    assert screen.find([one], shown("a", "A", "b", "B")) is one


def test_the_line_behind_a_reply_that_says_what_was_remembered_hinders_nothing() -> None:
    assert screen.find([held("one", "a", "A")], shown("a", "A\n\nRemembered: a.")) is not None


def test_nothing_shown_is_no_conversation() -> None:
    assert screen.find([held("one", "a", "A")], ()) is None
    assert screen.find([held("one", "a", "A")], shown("a", "other")) is None


def test_what_was_recalled_stays_where_the_model_has_read_it() -> None:
    merged = screen.merged(shown("a", "A", "b", "B"), held("one", "a", "A", "b", "B"))
    assert [exchange.context for exchange in merged] == ["recalled for a", "recalled for b"]


def test_an_edited_message_is_prompted_as_it_is_shown() -> None:
    merged = screen.merged(shown("a", "A", "b!", "B!"), held("one", "a", "A", "b", "B"))
    assert texts(merged) == ["a", "A", "b!", "B!"]
    assert merged[0].context
    assert not merged[1].context


def test_what_the_client_has_dropped_of_the_beginning_is_kept() -> None:
    assert texts(screen.merged(shown("b", "B"), held("one", "a", "A", "b", "B"))) == ["a", "A", "b", "B"]


def test_a_summary_stands_for_what_is_shown_from_before_the_window() -> None:
    history = shown("a", "A", "b", "B")
    assert texts(screen.merged(history, held("one", "b", "B", summary="- a"))) == ["b", "B"]
    assert texts(screen.merged(history, held("one", "b", "B"))) == ["a", "A", "b", "B"]


def test_what_we_do_not_know_is_prompted_as_it_is_shown() -> None:
    assert texts(screen.merged(shown("x", "X"), held("one", "a", "A"))) == ["x", "X"]


def test_messages_of_one_role_in_a_row_are_one() -> None:
    said = (Message("assistant", "hello"), Message("user", "a"), Message("user", "b"), Message("assistant", "B"))
    assert screen.exchanges(said) == [("", "hello"), ("a\n\nb", "B")]
