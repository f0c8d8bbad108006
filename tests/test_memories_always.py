"""Whatever is done in whatever order: nothing is erased without `forget`, undo restores exactly, what was forgotten
never comes back, and an export makes the same store. Real files.
"""

import asyncio
import io
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from pi_memory.errors import Conflict, Forgotten, NotFound
from pi_memory.memories.memories import Memories
from pi_memory.store.database import Database
from pi_memory.store.memories import Filter, is_findable
from pi_memory.text.fact import Key, facts, normal, states
from pi_memory.types import Candidate, Memory
from tests.fakes import FakeClock

T = TypeVar("T")

CONTENTS = [
    f"{name} {what}" for name in ("Ada", "Grace") for what in ("likes quinces", "grows vetchling", "owns a dory")
]
QUOTES = ["", "I said so myself", *[f"As I said, {content}" for content in CONTENTS[:2]]]
EVERY = Filter(valid=None)

candidates = st.builds(
    Candidate,
    content=st.sampled_from(CONTENTS),
    quote=st.sampled_from(QUOTES),
    priority=st.sampled_from(["highest", "low"]),
    topics=st.sampled_from([(), ("garden",)]),
)
choices = st.integers(0, 30)
"""Which of the memories, or events, that there are."""


def result(memory: Memory) -> Memory:
    """A memory without what uses and events leave on it."""
    return replace(memory, updated_at=0.0, last_accessed_at=0.0, accesses=0)


async def exported(memories: Memories) -> bytes:
    file = io.BytesIO()
    await memories.export(file)
    return file.getvalue()


async def another_store() -> bytes:
    """The export of a store in which the same was said: changed, superseded, undone and closed."""
    db = await Database.open(None)
    memories = Memories(db, clock=FakeClock())
    for content in CONTENTS[:3]:
        await memories.add(Candidate(content, quote=QUOTES[-1]), origin="api")
    await memories.change(1, origin="api", content=CONTENTS[3])
    await memories.change(1, origin="api", content=CONTENTS[4])
    await memories.supersede(2, Candidate(CONTENTS[5]), origin="api")
    await memories.close(3, origin="api")
    file = await exported(memories)
    await db.close()
    return file


