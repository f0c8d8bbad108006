"""The index of verbatim messages: stored as exchanges are processed, with words and, with an embedder, vectors.

Missing vectors, and those of another embedder, are computed in the background.
"""

import asyncio
import logging
from collections.abc import Collection, Sequence
from functools import partial

import numpy as np
import sqlite_utils
from msgspec import Struct

from pi_memory.embedding import token_codes
from pi_memory.embedding.pieces import pieces_of
from pi_memory.embedding.quantized import Matrix, pack, unpack
from pi_memory.embedding.token_codes import Tokens
from pi_memory.errors import EmbedderError
from pi_memory.event_bus import Events, TextForgotten
from pi_memory.loader import Loader
from pi_memory.memories import namespaces
from pi_memory.protocols import Embedder
from pi_memory.retrieval.ram_index import Item, RamIndex
from pi_memory.store import embedders, message_fts
from pi_memory.store import messages as stored
from pi_memory.store.database import Database
from pi_memory.store.messages import ASIDE, Kept, Passage
from pi_memory.tasks import BackgroundWorker, until_done
from pi_memory.text.intent import only_asks
from pi_memory.types import Exchange, Vectors
from pi_memory.worker import Worker

LOADED_AT_ONCE = 500
FILLED_AT_ONCE = 16

logger = logging.getLogger(__name__)


class NewMessage(Struct, frozen=True):
    """A message that is to be searchable: the passage's id, and what `Passage` wants besides."""

    id: int
    text: str
    at: float | None = None
    ref: str | None = None
    aside: int = 0


