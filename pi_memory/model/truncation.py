"""Truncates a conversation for questions of memory when the context cannot hold it and the question. Pure."""

from collections.abc import Iterator, Sequence

from pi_memory.types import Message


def newest(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """All messages; then the system message and the newest exchange alone.

    For questions about the newest exchange. All others are left out at once: each exchange kept behind a gap would be
    evaluated again.
    """
    yield messages
    starts = _starts(messages)
    if len(starts) > 1:
        yield [*messages[: starts[0]], *messages[starts[-1] :]]


def oldest(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """All messages; then all but the last exchange, all but the last two, and so on, down to one exchange.

    For summaries: the newest exchanges stay in the window. The beginning is evaluated already.
    """
    yield messages
    for start in reversed(_starts(messages)[1:]):
        yield messages[:start]


def _starts(messages: Sequence[Message]) -> list[int]:
    """Indexes where exchanges begin."""
    return [index for index, message in enumerate(messages) if message.role == "user"]
