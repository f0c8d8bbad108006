"""What a client shows of a conversation, beside what we hold of it. Pure.

Clients of other programs' protocols send the whole conversation with each message. It is the truth of what is on their
screen: they edit messages, ask for a reply again, drop the beginning, and mix in what other models said. What we hold
has in addition what was recalled for each message, in whose place the model has evaluated it already.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pi_memory.conversation.window import Conversation
from pi_memory.types import UNKEPT, Exchange, Message

Shown = tuple[str, str]
"""A message and its reply, as a client shows them."""


def exchanges(messages: Iterable[Message]) -> list[Shown]:
    """Messages in pairs; several of one role in a row are one, and one that has no reply, or answers nothing, stands
    alone.
    """
    texts = [(role, "\n\n".join(m.content for m in said)) for role, said in groupby(messages, lambda m: m.role)]
    pairs: list[Shown] = []
    for role, text in texts:
        if role == "user":
            pairs.append((text, ""))
        elif pairs and not pairs[-1][1]:
            pairs[-1] = (pairs[-1][0], text)
        else:
            pairs.append(("", text))
    return pairs


def find(conversations: Iterable[Conversation], messages: Sequence[Message]) -> Conversation | None:
    """The first conversation that holds the last two exchanges of what is shown, else the last one; None without.

    Two that began alike and got the same reply cannot be distinguished until they differ.
    """
    shown, held = exchanges(messages)[-2:], list(conversations)
    for tail in (shown, shown[-1:]):
        for conversation in held:
            if tail and _holds(list(conversation.exchanges), tail):
                return conversation
    return None


def merged(messages: Sequence[Message], conversation: Conversation) -> list[Exchange]:
    """The exchanges that the prompt is to have: those shown, as we hold them where we do.

    What a client no longer shows of the beginning is kept; what it shows from before our window is left to the
    conversation's summary, if there is one.
    """
    shown, ours = exchanges(messages), list(conversation.exchanges)
    placed = list(_placed(shown, ours))
    first = next((n for n, at in enumerate(placed) if at is not None), None)
    if first is None:
        return [_plain(pair, conversation) for pair in shown]
    begins = placed[first]
    assert begins is not None
    before: list[Exchange] = []
    if first == 0:
        before = ours[:begins]
    elif begins or not conversation.summary:
        before = [_plain(pair, conversation) for pair in shown[:first]]
    rest = zip(shown[first:], placed[first:], strict=True)
    return before + [_plain(pair, conversation) if at is None else ours[at] for pair, at in rest]


def _placed(shown: Sequence[Shown], ours: Sequence[Exchange]) -> Iterator[int | None]:
    """Where we hold each exchange that is shown, in order."""
    after = 0
    for pair in shown:
        at = next((n for n in range(after, len(ours)) if _same(ours[n], pair)), None)
        after = after if at is None else at + 1
        yield at


def _holds(ours: Sequence[Exchange], tail: Sequence[Shown]) -> bool:
    starts = range(len(ours) - len(tail) + 1)
    return any(all(map(_same, ours[n : n + len(tail)], tail)) for n in starts)


def _same(held: Exchange, shown: Shown) -> bool:
    """Behind the reply a client also shows what was remembered; we do not hold what was to be forgotten."""
    user, reply = (text.strip() for text in shown)
    said = held.reply.strip()
    answered = reply.startswith(said) if said else not reply
    return answered and (held.user.strip() == user or UNKEPT in held.user)


def _plain(pair: Shown, conversation: Conversation) -> Exchange:
    return Exchange(conversation.id, user=pair[0], reply=pair[1], at=conversation.started_at)
