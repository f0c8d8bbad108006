"""Candidates of a search: the texts with the most evidence, without what stands in the prompt. Real database."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import numpy as np
import pytest
import sqlite_utils
from msgspec.structs import replace

from pi_memory.embedding import token_codes
from pi_memory.embedding.token_codes import QueryTokens
from pi_memory.retrieval.candidates import Only, PromptWindow, SearchSpace, Wanted, look_up
from pi_memory.retrieval.ram_index import Item, RamIndex
from pi_memory.store import conflicts, embedders, exchanges, memories, memory_fts, messages
from pi_memory.store.database import Database
from pi_memory.store.messages import Passage, id_of
from pi_memory.types import Candidate, Exchange, Memory
from tests.fakes import FakeTokenEmbedder


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
    db: Database,
    *places: SearchSpace,
    terms: Sequence[str],
    most: int = 5,
    window: PromptWindow | None = None,
    only: Only | None = None,
) -> list[str]:
    looked_up = await db.read(partial(look_up, places=places, wanted=Wanted(terms, most, window, only=only)))
    left = [looked_up.ended.without(text) for _, text in looked_up.hits]
    return [text.content if isinstance(text, Memory) else text.text for text in left if text is not None]


async def steps(db: Database, place: SearchSpace, wanted: Wanted) -> int:
    """How many steps of SQLite's machine it takes to look something up."""
    count = itertools.count()
    work = partial(look_up, places=[place], wanted=wanted)

    def counted(of: sqlite_utils.Database) -> None:
        of.conn.set_progress_handler(lambda: next(count) < 0, 1)
        work(of)
        of.conn.set_progress_handler(None, 0)

    await db.read(counted)
    return next(count)


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


def test_a_sentence_of_a_memory_that_ended_is_not_quoted_from_another_memory_or_message() -> None:
    lock, now = "The gate lock is 2271.", "The gate lock is 6085. The dog got out."

    async def work(db: Database) -> None:
        told = await say(db, f"{lock} Tell nobody.")
        place = await remember(db, f"{lock} The dog got out.", f"{lock} Oil it in May.", now)
        assert len(await found(db, place, told, terms=["lock"])) == 4
        await db.write(lambda db: db.execute("update memories set valid_to = 1, superseded_by = 3 where id = 1"))
        shown = await found(db, place, told, terms=["lock"])
        assert sorted(shown) == ["Oil it in May.", "Tell nobody.", now]
        await db.write(lambda db: db.execute("update memories set content = ? where id = 3", [f"{lock} Rex got out."]))
        assert f"{lock} Rex got out." in await found(db, place, told, terms=["lock"])

    with_database(work)


def test_an_answer_has_the_newer_of_two_in_doubt_and_any_other_search_both() -> None:
    old, new = "The gate lock is 2271.", "Since the break-in it takes 6085."

    async def work(db: Database) -> None:
        told, place = await say(db, f"{old} Tell nobody."), await remember(db, old, new)
        await db.write(lambda db: db.execute("update memories set exchange_id = 1, quote = content where id = 1"))
        await db.write(partial(conflicts.add, newer=2, older=1, chance=0.5, at=1.0))
        assert await found(db, place, told, terms=["lock"], only="answers") == [new, "Tell nobody."]
        assert {old, f"{old} Tell nobody."} == {*await found(db, place, told, terms=["lock"])}
        await db.write(partial(conflicts.settle, number=1, at=2.0))
        assert old in await found(db, place, told, terms=["lock"], only="answers")

    with_database(work)


@pytest.mark.parametrize(("nearness", "chance", "alone"), [(0.6, 0.3, True), (0.3, 0.3, False), (0.6, 0.1, False)])
def test_what_possibly_holds_instead_stands_alone_where_it_answers_as_well(
    nearness: float, chance: float, alone: bool
) -> None:
    old, new = "The gate lock is 2271.", "Since the break-in it takes 6085."

    async def work(db: Database) -> None:
        told, place = await say(db, f"{old} Tell nobody."), await remember(db, old, new)
        rows = place.view.rows([1, 2])
        meaning = np.zeros(2, np.float32)
        meaning[rows] = 0.6, nearness
        await db.write(lambda db: db.execute("update memories set exchange_id = 1, quote = content where id = 1"))
        await db.write(partial(conflicts.add, newer=2, older=1, chance=chance, at=1.0))
        answers = await found(db, told, replace(place, meaning=meaning), terms=["lock"], only="answers")
        assert (old not in answers and "Tell nobody." in answers) == alone
        assert new in answers

    with_database(work)


