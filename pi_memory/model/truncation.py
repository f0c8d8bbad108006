"""What of a conversation memory asks about when the context has no room for all of it and the question. Pure."""

from collections.abc import Iterator, Sequence

from pi_memory.types import Message


def newest(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """All messages; then what the system said and the newest exchange alone.

    For questions about what was said last. What is between is left out at once: each exchange that is kept behind a
    gap is evaluated again.
    """
    yield messages
    starts = _starts(messages)
    if len(starts) > 1:
        yield [*messages[: starts[0]], *messages[starts[-1] :]]


def oldest(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """All messages; then those before the last exchange, before the last two, and so on, one exchange at the least.

    For summaries: what is newest stays in the window as it was said. A beginning is evaluated already.
    """
    yield messages
    for start in reversed(_starts(messages)[1:]):
        yield messages[:start]


def _starts(messages: Sequence[Message]) -> list[int]:
    """Where exchanges begin."""
    return [index for index, message in enumerate(messages) if message.role == "user"]
