"""The index of messages: what is said is found at once, by its meaning as soon as there is an embedder."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import sqlite_utils

from pi_memory.embedding import token_codes
from pi_memory.embedding.none import NoEmbedder
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.retrieval.message_index import MessageIndex, namespace_of
from pi_memory.store import embedders, exchanges, messages
from pi_memory.store.database import Database
from pi_memory.types import Exchange
from pi_memory.worker import Worker
from tests.fakes import FakeEmbedder, FakeTokenEmbedder


@asynccontextmanager
async def indexing(path: Path, embedder: Embedder) -> AsyncIterator[tuple[MessageIndex, Database]]:
    """An index on a database file, from a start to a stop."""

    async def load() -> Embedder:
        return embedder

    loader: Loader[Embedder] = Loader(load, fallback=NoEmbedder())
    db = await Database.open(path)
    index = MessageIndex(db, loader, worker=Worker("compute"))
    loader.start()
    await loader.ready()
    await index.start()
    await index.ready()
    try:
        yield index, db
    finally:
        await index.stop()
        await db.close()


async def say(index: MessageIndex, db: Database, user: str, reply: str = "Noted.") -> int:
    exchange = Exchange("c", user, reply, 1.0)
    number = await db.write(partial(exchanges.add, exchange=exchange))
    await index.index(number, exchange)
    return number


async def without_vectors(db: Database, embedder: Embedder) -> int:
    space = await db.write(partial(embedders.number, name=embedder.id, dimensions=embedder.dimensions))
    return len(await db.read(partial(messages.without_vectors, space=space, limit=100)))


def without_codes(db: sqlite_utils.Database) -> None:
    db.execute("update passages set codes = null")


def test_both_messages_of_an_exchange_are_indexed_and_an_empty_one_is_not(tmp_path: Path) -> None:
    async def main() -> None:
        async with indexing(tmp_path / "m.db", NoEmbedder()) as (index, db):
            first, second = await say(index, db, "hello"), await say(index, db, "hello", "  ")
            ids = [messages.id_of(first, reply=False), messages.id_of(first, reply=True)]
            assert index.ram_index.ids.tolist() == [*ids, messages.id_of(second, reply=False)]

    asyncio.run(main())


def test_indexing_again_changes_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with indexing(tmp_path / "m.db", FakeEmbedder()) as (index, db):
            number = await say(index, db, "hello")
            await index.index(number, Exchange("c", "hello", "Noted.", 1.0))
            assert len(index.ram_index) == 2
            assert await without_vectors(db, FakeEmbedder()) == 0

    asyncio.run(main())


def test_an_embedder_that_comes_later_fills_in_what_is_missing(tmp_path: Path) -> None:
    async def before() -> None:
        async with indexing(tmp_path / "m.db", NoEmbedder()) as (index, db):
            await say(index, db, "hello")

    async def after() -> None:
        async with indexing(tmp_path / "m.db", FakeEmbedder()) as (index, db):
            assert len(index.ram_index) == 2
            async with asyncio.timeout(10):
                while await without_vectors(db, FakeEmbedder()):  # noqa: ASYNC110 - it happens while nobody waits
                    await asyncio.sleep(0)

    asyncio.run(before())
    asyncio.run(after())


def test_codes_of_tokens_are_filled_in_for_what_has_only_vectors(tmp_path: Path) -> None:
    async def main() -> None:
        embedder = FakeTokenEmbedder()
        async with indexing(tmp_path / "m.db", embedder) as (index, db):
            number = await say(index, db, "the red pump")
            ids = [messages.id_of(number, reply=reply) for reply in (False, True)]
            made = await db.read(partial(messages.codes, ids=ids, space=embedder.id))
            assert made[ids[0]] == token_codes.codes([embedder.tokens("the red pump")])
            await db.write(without_codes)
        async with indexing(tmp_path / "m.db", embedder) as (index, db):
            async with asyncio.timeout(10):
                while await without_vectors(db, embedder):  # noqa: ASYNC110 - it happens while nobody waits
                    await asyncio.sleep(0)
            assert await db.read(partial(messages.codes, ids=ids, space=embedder.id)) == made
            assert index.ram_index.matrix is not None
            assert len(index.ram_index.matrix) == 2

    asyncio.run(main())


def test_what_is_rewritten_loses_its_codes_until_they_are_made_again(tmp_path: Path) -> None:
    async def main() -> None:
        embedder = FakeTokenEmbedder()
        async with indexing(tmp_path / "m.db", embedder) as (index, db):
            number = await say(index, db, "the red pump is behind the shed")

            def cleaned(db: sqlite_utils.Database) -> None:
                with messages.rewritten(db, number):
                    db.execute("update exchanges set user = 'the red pump' where id = ?", (number,))

            await db.write(cleaned)
            spoken = messages.id_of(number, reply=False)
            assert spoken not in await db.read(partial(messages.codes, ids=[spoken], space=embedder.id))

    asyncio.run(main())


def test_what_is_erased_is_found_no_more(tmp_path: Path) -> None:
    async def main() -> None:
        async with indexing(tmp_path / "m.db", NoEmbedder()) as (index, db):
            gone, kept = await say(index, db, "one"), await say(index, db, "two")
            await db.write(lambda db: messages.erase(db, [gone]))
            await index.reread([gone, kept])
            assert index.ram_index.ids.tolist() == [messages.id_of(kept, reply=reply) for reply in (False, True)]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("project", "namespace"), [(None, "user"), ("", "user"), ("/", "user"), ("/home/me/shop", "project/shop")]
)
def test_a_message_belongs_to_its_project(project: str | None, namespace: str) -> None:
    assert namespace_of(project) == namespace
