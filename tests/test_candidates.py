"""Candidates of a search: the texts with the most evidence, without what stands in the prompt. Real database."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from pi_memory.retrieval.candidates import PromptWindow, SearchSpace, Wanted, look_up
from pi_memory.retrieval.ram_index import Item, RamIndex
from pi_memory.store import exchanges, memories, memory_fts, messages
from pi_memory.store.database import Database
from pi_memory.store.messages import Passage, id_of
from pi_memory.types import Candidate, Exchange, Memory


def everywhere(namespace: str) -> bool:
    return True


async def remember(db: Database, *texts: str) -> SearchSpace:
    """Memories of these texts, and where to look for them."""
    index = RamIndex()
    for text in texts:
        memory = await db.write(partial(memories.add, candidate=Candidate(text), at=0.0))
        index.put([Item(memory.id, -memory.id, "user", len(text), None)])
    await db.write(memory_fts.index)
    return SearchSpace("memory", index.view(everywhere), None)


async def say(db: Database, *texts: str) -> SearchSpace:
    """Messages of one conversation, a second apart, and where to look for them."""
    index = RamIndex()
    for at, text in enumerate(texts):
        number = await db.write(partial(exchanges.add, exchange=Exchange("c", text, "", float(at))))
        passage = Passage(id_of(number, reply=False), text)
        await db.write(partial(messages.add, passages=[passage]))
        index.put([Item(passage.id, 1, "user", len(text), None)])
    return SearchSpace("exchange", index.view(everywhere), None)


async def found(
    db: Database, *places: SearchSpace, terms: Sequence[str], most: int = 5, window: PromptWindow | None = None
) -> list[str]:
    hits = await db.read(partial(look_up, places=places, wanted=Wanted(terms, most, window)))
    return [text.content if isinstance(text, Memory) else text.text for _, text in hits]


def with_database(work: Callable[[Database], Awaitable[None]]) -> None:
    async def main() -> None:
        db = await Database.open(None)
        await work(db)
        await db.close()

    asyncio.run(main())


def test_the_text_with_more_of_the_terms_comes_first() -> None:
    async def work(db: Database) -> None:
        place = await remember(db, "the red pump", "the red pump leaks", "a blue hose")
        assert await found(db, place, terms=["pump", "leaks"]) == ["the red pump leaks", "the red pump"]
        assert await found(db, place, terms=["ladder"]) == []

    with_database(work)


def test_at_most_so_many_of_all_kinds_together() -> None:
    async def work(db: Database) -> None:
        known = await remember(db, *(f"pump {number}" for number in range(5)))
        said = await say(db, "the pump leaks")
        assert len(await found(db, known, said, terms=["pump"], most=3)) == 3
        assert "the pump leaks" in await found(db, known, said, terms=["pump", "leaks"], most=3)

    with_database(work)


def test_what_stands_in_the_prompt_is_left_out() -> None:
    async def work(db: Database) -> None:
        place = await say(db, "the pump is red", "the pump leaks")
        assert len(await found(db, place, terms=["pump"])) == 2
        assert await found(db, place, terms=["pump"], window=PromptWindow("c", 1.0)) == ["the pump is red"]
        assert len(await found(db, place, terms=["pump"], window=PromptWindow("other"))) == 2

    with_database(work)


def test_a_memory_that_no_longer_holds_is_none() -> None:
    async def work(db: Database) -> None:
        place = await remember(db, "the pump is red")
        await db.write(lambda db: db.execute("update memories set valid_to = 1"))
        assert await found(db, place, terms=["pump"]) == []

    with_database(work)
