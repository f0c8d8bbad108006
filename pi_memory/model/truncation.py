"""Truncates a conversation for questions of memory when the context cannot hold it and the question."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pi_memory.errors import Unprocessable
from pi_memory.types import Message

T = TypeVar("T")


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


def asked(cuts: Iterable[Sequence[Message]], instruction: str, fits: Callable[[Sequence[Message]], T]) -> T:
    """What `fits` returns for the first of `cuts` with the instruction behind it that it does not refuse.

    Raises its `Unprocessable` for the first of them when it refuses all.
    """
    question, first = Message("user", instruction), None
    for messages in cuts:
        try:
            return fits([*messages, question])
        except Unprocessable as error:
            first = first or error
    assert first, "the whole conversation is the first cut"
    raise first


def _starts(messages: Sequence[Message]) -> list[int]:
    """Indexes where exchanges begin."""
    return [index for index, message in enumerate(messages) if message.role == "user"]