class MessageIndex:
    """`ram_index` is what recall searches."""

    def __init__(
        self, db: Database, embedder: Loader[Embedder], *, worker: Worker, events: Events | None = None
    ) -> None:
        self.ram_index = RamIndex(messages=True)
        self._worker = worker
        self._db = db
        self._embedder = embedder
        self._space: int | None = None
        self._ready = asyncio.Event()
        self._filling = BackgroundWorker("Making the vectors of messages", self._fill_in)
        if events is not None:
            events.subscribe(TextForgotten, lambda forgotten: self.reread(forgotten.exchange_ids))

    async def start(self) -> None:
        """Index everything by its words; by vectors once the embedder is ready."""
        self._db.write(message_fts.index)  # not awaited: a full disk must not keep the daemon from starting
        await self._load(None)
        self._filling.start()

    async def stop(self) -> None:
        await self._filling.stop()

    async def ready(self) -> None:
        """Wait until the embedder is loaded or has failed."""
        await self._ready.wait()

    async def index(self, exchange_id: int, exchange: Exchange, *, aside: int = 0) -> None:
        """Index the messages of an exchange. The user's may state nothing: `aside` is `ASIDE` or `REMARK` then.
        Idempotent. Raises `StoreError`.
        """
        asks = ASIDE * (only_asks(exchange.user) or _is_said_elsewhere(exchange)) or aside
        answers = ASIDE * (exchange.source == "chat")  # what an agent did may be an answer
        messages = [
            NewMessage(stored.id_of(exchange_id, reply=reply), text, aside=aside)
            for reply, text, aside in ((False, exchange.user, asks), (True, exchange.reply, answers))
            if text.strip()
        ]
        made = await self.made(messages)
        space = self._space
        kept = await self._db.write(partial(_added, made=made, exchange_id=exchange_id, space=space))
        await self._shelve(kept)
        if space is not None and not all(each.vectors for each in kept):
            self._filling.wake()

    async def made(self, messages: Sequence[NewMessage], *, embed: bool = True) -> list[Passage]:
        """Messages with vectors if the embedder works; otherwise the vectors follow."""
        space = self._space if embed else None
        embedded: Sequence[tuple[bytes, bytes] | tuple[None, None]] = [(None, None)] * len(messages)
        try:
            if space is not None:
                embedded = await self._embed([m.text for m in messages])
        except EmbedderError as error:
            logger.warning("%s; the vectors follow", error.message)
            space = None
        return [
            Passage(m.id, m.text, vectors, space, m.at, m.ref, m.aside, codes)
            for m, (vectors, codes) in zip(messages, embedded, strict=True)
        ]

    async def reread(self, exchange_ids: Collection[int]) -> None:
        """Update the index after texts of exchanges were rewritten or erased."""
        ids = [stored.id_of(number, reply=reply) for number in exchange_ids for reply in (False, True)]
        left = await self._db.read(partial(stored.of, exchange_ids=exchange_ids, space=self._space))
        items = await self._worker.run(_items, left, self._dimensions)
        self.ram_index.remove(ids)
        self.ram_index.put(items)
        self._filling.wake()

    async def erased(self) -> None:
        """Update the index after old exchanges were erased."""
        left = await self._db.read(stored.ids)
        self.ram_index.remove(np.setdiff1d(self.ram_index.ids, left).tolist())

    async def _fill_in(self) -> None:
        """Once the embedder is ready: load its vectors into RAM, then compute missing ones, now and later."""
        if self._space is None:
            await until_done("Loading the vectors of messages", self._open)
        if self._space is not None:
            await self._fill(self._space)

    async def _open(self) -> None:
        """Nothing without an embedder. When it fails, messages are found by their words until it is done again."""
        try:
            embedder = await self._embedder.ready()
            if embedder.dimensions:
                made = partial(embedders.number, name=embedder.id, dimensions=embedder.dimensions)
                self._space = await self._db.write(made)
                self.ram_index.matrix = Matrix(embedder.dimensions)
                await self._load(self._space)
        finally:
            self._ready.set()

    async def _load(self, space: int | None) -> None:
        last = 0
        while found := await self._db.read(partial(stored.after, id_=last, space=space, limit=LOADED_AT_ONCE)):
            await self._shelve(found)
            last = found[-1].id

    async def _fill(self, space: int) -> None:
        """Compute vectors a few at a time: a chat's query need not wait, and what is done stays done."""
        while missing := await self._db.read(partial(stored.without_vectors, space=space, limit=FILLED_AT_ONCE)):
            embedded = await self._embed([text for _, text, _ in missing])
            made = [(id_, *each) for (id_, _, _), each in zip(missing, embedded, strict=True)]
            await self._db.write(partial(stored.put_vectors, made=made, space=space))
            for (id_, packed, _), (_, _, is_known) in zip(made, missing, strict=True):
                if not is_known:
                    self.ram_index.embed(id_, unpack(packed, self._dimensions))

    @property
    def _dimensions(self) -> int:
        return self._embedder.now.dimensions

    async def _shelve(self, found: Sequence[Kept]) -> None:
        self.ram_index.put(await self._worker.run(_items, found, self._dimensions))

    async def _embed(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """The vectors of each text, packed, and the codes of its tokens; those of its pieces, if it is long."""
        pieces = await self._worker.run(lambda: [pieces_of(text) for text in texts])
        vectors, tokens = await token_codes.embed(self._embedder.now, [piece for text in pieces for piece in text])
        return await self._worker.run(partial(_packed, vectors, tokens, counts=[len(text) for text in pieces]))


def _is_said_elsewhere(exchange: Exchange) -> bool:
    """Whether a message says nothing without the answer before it, which a memory says in its stead."""
    return any(stated.instead_of and stated.quote == exchange.user.strip() for stated in exchange.stated or ())


def _items(found: Sequence[Kept], dimensions: int) -> list[Item]:
    return [
        Item(
            k.id,
            k.session_id,
            namespace_of(k.project),
            k.length,
            unpack(k.vectors, dimensions) if k.vectors else None,
            k.at,
            aside=k.aside == ASIDE,
        )
        for k in found
    ]


def _added(db: sqlite_utils.Database, *, made: Sequence[Passage], exchange_id: int, space: int | None) -> list[Kept]:
    """Store the passages of an exchange; what RAM keeps of them."""
    stored.add(db, made)
    return stored.of(db, [exchange_id], space=space)


def namespace_of(project: str | None) -> str:
    """The namespace of a message that was said in `project`."""
    name = namespaces.named(project)
    return namespaces.of_project(name) if name else namespaces.EVERYONE


def _packed(vectors: Vectors, tokens: Sequence[Tokens], *, counts: Sequence[int]) -> list[tuple[bytes, bytes]]:
    """Of texts that have so many pieces each."""
    ends = np.cumsum(counts).tolist()
    slices = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
    return [(pack(vectors[each]).to_bytes(), token_codes.codes(tokens[each])) for each in slices]
