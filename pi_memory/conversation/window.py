"""Steps 1 and 6 of a turn: the last exchanges of every conversation, in RAM."""

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from pi_memory.conversation import prompt
from pi_memory.event_bus import Events, FocusEdited, TextForgotten
from pi_memory.types import Exchange, Message, Prompted, Receipt, Standing

Clean = Callable[..., str]
"""A function that cleans a text, given the message that it answers."""

MOST_PENDING = 3
MOST_CHARACTERS = 300
"""Most characters of pending notices, so that they do not fill a conversation's context."""


class Conversation(Struct):
    """A conversation's last exchanges; `pending` are notices that go with the next message.

    `summary` stands for the exchanges that it does not hold any more. `instructions` are those of its client.
    """

    id: str
    started_at: float
    last_at: float
    exchanges: deque[Exchange]
    project: str | None = None
    standing: Standing | None = None
    summary: str = ""
    pending: list[str] = field(default_factory=list)
    instructions: str = ""

    @property
    def system(self) -> str:
        text = prompt.system_text(self.standing.text if self.standing else "", self.summary)
        # Last, as some clients put the time in them, and what follows a change is evaluated anew.
        return "\n\n".join(filter(None, (text, self.instructions)))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The first messages of the next prompt."""
        return prompt.messages(self.system, self.exchanges)


class ConversationWindows:
    """The conversations that are alive, least recently used first.

    What a conversation holds is cut by `fold` alone, in blocks, so that the beginning of its prompt stands still.

    Args:
        ttl: idle seconds after which a conversation is over; 0: never.
        max_conversations: how many are kept.
        clean: takes what is not to be kept out of a text.
    """

    def __init__(
        self,
        *,
        ttl: float,
        max_conversations: int,
        clean: Clean = lambda text, question="": text,
        events: Events | None = None,
    ) -> None:
        if events is not None:
            events.subscribe(FocusEdited, lambda edited: self.mention(edited.line))
            events.subscribe(TextForgotten, self._forget)
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._gave_way: list[Conversation] = []
        self._clean = clean
        self._ttl = ttl
        self._max_conversations = max_conversations

    def __len__(self) -> int:
        return len(self._conversations)

    def get(self, conversation_id: str, now: float) -> Conversation | None:
        """A copy of a living conversation."""
        found = self._conversations.get(conversation_id)
        if found is None or self._expired(found, now):
            return None
        exchanges, pending = found.exchanges.copy(), found.pending.copy()
        return replace(found, exchanges=exchanges, pending=pending)

    def recent(self, prefix: str, now: float) -> Iterator[Conversation]:
        """Living conversations whose id begins with `prefix`, those that were gone on with last first; not to be
        changed.
        """
        alive = (found for name, found in reversed(self._conversations.items()) if name.startswith(prefix))
        return (found for found in alive if not self._expired(found, now))

    def last(self, conversation_id: str) -> Conversation | None:
        """A copy of a conversation at its last exchange, whether or not it has expired."""
        found = self._conversations.get(conversation_id)
        return found and self.get(conversation_id, found.last_at)

    def messages(self, conversation_id: str) -> Sequence[Message]:
        """The messages of a conversation, as prompts have them; none if it is not known."""
        found = self.last(conversation_id)
        return found.messages if found else ()

    def ids(self) -> list[str]:
        return list(self._conversations)

    def prompted(self) -> dict[str, Prompted]:
        """The prompted text of each conversation, as `resume` takes it."""
        return {
            name: Prompted(found.standing, tuple((e.at, e.context, e.recalled) for e in found.exchanges))
            for name, found in self._conversations.items()
            if found.standing
        }

    def expires_at(self, conversation: Conversation) -> float | None:
        return conversation.last_at + self._ttl if self._ttl else None

    def new(self, conversation_id: str, now: float) -> Conversation:
        """An empty conversation, not stored until `append`."""
        return Conversation(conversation_id, now, now, deque())

    def resume(
        self,
        conversation_id: str,
        exchanges: Sequence[Exchange],
        *,
        summary: str = "",
        prompted: Prompted | None = None,
    ) -> None:
        """Restore a conversation of an earlier run by its last exchanges, as the most recently used."""
        conversation = self.new(conversation_id, exchanges[0].at)
        conversation.exchanges.extend(exchanges)
        conversation.summary = summary
        if prompted is not None:
            conversation.standing = prompted.standing
            # The last ones are the same, unless a full disk has kept some from being stored.
            for n, (at, context, recalled) in enumerate(reversed(prompted.exchanges[-len(exchanges) :]), 1):
                if exchanges[-n].at == at:
                    conversation.exchanges[-n] = replace(exchanges[-n], context=context, recalled=recalled)
        conversation.project, conversation.last_at = exchanges[-1].project, exchanges[-1].at
        self._put(conversation)

    def append(self, conversation: Conversation, exchange: Exchange) -> None:
        """Add an exchange to a conversation and keep it; of too many conversations the least recently used gives way.

        What was folded, forgotten or mentioned while the exchange went on stays so: `conversation` is an older copy.
        """
        known = self._conversations.get(conversation.id)
        if known is None or known.started_at != conversation.started_at:
            # There is no such conversation: it is new, or it ended meanwhile, or a conversation with this id
            # expired and began anew.
            known = self.new(conversation.id, conversation.started_at)
        unsaid = [text for text in known.pending if text not in conversation.pending]
        # Also what was prompted before it was forgotten; all else is clean.
        kept = _cleaned(exchange, self._clean)
        exchanges = deque((*known.exchanges, *([kept] if kept.user or kept.reply else [])))
        after = replace(conversation, exchanges=exchanges, summary=known.summary, last_at=exchange.at, pending=unsaid)
        _rewrite_standing(after, self._clean)
        self._put(after)

    def fold(self, conversation_id: str, count: int, summary: str) -> None:
        """Replace the first `count` exchanges, and the earlier summary, by `summary`."""
        conversation = self._conversations.get(conversation_id)
        if conversation is not None:
            conversation.exchanges = deque(list(conversation.exchanges)[count:])
            conversation.summary = self._clean(summary)

    def _forget(self, forgotten: TextForgotten) -> None:
        self.drop(forgotten.erased)
        self.rewrite(forgotten.clean)

    def rewrite(self, clean: Clean) -> None:
        """Apply a function to every text."""
        for conversation in self._conversations.values():
            _rewrite(conversation, clean)

    def restamp(self, right: Callable[[float], float]) -> None:
        """Correct times stamped by a wrong clock."""
        for conversation in self._conversations.values():
            conversation.exchanges = deque(replace(e, at=right(e.at)) for e in conversation.exchanges)
            conversation.last_at = right(conversation.last_at)

    def drop(self, said: Collection[tuple[str, float, str]]) -> None:
        """Remove exchanges, by conversation, time and message."""
        for name in {name for name, _, _ in said} & self._conversations.keys():
            found = self._conversations[name]
            found.exchanges = deque(e for e in found.exchanges if (name, e.at, e.user) not in said)

    def mention(self, text: str) -> None:
        """Add a notice to the next message of every living conversation; only the last few are kept."""
        for conversation in self._conversations.values():
            conversation.pending[:] = [*conversation.pending, text[:MOST_CHARACTERS]][-MOST_PENDING:]

    def end(self, conversation_id: str) -> Conversation | None:
        """Remove and return a conversation, None if it is not there."""
        return self._conversations.pop(conversation_id, None)

    def sweep(self, now: float) -> list[Conversation]:
        """Remove and return the expired conversations, and those evicted since the last sweep."""
        ended = [c for c in self._gave_way if c.id not in self._conversations]
        self._gave_way.clear()
        while self._conversations:
            oldest = next(iter(self._conversations.values()))
            if not self._expired(oldest, now):
                break
            ended.append(self._conversations.pop(oldest.id))
        return ended

    def _put(self, conversation: Conversation) -> None:
        self._conversations[conversation.id] = conversation
        self._conversations.move_to_end(conversation.id)
        while len(self) > self._max_conversations:
            self._gave_way.append(self._conversations.popitem(last=False)[1])

    def _expired(self, conversation: Conversation, now: float) -> bool:
        return bool(self._ttl) and now - conversation.last_at > self._ttl


def _rewrite(conversation: Conversation, clean: Clean) -> None:
    cleaned = (_cleaned(exchange, clean) for exchange in conversation.exchanges)
    conversation.exchanges = deque(exchange for exchange in cleaned if exchange.user or exchange.reply)
    conversation.summary = clean(conversation.summary)
    conversation.pending = [clean(text) for text in conversation.pending]
    _rewrite_standing(conversation, clean)


def _rewrite_standing(conversation: Conversation, clean: Clean) -> None:
    if conversation.standing:
        conversation.standing = replace(conversation.standing, text=clean(conversation.standing.text))


def _cleaned(exchange: Exchange, clean: Clean) -> Exchange:
    return replace(
        exchange,
        user=clean(exchange.user),
        reply=clean(exchange.reply, exchange.user),
        context=clean(exchange.context),
        recalled=tuple(map(clean, exchange.recalled)),
        receipt=exchange.receipt and _cleaned_receipt(exchange.receipt, clean),
    )


def _cleaned_receipt(receipt: Receipt, clean: Clean) -> Receipt:
    return replace(
        receipt,
        context=clean(receipt.context),
        recalled=tuple(each for each in receipt.recalled if clean(each.content) == each.content),
        stated=tuple(map(clean, receipt.stated)),
    )