class Life(RuleBasedStateMachine):
    """A store over a long time. `texts` is every content that was ever in it, `forgotten` what may not be any more."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.texts: dict[int, set[str]] = {}
        self.forgotten: set[str] = set()
        self.gone: set[Key] = set()
        self.old: list[bytes] = []
        self.elsewhere = self.run(another_store())
        self.open()

    def teardown(self) -> None:
        self.run(self.db.close())
        self.runner.close()
        self.folder.cleanup()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def open(self) -> None:
        self.db = self.run(Database.open(Path(self.folder.name) / "m.db"))
        self.memories = Memories(self.db, clock=self.clock)

    def every(self) -> dict[int, Memory]:
        return {memory.id: memory for memory in self.run(self.memories.listed(EVERY, limit=-1))[0]}

    def one(self, choice: int) -> Memory:
        found = list(self.every().values())
        return found[choice % len(found)]

    def kept(self, memory: Memory) -> None:
        self.texts.setdefault(memory.id, set()).add(memory.content)

    def exported(self) -> bytes:
        return self.run(exported(self.memories))

    def take(self, file: bytes, *, skip_forgotten: bool = False) -> None:
        lines = iter(list(enumerate(file.splitlines(), 1)))
        self.run(self.memories.restore(lines, skip_forgotten=skip_forgotten))

    @rule(candidate=candidates)
    def add(self, candidate: Candidate) -> None:
        with refused(self.is_refused(candidate)):
            self.kept(self.run(self.memories.add(candidate, origin="extraction")))

    @precondition(lambda self: self.texts)
    @rule(choice=choices, content=st.sampled_from(CONTENTS), durable=st.booleans())
    def change(self, choice: int, content: str, durable: bool) -> None:
        memory = self.one(choice)
        with refused(not memory.is_valid or states(content, self.gone.__contains__)):
            self.kept(self.run(self.memories.change(memory.id, origin="api", content=content, durable=durable)))

    @precondition(lambda self: self.texts)
    @rule(choice=choices, candidate=candidates)
    def supersede(self, choice: int, candidate: Candidate) -> None:
        memory = self.one(choice)
        with refused(not memory.is_valid or self.is_refused(candidate)):
            new = self.run(self.memories.supersede(memory.id, candidate, origin="extraction"))
            self.kept(new)
            assert self.every()[memory.id].superseded_by == new.id

    @precondition(lambda self: self.texts)
    @rule(choice=choices)
    def close(self, choice: int) -> None:
        assert not self.run(self.memories.close(self.one(choice).id, origin="api")).is_valid

    @precondition(lambda self: self.texts)
    @rule(choice=choices)
    def undo_and_undo_that(self, choice: int) -> None:
        before, event = self.every(), choice % self.last_event() + 1
        try:
            would = self.run(self.memories.undo(event, dry_run=True))
        except (Conflict, Forgotten, NotFound):
            assert self.every() == before
            return
        assert self.every() == before, "a dry run changes nothing"
        assert self.run(self.memories.undo(event)) == would
        between = self.every()
        for one in would:
            assert getattr(before[one.memory_id], one.field) == one.before
            assert getattr(between[one.memory_id], one.field) == one.after
        self.run(self.memories.undo(self.last_event()))
        assert list(map(result, self.every().values())) == list(map(result, before.values()))

    @precondition(lambda self: self.texts)
    @rule(choice=choices)
    def undo(self, choice: int) -> None:
        with maybe_refused():
            self.run(self.memories.undo(choice % self.last_event() + 1))

    @precondition(lambda self: self.texts)
    @rule(choice=choices)
    def forget(self, choice: int) -> None:
        before, chosen = self.every(), self.one(choice).id
        former = [
            result.before["content"]
            for result in self.run(self.memories.history(chosen))
            if result.before and "content" in result.before
        ]
        done = self.run(self.memories.forget(chosen))
        self.gone |= {f.key for gone in done.memory_ids for f in facts(before[gone].content)}
        self.gone |= {f.key for content in former if done.memory_ids for f in facts(content)}
        self.gone |= {f.key for gone in done.memory_ids for f in facts(before[gone].quote) if not f.alone}
        self.forgotten |= {normal(before[gone].content) for gone in done.memory_ids}

    @rule(ids=st.lists(choices, max_size=3))
    def use(self, ids: list[int]) -> None:
        self.run(self.memories.used(ids))

    @rule(days=st.sampled_from([-9, 0.5, 20, 61]))
    def time_passes(self, days: float) -> None:
        """Or the clock is set back."""
        self.clock.pass_time(days=days)
        self.run(self.memories.prune(self.clock()))

    @rule()
    def search(self) -> None:
        self.run(self.memories.search_words("quinces", limit=9))

    @rule()
    def reopen(self) -> None:
        self.run(self.db.close())
        self.open()

    @rule()
    def export(self) -> None:
        self.old.append(self.exported())

    @precondition(lambda self: self.old)
    @rule(data=st.data())
    def take_in_an_old_export(self, data: st.DataObject) -> None:
        """It brings nothing that is not here, and nothing back."""
        before = self.every()
        self.take(data.draw(st.sampled_from(self.old)), skip_forgotten=True)
        assert self.every() == before

    @rule()
    def take_in_what_is_from_elsewhere(self) -> None:
        before = self.every()
        self.take(self.elsewhere, skip_forgotten=True)
        after = self.every()
        assert {number: after[number] for number in before} == before
        for number in set(after) - set(before):
            self.kept(after[number])
            for result in self.run(self.memories.history(number)):
                self.texts[number] |= {
                    side["content"] for side in (result.before, result.after) if side and "content" in side
                }
        self.take(self.elsewhere, skip_forgotten=True)
        assert self.every() == after

    @precondition(lambda self: self.texts)
    @rule()
    def move(self) -> None:
        """Export, and go on with what an empty store makes of it."""
        before, file = self.every(), self.exported()
        histories = {number: self.run(self.memories.history(number)) for number in before}
        self.run(self.db.close())
        self.folder.cleanup()
        self.folder = tempfile.TemporaryDirectory()
        self.open()
        for _ in ("once", "twice"):
            self.take(file)
            assert self.every() == before
            assert {number: self.run(self.memories.history(number)) for number in before} == histories

    @invariant()
    def nothing_is_erased_without_forget(self) -> None:
        for number, memory in self.every().items():
            if memory.forgotten_at is None:
                assert memory.content in self.texts[number]
        assert set(self.texts) == set(self.every())

    @invariant()
    def what_was_forgotten_is_nowhere(self) -> None:
        found = self.every().values()
        assert not {normal(memory.content) for memory in found} & self.forgotten - {""}
        everything = normal(str([self.run(self.memories.history(memory.id)) for memory in found]) + str(list(found)))
        assert not [text for text in self.forgotten if text in everything]

    @invariant()
    def a_search_looks_through_the_same_memories_after_a_start(self) -> None:
        found = self.run(self.memories.outlines(after=0, limit=1000))
        assert {each.id for each in found} == {number for number, one in self.every().items() if is_findable(one)}

    def is_refused(self, candidate: Candidate) -> bool:
        return any(states(text, self.gone.__contains__) for text in (candidate.content, candidate.quote))

    def last_event(self) -> int:
        return max((t.event.id for number in self.every() for t in self.run(self.memories.history(number))), default=0)


class refused:
    """Expect an error, or none."""

    def __init__(self, expected: bool) -> None:
        self._expected = expected

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        assert error is None or isinstance(error, (Conflict, AssertionError)), error
        if isinstance(error, AssertionError):
            return False
        assert (error is not None) == self._expected
        return error is not None


class maybe_refused:
    """Let pass what the store may refuse."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        return isinstance(error, Conflict | NotFound)


Life.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestLife: Callable[..., Any] = Life.TestCase
