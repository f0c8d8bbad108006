"""Memories: added, changed, closed, superseded, undone and faded, each with its event. Real files."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from pi_memory.decay import DAY
from pi_memory.embedding.quantized import pack
from pi_memory.errors import Conflict, Forgotten, NotFound, RequestError, TooLarge
from pi_memory.event_bus import MemoryChanged
from pi_memory.memories.memories import Memories, strength
from pi_memory.memories.undo import Change
from pi_memory.store.database import Database
from pi_memory.store.memories import Embedding, Filter
from pi_memory.types import Candidate, Memory, Priority
from tests.fakes import FakeClock

TEA = Candidate("Likes green tea", quote="I like green tea", topics=("food",))
START = FakeClock().now


def using(path: Path, work: Callable[[Memories, FakeClock], Awaitable[None]], clock: FakeClock | None = None) -> None:
    async def main() -> None:
        now = clock or FakeClock()
        db = await Database.open(path / "m.db", now=now())
        try:
            await work(Memories(db, clock=now), now)
        finally:
            await db.close()

    asyncio.run(main())


def embedding(*numbers: float, space: str = "fake") -> Embedding:
    return Embedding(space, pack(np.array([numbers], np.float32)).to_bytes())


async def kinds(memories: Memories, number: int) -> list[str]:
    return [result.event.kind.removeprefix("memory.") for result in await memories.history(number)]


def test_a_memory_comes_back_as_it_was_added(tmp_path: Path) -> None:
    async def add(memories: Memories, clock: FakeClock) -> None:
        result: list[Memory] = []
        memories.events.subscribe(MemoryChanged, lambda changed: result.append(changed.memory))
        added = await memories.add(replace(TEA, namespace="User/Food"), origin="api", durable=True)
        assert added == await memories.get(1) == result[0]
        assert (added.namespace, added.created_at) == ("user/food", START)
        assert added.is_valid

    async def see(memories: Memories, clock: FakeClock) -> None:
        assert (await memories.get(1)).content == TEA.content
        (result,) = await memories.history(1)
        assert (result.event.origin, result.before, (result.after or {})["topics"]) == ("api", None, ("food",))

    using(tmp_path, add)
    using(tmp_path, see)


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"content": " \n"}, RequestError, "content"),
        ({"content": "?!"}, RequestError, "content"),
        ({"content": "x" * 100_000}, TooLarge, "content"),
        ({"content": "a\x00b"}, RequestError, "content"),
        ({"quote": "x" * 100_000}, TooLarge, "quote"),
        ({"namespace": "user/../x"}, RequestError, "namespace"),
        ({"type": "vague"}, RequestError, "type"),
        ({"priority": "urgent"}, RequestError, "priority"),
        ({"topics": ("t",) * 99}, TooLarge, "topics"),
    ],
)
def test_what_can_be_no_memory_is_refused_by_name(
    tmp_path: Path, change: dict[str, str], error: type[RequestError], named: str
) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        with pytest.raises(error, match=f"^{named}: "):
            await memories.add(replace(TEA, **change), origin="api")
        assert await memories.listed(Filter(valid=None)) == ([], 0)

    using(tmp_path, work)


def test_a_vector_of_another_size_is_refused_and_the_memory_with_it(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        await memories.add(TEA, origin="api", vector=embedding(0.6, 0.8))
        with pytest.raises(RequestError, match=r"^vector: 3 numbers, but 2"):
            await memories.add(TEA, origin="api", vector=embedding(1, 0, 0))
        assert (await memories.listed())[1] == 1
        assert [number for number, _ in await memories.vectors("fake")] == [1]
        await memories.change(1, origin="api", content="Likes black tea")
        assert await memories.vectors("fake") == []
        assert await memories.without_vector("fake") == [(1, "Likes black tea")]
        assert not await memories.embedded(1, embedding(1, 0), content="Likes green tea")
        assert await memories.embedded(1, embedding(1, 0), content="Likes black tea")
        assert await memories.vectors("fake") == [(1, embedding(1, 0).packed)]

    using(tmp_path, work)


def test_words_are_found_as_soon_as_they_are_there_and_no_longer_than_that(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        for number in range(150):
            await memories.add(Candidate(f"Fact number{number}", quote="it was drunk at night"), origin="api")
        assert [n for n, _ in await memories.search_words("number149", limit=5)] == [150]
        assert len(await memories.search_words("drunk", limit=500)) == 150
        await memories.change(150, origin="api", content="Fact sheets")
        assert await memories.search_words("number149", limit=5) == []
        assert [n for n, _ in await memories.search_words('"sheet" OR "none"', limit=5)] == [150]
        await memories.undo(151)
        assert [n for n, _ in await memories.search_words("number149", limit=5)] == [150]

    using(tmp_path, work)


def test_a_change_is_undone_and_that_is_undone(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        before = await memories.add(TEA, origin="api")
        clock.pass_time(days=1)
        after = await memories.change(1, origin="api", content="Likes black tea", priority="high", topics=("drink",))
        diff = [Change(1, "content", "Likes black tea", TEA.content), Change(1, "priority", "high", "low")]
        diff.append(Change(1, "topics", ("drink",), ("food",)))
        assert await memories.undo(2, dry_run=True) == diff
        assert await memories.get(1) == after
        assert await memories.undo(2) == diff
        assert replace(await memories.get(1), updated_at=START) == before
        await memories.undo(3)
        assert await memories.get(1) == after
        assert await kinds(memories, 1) == ["undone", "undone", "changed", "added"]
        assert (await memories.history(1))[0].event.undoes == 3

    using(tmp_path, work)


def test_a_change_that_changes_nothing_is_no_event(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        added = await memories.add(TEA, origin="api")
        assert await memories.change(1, origin="api", content=f" {TEA.content} ") == added
        assert await kinds(memories, 1) == ["added"]

    using(tmp_path, work)


def test_what_was_changed_again_since_says_what_to_undo_first(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        await memories.add(TEA, origin="api")
        await memories.change(1, origin="api", content="Likes black tea")
        await memories.change(1, origin="api", content="Likes white tea", namespace="global")
        with pytest.raises(Conflict) as conflict:
            await memories.undo(2)
        assert conflict.value.hint == "Undo event 3 first."
        await memories.undo(3)
        await memories.undo(2)
        assert (await memories.get(1)).content == TEA.content
        with pytest.raises(Conflict) as conflict:
            await memories.undo(2)
        assert conflict.value.hint == "Undo event 5 first."

    using(tmp_path, work)


def test_an_addition_undone_holds_for_no_time_and_may_come_back(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        added = await memories.add(TEA, origin="api")
        clock.pass_time(days=3)
        await memories.undo(1)
        gone = await memories.get(1)
        assert (gone.is_valid, gone.valid_to, gone.content) == (False, gone.valid_from, TEA.content)
        await memories.undo(2)
        assert (await memories.get(1)).is_valid == added.is_valid

    using(tmp_path, work)


def test_a_memory_is_superseded_in_one_step_and_so_undone(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        await memories.add(TEA, origin="api")
        clock.pass_time(days=1)
        new = await memories.supersede(1, Candidate("Likes coffee"), origin="extraction")
        old = await memories.get(1)
        assert (old.valid_to, old.superseded_by, new.valid_from) == (clock.now, new.id, clock.now)
        with pytest.raises(Conflict):
            await memories.supersede(1, Candidate("Likes water"), origin="extraction")
        await memories.undo(3)
        assert (await memories.get(1)).is_valid
        assert not (await memories.get(2)).is_valid
        assert await kinds(memories, 2) == ["undone", "superseded", "added"]
        await memories.undo(4)
        assert replace(await memories.get(1), last_accessed_at=START) == old
        assert await memories.get(2) == new

    using(tmp_path, work)


def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        await memories.add(TEA, origin="api")
        closed = await memories.close(1, origin="api")
        clock.pass_time(days=1)
        assert await memories.close(1, origin="api") == closed
        with pytest.raises(Conflict, match="no longer holds"):
            await memories.change(1, origin="api", content="Likes black tea")

    using(tmp_path, work)


def test_memories_fade_after_59_days_without_use(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        priorities: tuple[Priority, ...] = ("low", "highest", "high")
        for priority in priorities:
            await memories.add(replace(TEA, priority=priority), origin="api")
        clock.pass_time(days=30)
        await memories.used([3, 99])
        assert (await memories.get(3)).accesses == 1
        assert await memories.prune(START + 58 * DAY) == 0
        assert await memories.prune(START + 59 * DAY) == 1
        assert [(await memories.get(n)).is_valid for n in (1, 2, 3)] == [False, True, True]
        clock.pass_time(days=29)
        await memories.undo(4)
        assert await memories.prune(clock.now) == 0, "what the user wants back is not closed again"

    using(tmp_path, work)


def test_what_did_not_help_loses_half_of_its_strength(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        await memories.add(TEA, origin="api")
        await memories.used([1])
        await memories.weaken(1)
        memory = await memories.get(1)
        assert strength(memory, clock()) == pytest.approx(0.5)
        assert memory.accesses == 1

    using(tmp_path, work)


def test_memories_are_listed_by_what_they_are(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        for namespace in ("user", "user/food", "project/garden", "project/garden2", "global"):
            await memories.add(replace(TEA, namespace=namespace), origin="api")
        await memories.close(5, origin="api")

        async def ids(**which: object) -> list[int]:
            found, count = await memories.listed(Filter(**which))  # type: ignore[arg-type]
            assert len(found) == count
            return [memory.id for memory in found]

        assert await ids() == [4, 3, 2, 1]
        assert await ids(namespaces=("user",)) == [2, 1]
        assert await ids(namespaces=("global", "project/garden")) == [3]
        assert await ids(valid=False) == [5]
        assert len(await ids(valid=None, type="semantic", priority="low")) == 5
        assert await ids(type="episodic") == []
        assert ([m.id for m in (await memories.listed(limit=2, offset=1))[0]]) == [3, 2]

    using(tmp_path, work)


def test_unknown_numbers_are_reported(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        for call in (memories.get(1), memories.close(1, origin="api"), memories.undo(1), memories.forget(1)):
            with pytest.raises(NotFound):
                await call
        with pytest.raises(NotFound):
            await memories.history(2**62)

    using(tmp_path, work)


def test_what_was_forgotten_cannot_be_undone_or_changed(tmp_path: Path) -> None:
    async def work(memories: Memories, clock: FakeClock) -> None:
        await memories.add(TEA, origin="api")
        await memories.change(1, origin="api", content="Likes black tea")
        await memories.forget(1)
        for event in (1, 2, 3):
            with pytest.raises(Forgotten):
                await memories.undo(event)
        for content in (TEA.content, "LIKES  black tea!", "He said so. Likes black tea."):
            with pytest.raises(Forgotten):
                await memories.add(Candidate(content), origin="extraction")
        with pytest.raises(Forgotten):
            await memories.change(1, origin="api", content="x")

    using(tmp_path, work)
