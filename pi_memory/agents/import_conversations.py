"""Imports conversations from elsewhere: searchable, but neither tagged nor (by default) learned from.

Importing the same conversation again adds nothing; a longer version adds its new messages.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import sqlite_utils
from msgspec import Struct
from msgspec.structs import replace

from pi_memory.errors import Conflict
from pi_memory.protocols import Clock
from pi_memory.retrieval.message_index import MessageIndex, NewMessage
from pi_memory.store import imports, tombstones
from pi_memory.store.database import Database
from pi_memory.store.imports import ImportEntry, KnownMessage
from pi_memory.types import Exchange, Role


class ImportedMessage(Struct, frozen=True):
    """A message as it was given; without a time it comes a second after the one before."""

    role: Role
    content: str
    at: float | None = None
    ref: str | None = None


class Given(Struct, frozen=True):
    """A conversation as it was given, its messages in order."""

    conversation_id: str
    messages: tuple[ImportedMessage, ...]
    project: str | None = None


Fresh = tuple[Exchange, tuple[NewMessage, ...]]
"""A new exchange and its messages."""


class ConversationImport:
    """Imports conversations, one request after the other, so that the same one in two requests is noticed."""

    def __init__(self, db: Database, passages: MessageIndex, *, clock: Clock) -> None:
        self._db = db
        self._passages = passages
        self._clock = clock
        self._turn = asyncio.Lock()

    async def take(self, given: Sequence[Given], *, extract: bool = False, wait: bool = True) -> int:
        """Store the new messages of these conversations, all or nothing, and return how many.

        With `wait` their vectors exist when this returns, else search finds them by words at first. With `extract` they
        are queued for learning. Raises `Conflict` for a conversation that was held here, and `StoreError`.
        """
        async with self._turn:
            fresh = await self._db.read(partial(_fresh, given=given, now=self._clock()))
            messages = [message for _, pair in fresh for message in pair]
            if not messages:
                return 0
            if wait:
                await self._passages.ready()
            made = iter(await self._passages.made(messages, embed=wait))
            entries = [ImportEntry(exchange, tuple(next(made) for _ in pair)) for exchange, pair in fresh]
            ids = await self._db.write(partial(imports.add, entries=entries, at=self._clock(), extract=extract))
            await self._passages.reread(ids)
            await self._db.flush()
            return len(messages)

    async def check(self, given: Sequence[Given]) -> None:
        """Raises `Conflict` as `take` would. Stores nothing."""
        await self._db.read(partial(_fresh, given=given, now=self._clock()))


def _fresh(db: sqlite_utils.Database, *, given: Sequence[Given], now: float) -> list[Fresh]:
    """The exchanges of messages that neither the store nor an earlier line has. Raises `Conflict`."""
    known: dict[str, list[KnownMessage]] = {}
    fresh: list[Fresh] = []
    for conversation in given:
        name = conversation.conversation_id
        if name not in known:
            known[name] = imports.known(db, name)
        messages = tuple(unknown(_kept(db, conversation.messages), known[name]))
        if messages and imports.source_of(db, name) not in (None, "import"):
            raise Conflict(
                f"conversation_id: {name} was held here and is no import",
                hint="Give the imported conversation another id.",
            )
        known[name] += [KnownMessage(m.role, m.content, m.at, m.ref) for m in messages]
        fresh += _exchanges(replace(conversation, messages=messages), now)
    return fresh


def _kept(db: sqlite_utils.Database, messages: Sequence[ImportedMessage]) -> tuple[ImportedMessage, ...]:
    """The messages without those forgotten here."""
    said = [replace(message, content=tombstones.message_left(db, message.content)) for message in messages]
    return tuple(message for message in said if message.content.strip())


def unknown(given: Sequence[ImportedMessage], known: Sequence[KnownMessage]) -> Iterator[ImportedMessage]:
    """The messages of `given` that are not among `known`. A message without a time matches any time."""
    dated = Counter((k.role, k.content, k.ref, k.at) for k in known)
    undated = Counter((k.role, k.content, k.ref) for k in known)
    for message in given:
        key = (message.role, message.content, message.ref)
        there = undated[key] if message.at is None else dated[(*key, message.at)]
        if not there:
            yield message
            continue
        undated[key] -= 1
        if message.at is not None:
            dated[(*key, message.at)] -= 1


def _exchanges(given: Given, now: float) -> Iterator[tuple[Exchange, tuple[NewMessage, ...]]]:
    """Exchanges from messages: a reply joins the user message right before it; any other message stands alone."""
    dated = _dated(given.messages, now)
    at = 0
    while at < len(dated):
        pair = dated[at : at + 2] if [m.role for m in dated[at : at + 2]] == ["user", "assistant"] else [dated[at]]
        at += len(pair)
        said = {m.role: m.content for m in pair}
        begun = pair[0].at or 0.0
        exchange = Exchange(
            conversation_id=given.conversation_id,
            user=said.get("user", ""),
            reply=said.get("assistant", ""),
            at=begun,
            project=given.project,
            source="import",
        )
        yield (
            exchange,
            tuple(NewMessage(m.role == "assistant", m.content, None if m.at == begun else m.at, m.ref) for m in pair),
        )


def _dated(messages: Sequence[ImportedMessage], now: float) -> list[ImportedMessage]:
    """The messages with a time each: a second after the one before, or before the one after, or up to `now`."""
    first = next((i for i, m in enumerate(messages) if m.at is not None), None)
    begun = now - len(messages) if first is None else (messages[first].at or 0.0) - first
    dated: list[ImportedMessage] = []
    for message in messages:
        begun = begun if message.at is None else message.at
        dated.append(replace(message, at=max(0.0, begun)))
        begun += 1
    return dated