@pytest.mark.parametrize(
    ("topics", "are_apart"), [(("shop", "shop"), False), (("", "blog"), False), (("shop", "blog"), True)]
)
def test_what_is_of_another_topic_stands_in_the_place_of_nothing(topics: tuple[str, str], *, are_apart: bool) -> None:
    old, new = "The server listens on 2271.", "The server listens on 6085."

    async def work(db: Database) -> None:
        place = replace(await remember(db, old, new), meaning=np.full(2, 0.6, np.float32))
        named = [(f'["{topic}"]', number) for number, topic in enumerate(topics, 1) if topic]
        await db.write(lambda db: db.conn.executemany("update memories set topics = ? where id = ?", named))
        await db.write(partial(conflicts.add, newer=2, older=1, chance=0.3, at=1.0))
        assert (old in await found(db, place, terms=["server"], only="answers")) == are_apart

    with_database(work)


def test_what_a_query_may_not_see_stands_in_no_place_of_what_it_sees() -> None:
    async def work(db: Database) -> None:
        place = await remember(db, "the pump is red")
        await remember(db, "it is blue")
        await db.write(partial(conflicts.add, newer=2, older=1, chance=0.5, at=1.0))
        assert await found(db, place, terms=["pump"], only="answers") == ["the pump is red"]
        await db.write(lambda db: db.execute("update memories set valid_to = 1, superseded_by = 2 where id = 1"))
        assert await found(db, place, terms=["pump"], only="answers") == []

    with_database(work)


def test_of_doubts_one_after_the_other_an_answer_has_the_last() -> None:
    async def work(db: Database) -> None:
        place = await remember(db, "the pump is red", "it is blue", "it is green")
        for newer, chance in ((2, 0.55), (3, 0.5)):
            await db.write(partial(conflicts.add, newer=newer, older=newer - 1, chance=chance, at=1.0))
        assert await found(db, place, terms=["pump"], only="answers") == ["it is green"]
        await db.write(lambda db: db.execute("update conflicts set chance = 0.1 where newer_id = 3"))
        assert await found(db, place, terms=["pump"], only="answers") == ["it is blue"]

    with_database(work)


EMBEDDER = FakeTokenEmbedder()


async def two_pumps(db: Database, *words: str) -> SearchSpace:
    """Two messages of the same words, each in a conversation of its own; their tokens are those of `words`."""
    space = await db.write(partial(embedders.number, name=EMBEDDER.id, dimensions=EMBEDDER.dimensions))
    index = RamIndex()
    for place, word in enumerate(words):
        number = await db.write(partial(exchanges.add, exchange=Exchange(f"c{place}", "the pump", "", 0.0)))
        coded = token_codes.codes([EMBEDDER.tokens(word)])
        passage = Passage(id_of(number, reply=False), "the pump", space=space, codes=coded)
        await db.write(partial(messages.add, passages=[passage]))
        index.put([Item(passage.id, place, "user", 8, None)])
    return SearchSpace("exchange", index.view(everywhere), None)


async def similarities(db: Database, place: SearchSpace, tokens: QueryTokens | None) -> list[float]:
    found = await db.read(partial(look_up, places=[place], wanted=Wanted(["pump"], 5, tokens=tokens)))
    return [hit.similarity for hit, _ in sorted(found.hits, key=lambda each: each[0].id)]


def test_of_messages_with_the_same_words_the_one_with_nearer_tokens_is_more_similar() -> None:
    async def work(db: Database) -> None:
        place = await two_pumps(db, "pump", "hose")
        asked = QueryTokens(EMBEDDER.id, ("pump",), EMBEDDER.tokens("pump"))
        pump, hose = await similarities(db, place, asked)
        assert pump > hose
        assert len(set(await similarities(db, place, None))) == 1

    with_database(work)


def test_tokens_of_another_embedder_or_none_change_nothing() -> None:
    async def work(db: Database) -> None:
        place = await two_pumps(db, "pump", "")
        plain = await similarities(db, place, None)
        asked = QueryTokens("another", ("pump",), EMBEDDER.tokens("pump"))
        np.testing.assert_allclose(await similarities(db, place, asked), plain, atol=1e-6)
        _, none = await similarities(db, place, replace(asked, space=EMBEDDER.id))
        np.testing.assert_allclose(none, plain[1], atol=1e-6)

    with_database(work)


@pytest.mark.parametrize("only", [None, "answers"])
def test_memories_that_nobody_asks_for_make_no_search_longer(only: Only | None) -> None:
    async def work(db: Database) -> None:
        said, wanted = await say(db, "the pump leaks"), Wanted(["pump"], 5, only=only)
        before = await steps(db, said, wanted)
        await remember(db, *(f"a hose of {metres} metres" for metres in range(50)))
        assert await steps(db, said, wanted) <= before

    with_database(work)
