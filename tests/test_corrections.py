"""What a candidate makes untrue, and what of it still holds, by words alone."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.merging.corrections import SITTING, Corrections, may_end
from pi_memory.merging.dedup import Decision, Neighbour
from pi_memory.merging.neighbours import Nearby, NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.retrieval.ram_index import RamIndex
from pi_memory.store.database import Database
from pi_memory.types import Candidate, Memory
from pi_memory.worker import Worker
from tests.fakes import FakeClock

T = TypeVar("T")
NOW = 1_000_000.0
ADD = Decision("add")


def memory(id_: int, content: str, at: float = 1_000.0, exchange_id: int = 1, namespace: str = "user/facts") -> Memory:
    return Memory(id_, content, "semantic", namespace, "medium", "user_said", at, at, at, at, exchange_id=exchange_id)


def said(content: str, at: float = NOW, exchange_id: int = 2, namespace: str = "user/facts") -> Candidate:
    return Candidate(content, namespace=namespace, quote=content, exchange_id=exchange_id, said_at=at)


def among(*memories: Memory) -> Nearby:
    return Nearby(tuple(map(Neighbour, memories)))


def run(folder: Path, story: Callable[[Corrections], Awaitable[T]]) -> T:
    async def result() -> T:
        db = await Database.open(folder / "memory.db")
        try:
            worker = Worker("compute")
            scale = Scale(Loader[Embedder](_none, fallback=NoEmbedder()))
            memories = Memories(db, clock=FakeClock())
            around = NeighbourSearch(memories, RamIndex(), scale, worker=worker)
            return await story(Corrections(Config().folder("heads"), around, worker=worker))
        finally:
            await db.close()

    return asyncio.run(result())


def weighed(folder: Path, new: Candidate, *old: Memory) -> Decision:
    return run(folder, lambda it: it.weighed(ADD, new, among(*old), least=0.5))


async def _none() -> Embedder:
    return NoEmbedder()


BINS = memory(1, "The bins go out on Tuesdays.")
BINS_NOW = "The bins no longer go out on Tuesdays but on Fridays."


def test_what_says_otherwise_of_the_same_ends_it_and_nothing_else(tmp_path: Path) -> None:
    decision = weighed(tmp_path, said(BINS_NOW), memory(2, "The sauna is heated on Sundays."), BINS)
    assert (decision.action, decision.id) == ("end", 1)
    assert 2 not in dict(decision.doubts)


def test_a_decision_stays_where_nothing_is_untrue(tmp_path: Path) -> None:
    decision = Decision("add", linked=(1,))
    new = said("The ladder is lent to the choir.")
    assert run(tmp_path, lambda it: it.weighed(decision, new, among(BINS), least=0.5)) == decision
    assert run(tmp_path, lambda it: it.weighed(decision, new, among(), least=0.5)) == decision


def test_the_likeliest_is_named_with_its_chance(tmp_path: Path) -> None:
    ended, chance = run(tmp_path, lambda it: it.made_untrue(said(BINS_NOW), among(BINS)))
    assert ended == 1
    assert 0.5 < chance <= 1
    assert run(tmp_path, lambda it: it.made_untrue(said(BINS_NOW), among())) == (0, 0.0)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (memory(1, BINS.content), True),
        (memory(1, BINS.content, exchange_id=2), False),  # said with it
        (memory(1, BINS.content, namespace="project/barge"), False),
        (memory(1, BINS.content, namespace="global"), True),
    ],
)
def test_a_memory_of_the_same_place_that_was_said_before_may_end(other: Memory, expected: bool) -> None:
    assert may_end(said(BINS_NOW), other) is expected


def test_what_a_candidate_refers_back_to_holds(tmp_path: Path) -> None:
    new = said(f"{BINS.content} {BINS_NOW}")
    assert run(tmp_path, lambda it: it.made_untrue(new, among(BINS))) == (1, 0.0)


@pytest.mark.parametrize(("later", "ends"), [(SITTING / 2, False), (SITTING * 2, True)])
def test_one_thing_after_the_other_in_a_sitting_ends_nothing(tmp_path: Path, later: float, ends: bool) -> None:
    old = memory(1, BINS.content, at=NOW)
    new = said(BINS_NOW, at=NOW + later)
    plain = said("The bins stand behind the shed.", at=NOW + later)

    async def story(it: Corrections) -> tuple[float, float]:
        it.heard(1, "c")
        it.heard(2, "c")
        return (await it.made_untrue(new, among(old)))[1], (await it.made_untrue(plain, among(old)))[1]

    by_correction, by_the_next_thing = run(tmp_path, story)
    assert by_correction > 0.5, "a correction in the same breath counts"
    assert (by_the_next_thing > 0) is ends


def test_what_a_newer_memory_makes_untrue_is_out_of_date(tmp_path: Path) -> None:
    newer = memory(1, BINS_NOW, at=NOW + 1)
    assert run(tmp_path, lambda it: it.is_out_of_date(said(BINS.content), among(newer)))
    assert not run(tmp_path, lambda it: it.is_out_of_date(said(BINS.content), among(memory(1, BINS_NOW))))


def test_a_memory_that_begins_with_the_ended_one_says_itself_what_it_is_about(tmp_path: Path) -> None:
    alone = memory(1, "The boat is moored in Hamble.")
    longer = memory(2, "The boat is moored in Hamble. It has a blue hull.")
    decision = Decision("end", 1)
    new = said("The boat is moored in Cowes now, no longer in Hamble.")
    found = run(tmp_path, lambda it: asyncio.sleep(0, it.with_dependents(decision, new, among(alone, longer))))
    assert found.id == 1
    assert found.also == ()
    [(restated, text)] = found.restated
    assert restated == 2
    assert "boat" in text
    assert "blue hull" in text
    assert "Hamble" not in text


def test_another_number_with_the_same_beginning_is_no_part_of_a_memory(tmp_path: Path) -> None:
    short, longer = memory(1, "The code of the hut is 12."), memory(2, "The code of the hut is 123. It has a lamp.")
    decision, new = Decision("end", 1), said("The code of the hut is 4.")
    found = run(tmp_path, lambda it: asyncio.sleep(0, it.with_dependents(decision, new, among(short, longer))))
    assert found == decision


def test_says_more_looks_for_a_clause_without_any_word_of_the_request(tmp_path: Path) -> None:
    both = memory(1, "Runa plays the cello and Teo keeps bees.")
    assert run(tmp_path, lambda it: asyncio.sleep(0, it.says_more(both, "Runa plays the cello")))
    one = memory(2, "Runa plays the cello at the abbey.")
    assert not run(tmp_path, lambda it: asyncio.sleep(0, it.says_more(one, "the cello of Runa")))
    assert not run(tmp_path, lambda it: asyncio.sleep(0, it.says_more(both, "Runa with the cello, Teo with the bees")))
    mother = memory(3, "My mother turns 76 next year and her birthday is 9 May.")
    assert run(tmp_path, lambda it: asyncio.sleep(0, it.says_more(mother, "my mother's birthday")))


@pytest.mark.parametrize(
    ("new", "old", "ends"),
    [
        ("The balance from Bo is 900.", "Bo paid a deposit of 200 pounds.", False),
        ("The deposit from Bo is 900 now.", "Bo paid a deposit of 200 pounds.", True),
        ("The oil filter is an FL-500.", "The truck is an F-150, it takes 5 litres of oil.", False),
    ],
)
def test_a_number_of_another_thing_ends_nothing(tmp_path: Path, new: str, old: str, ends: bool) -> None:
    chance = run(tmp_path, lambda it: it.made_untrue(said(new), among(memory(1, old))))[1]
    assert (chance > 0) is ends
