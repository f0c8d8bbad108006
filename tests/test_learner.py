"""From what is said to memories: stored once, corrected, forgotten for good, and never learned from ourselves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.learning.learner import Learner
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.memories.memories import Memories
from pi_memory.merging.neighbours import NeighbourSearch
from pi_memory.protocols import Embedder
from pi_memory.retrieval.ram_index import RamIndex
from pi_memory.store import exchanges
from pi_memory.store.database import Database
from pi_memory.store.exchanges import ExchangeQuery
from pi_memory.store.memories import Filter
from pi_memory.types import Candidate, Exchange, Memory
from pi_memory.worker import Worker
from tests.crashes import at_every_write
from tests.fakes import FakeClock, already, nothing

T = TypeVar("T")


class Mind:
    """Memories, and the way to them."""

    def __init__(self, db: Database, clock: FakeClock) -> None:
        self.db = db
        self.clock = clock
        self.memories = Memories(db, clock=clock)
        embedder: Loader[Embedder] = Loader(_none, fallback=NoEmbedder())
        scale = Scale(embedder)
        worker = Worker("compute")
        self.learning = Learner(
            self.memories,
            NeighbourSearch(self.memories, RamIndex(), scale, worker=worker),
            recall=nothing,
            loaded=already(),
            heads=Config().folder("heads"),
            embedder=embedder,
            worker=worker,
        )

    async def say(self, message: str, project: str | None = None) -> list[str]:
        self.clock.pass_time(minutes=1)
        return await self.learning.state(notice(message), project=project)

    async def learn(self, *said: str, project: str | None = None) -> list[Memory]:
        """What was said, as the inbox and then the end of the session have it."""
        told = [Exchange("c", text, "Fine.", self.clock(), project=project) for text in said]
        numbered = [(await self._stored(exchange), exchange) for exchange in told]
        for number, exchange in numbered:
            await self.learning.link_statements(number, exchange)
        return await self.learning.learn(numbered)

    async def _stored(self, exchange: Exchange) -> int:
        found = await self.db.read(partial(exchanges.listed, query=ExchangeQuery(), limit=100))
        known = {each.user: number for number, each in found}
        if exchange.user in known:
            return known[exchange.user]
        return await self.db.write(partial(exchanges.add, exchange=exchange))

    async def known(self) -> list[str]:
        found, _ = await self.memories.listed(limit=1000)
        return sorted(memory.content for memory in found)

    async def all(self) -> int:
        return (await self.memories.listed(Filter(valid=None)))[1]


async def _none() -> Embedder:
    return NoEmbedder()


@asynccontextmanager
async def mind(folder: Path, commit_seconds: float = 10) -> AsyncIterator[Mind]:
    db = await Database.open(folder / "memory.db", commit_seconds=commit_seconds)
    try:
        yield Mind(db, FakeClock())
    finally:
        await db.close()


def run(folder: Path, story: Callable[[Mind], Awaitable[T]], commit_seconds: float = 10) -> T:
    async def result() -> T:
        async with mind(folder, commit_seconds) as it:
            return await story(it)

    return asyncio.run(result())


def copied(folder: Path, name: str = "copy") -> Path:
    """The database as a crash would leave it."""
    copy = folder / name
    copy.mkdir()
    for file in folder.glob("memory.db*"):
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def test_what_is_stated_is_stored_and_confirmed(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        assert await it.say("Remember that the gate code is 4711.") == ["Remembered: The gate code is 4711."]
        (memory,), _ = await it.memories.listed()
        assert (memory.priority, memory.source, memory.namespace) == ("highest", "user_stated", "user/facts")
        assert memory.quote == "Remember that the gate code is 4711."
        assert await it.say("remember that the gate code is 4711") == ["I knew that: The gate code is 4711."]

    run(tmp_path, story)


def test_what_is_stated_survives_the_power(tmp_path: Path) -> None:
    """A copy of the files, taken when the confirmation is there, has the memory."""

    async def story(it: Mind) -> list[str]:
        await it.say("I prefer tea")
        async with mind(copied(tmp_path)) as other:
            return await other.known()

    assert run(tmp_path, story) == ["The user prefers tea."]


def test_a_correction_closes_what_was_wrong(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("Remember that the API listens on port 8080.", "shop")
        result = await it.say("No, it is 8081, not 8080.", "shop")
        assert result == ["Remembered: The API listens on port 8081. (instead of: The API listens on port 8080.)"]
        assert await it.known() == ["The API listens on port 8081."]
        old = await it.memories.get(1)
        assert (old.superseded_by, old.is_valid) == (2, False)

    run(tmp_path, story)


def test_only_what_says_otherwise_of_the_same_ends_what_is_known(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        for statement in (
            "Remember that my sister's birthday is in May.",
            "Remember that my brother's birthday is in July.",
            "Remember that the staging server runs on 8080.",
            "Remember that the production server runs on 9090.",
            "My dog is called Rex",
            "My cat is called Tom",
        ):
            assert (await it.say(statement))[0].endswith("."), "nothing was ended"
        assert len(await it.known()) == 6
        for statement, over in (
            ("Remember that my sister's birthday is in June.", "The user's sister's birthday is in May."),
            ("No, staging is on 9191, not 8080.", "The staging server runs on 8080."),
            ("My cat is called Kit", "The user's cat is called Tom."),
        ):
            assert (await it.say(statement))[0].endswith(f"(instead of: {over})")
        assert len(await it.known()) == 6

    run(tmp_path, story)


def test_another_project_knows_nothing_of_it(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("Remember that the API listens on port 8080.", "shop")
        await it.say("Remember that the API listens on port 9090.", "/home/me/Garden")
        found, _ = await it.memories.listed()
        assert sorted(memory.namespace for memory in found) == ["project/garden/facts", "project/shop/facts"]
        assert "nothing of that" in (await it.say("Forget about the API of the shop", "garden"))[0]

    run(tmp_path, story)


def test_what_cannot_be_taken_back_is_said_and_what_was_made_after_it_is(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("Remember that the sledge is in the barn. Remember that the raft is by the weir.")
        found, _ = await it.memories.listed(limit=10)
        [number] = [memory.id for memory in found if "sledge" in memory.content]
        await it.memories.supersede(number, Candidate("The sledge is in the loft."), origin="api")
        [told] = await it.say("undo that")
        assert "Taken back: The raft is by the weir." in told
        assert "Not taken back: " in told
        assert await it.known() == ["The sledge is in the loft."]

    run(tmp_path, story)


def test_forgetting(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("Remember that my phone number is 0123.\nRemember that the office phone number is 0999.")
        assert await it.say("forget my phone number") == ["Forgotten: memory 1."]
        assert await it.known() == ["The office phone number is 0999."]
        assert await it.say("remember that my phone number is 0123") == ["Not kept: this was to be forgotten."]
        await it.learn("my phone number is 0123")
        assert await it.known() == ["The office phone number is 0999."]

    run(tmp_path, story)


def test_when_several_may_be_meant_the_user_is_asked(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("Remember that the red bike has a flat tyre.\nRemember that the blue bike has new brakes.")
        (asked,) = await it.say("forget what I told you about the bike")
        assert "1: The red bike" in asked
        assert "2: The blue bike" in asked
        assert len(await it.known()) == 2
        assert await it.say("forget memory 2") == ["Forgotten: memory 2."]
        assert await it.say("forget memory 99") == ["There is no memory 99."]
        assert await it.say("Forget m1.") == ["Forgotten: memory 1."]
        assert (await it.say("forget about the unicorn"))[0].startswith("I remember nothing")
        assert await it.known() == []

    run(tmp_path, story)


def test_a_memory_that_says_more_is_not_erased_unasked(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        both = "Ada takes 50 mg of sertraline and Nell takes 20 mg of citalopram."
        await it.say(f"Remember that {both}")
        (asked,) = await it.say("forget the sertraline that Ada takes")
        assert asked.startswith("Is this to be forgotten")
        assert await it.known() == [both]
        assert await it.say("forget memory 1") == ["Forgotten: memory 1."]

    run(tmp_path, story)


def test_a_manner_of_speaking_erases_nothing(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("remember that the cache is in /tmp")
        (asked,) = await it.say("Forget the cache")
        assert asked.startswith("Is this to be forgotten")
        assert await it.say("Forget the docs") == []
        assert await it.known() == ["The cache is in /tmp."]

    run(tmp_path, story)


def test_a_secret_is_kept_only_when_asked_for(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        assert "password" in (await it.say("From now on use password=hunter2 for the router"))[0]
        await it.learn("I usually log in with password=hunter2", "My card is 4111 1111 1111 1111")
        assert await it.all() == 0
        await it.say("remember that my PIN is 4711")
        assert await it.known() == ["The user's PIN is 4711."]

    run(tmp_path, story)


def test_learning_twice_changes_nothing(tmp_path: Path) -> None:
    session = (
        "I prefer tea.",
        "The deploy fails with error: no route to host",
        "works now, the fix was restarting the VPN",
        "The API listens on port 8080.",
        "no, it is 8081, not 8080",
        "My sister Anna lives in Lyon",
    )

    async def story(it: Mind) -> None:
        await it.learn(*session, project="shop")
        known, count = await it.known(), await it.all()
        assert len(known) == 4
        assert "The API listens on port 8081." in known
        await it.learn(*session, project="shop")
        assert (await it.known(), await it.all()) == (known, count)

    run(tmp_path, story)


def test_what_was_stated_is_not_learned_again_nor_brought_back(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("I live in Lyon")
        await it.say("Actually I live in Nantes, not Lyon")
        assert await it.known() == ["The user lives in Nantes, not Lyon."]
        count = await it.all()
        it.clock.pass_time(minutes=30)
        await it.learn("I live in Lyon", "Actually I live in Nantes, not Lyon")
        assert await it.known() == ["The user lives in Nantes, not Lyon."]
        assert await it.all() == count

    run(tmp_path, story)


def test_an_old_conversation_does_not_end_what_is_known_since(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        await it.say("remember that the API listens on port 8081", "shop")
        it.clock.pass_time(days=-9)
        await it.learn("The API listens on port 8080.", project="shop")
        assert await it.known() == ["The API listens on port 8081."]

    run(tmp_path, story)


def test_what_is_private_is_not_learned(tmp_path: Path) -> None:
    async def story(it: Mind) -> None:
        message = "Don't remember this. My sister Anna lives in Lyon."
        assert await it.say(message) == ["Nothing is learned from this message."]
        assert await it.learn(message) == []

    run(tmp_path, story)


def test_a_crash_in_a_decision_leaves_the_old_memory_or_the_new(tmp_path: Path) -> None:
    wrong, right = "The API listens on port 8080.", "The API listens on port 8081."

    async def story(it: Mind) -> list[Path]:
        await it.say(f"Remember that {wrong}")
        return await at_every_write(it.db, tmp_path, lambda: it.say("No, it is 8081, not 8080."))

    copies = run(tmp_path, story, commit_seconds=0)
    states = [run(copy, Mind.known) for copy in copies]
    assert (states[0], states[-1], len(states) > 10) == ([wrong], [right], True)
    assert all(found in ([wrong], [right]) for found in states)


def test_after_a_crash_the_session_teaches_what_it_would_have(tmp_path: Path) -> None:
    dog, named, tea = "The user has a dog.", "The user has a dog called Rex.", "The user prefers tea."

    async def learn(it: Mind) -> None:
        await it.learn("remember that I have a dog called Rex", "I prefer tea")

    async def story(it: Mind) -> list[Path]:
        await it.say("remember that I have a dog")
        return await at_every_write(it.db, tmp_path, lambda: learn(it))

    async def again(it: Mind) -> tuple[list[str], list[str]]:
        it.clock.pass_time(minutes=1)
        before = await it.known()
        await learn(it)
        return before, await it.known()

    copies = run(tmp_path, story, commit_seconds=0)
    states = [run(copy, again) for copy in copies]
    befores = [before for before, _ in states]
    assert (befores[0], befores[-1], len(states) > 10) == ([dog], [named, tea], True)
    assert all(before in ([dog], [named], [named, tea]) for before in befores)
    assert {tuple(after) for _, after in states} == {(named, tea)}


def test_a_recalled_block_is_never_learned_from(tmp_path: Path) -> None:
    """A thousand turns in which what is remembered comes back: in the context, in the message, in the reply."""

    async def story(it: Mind) -> None:
        await it.say("I prefer tea.\nAlways use tabs.\nRemember that the server db1 runs Postgres 16")
        known, count = await it.known(), await it.all()
        block = "## Relevant Memories\n\n### Preferences\n" + "\n".join(f"- {content}" for content in known)
        said = []
        for number in range(1_000):
            user = [f"What now, {number}?", f"{block}\n\nWhat now?", f"<memory>\n{block}\n</memory>\nGo on."][
                number % 3
            ]
            said.append((number + 1, Exchange("c", user, block, it.clock(), context=block, project="shop")))
        for start in range(0, 1_000, 50):
            assert await it.learning.learn(said[start : start + 50]) == []
        assert (await it.known(), await it.all()) == (known, count)

    run(tmp_path, story)
