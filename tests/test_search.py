"""Recall: what a message is told, of memories and of what was said, with and without an embedder."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import pytest

from pi_memory.config import Config
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.embedding.reading import Purpose, Text
from pi_memory.loader import Loader
from pi_memory.memories import namespaces
from pi_memory.memories.memories import Memories
from pi_memory.protocols import Embedder
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.retrieval.gate import REREAD
from pi_memory.retrieval.memory_index import MemoryIndex
from pi_memory.retrieval.message_index import MessageIndex
from pi_memory.retrieval.prompt_blocks import PromptRoom
from pi_memory.retrieval.search import Search, SearchRequest
from pi_memory.store import exchanges
from pi_memory.store.database import Database
from pi_memory.store.messages import REMARK
from pi_memory.types import Candidate, Exchange, Recalled, Source, Vectors
from pi_memory.worker import Worker
from tests.fakes import FakeClock, FakeEmbedder, FakeReader

GLOBAL = namespaces.scope(None)


@dataclass
class Mind:
    recall: Search
    memories: Memories
    passages: MessageIndex
    db: Database
    clock: FakeClock

    async def say(self, *said: tuple[str, str], conversation: str = "old", source: Source = "chat") -> None:
        """Exchanges, a minute apart."""
        for user, reply in said:
            self.clock.pass_time(minutes=1)
            exchange = Exchange(conversation, user, reply, self.clock(), source=source)
            number = await self.db.write(partial(exchanges.add, exchange=exchange))
            await self.passages.index(number, exchange)

    async def shown(self, message: str, *, window: PromptWindow | None = None) -> list[str]:
        room = PromptRoom(500, lambda text: len(text.split()), in_prompt=window)
        _, chosen = await self.recall.for_turn(SearchRequest(message, GLOBAL, self.clock()), room)
        return [result.content for result in chosen]

    async def found(self, query: str, *, k: int = 5) -> Sequence[Recalled]:
        return await self.recall.search(SearchRequest(query, k=k, scope=GLOBAL, now=self.clock()))


@asynccontextmanager
async def mind(embedder: Embedder | None = None) -> AsyncIterator[Mind]:
    async def load() -> Embedder:
        return embedder or NoEmbedder()

    loader: Loader[Embedder] = Loader(load, fallback=NoEmbedder())
    clock = FakeClock()
    loader.start()
    await loader.ready()
    db = await Database.open(None)
    worker = Worker("compute")
    memories, passages = Memories(db, clock=clock), MessageIndex(db, loader, worker=worker)
    index = MemoryIndex(memories, loader)
    heads = Config().folder("heads")
    recall = Search(db, memory_index=index, message_index=passages, scale=Scale(loader), worker=worker, heads=heads)
    await recall.start()
    await passages.ready()
    try:
        yield Mind(recall, memories, passages, db, clock)
    finally:
        await recall.stop()
        await db.close()


def test_a_memory_is_shown_as_soon_as_there_is_one() -> None:
    async def main() -> None:
        async with mind() as known:
            assert await known.shown("Where is the spare key?") == []
            await known.memories.add(Candidate("The spare key is in the shed"), origin="api")
            assert await known.shown("Where is the spare key?") == ["The spare key is in the shed"]
            await known.memories.add(Candidate("The spare wheel is in the cellar"), origin="api")
            assert await known.shown("Where is the spare wheel?") == ["The spare wheel is in the cellar"]

    asyncio.run(main())


def test_what_is_shown_is_reinforced() -> None:
    async def main() -> None:
        async with mind() as known:
            memory = await known.memories.add(Candidate("The spare key is in the shed"), origin="api")
            known.clock.pass_time(days=3)
            await known.shown("Where is the spare key?")
            after = await known.memories.get(memory.id)
            assert (after.accesses, after.last_accessed_at) == (1, known.clock())
            await known.shown("Where is the garden?")
            assert (await known.memories.get(memory.id)).accesses == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    ("said", "count"),
    [("Lena's swimming has moved to Thursdays.", 1), ("The club has closed. Lena's swimming moved to Thursdays.", 2)],
)
def test_a_sentence_is_shown_once_as_the_memory_that_says_most_of_it(said: str, count: int) -> None:
    async def main() -> None:
        async with mind() as known:
            await known.say((said, ""))
            content = "Lena has swimming at five on Thursdays."
            await known.memories.add(Candidate(content, quote=said, exchange_id=1), origin="rules")
            found = await known.shown("Lena swimming")
            assert content in found
            assert len(found) == count

    asyncio.run(main())


class NotesAnswers(FakeReader):
    """Notes which statements it has read with a question."""

    dimensions = 384  # for which what is read is weighed

    def __init__(self) -> None:
        self.statements: list[str] = []

    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        self.statements += [text[-1] for text in texts if purpose == "answers"]
        return await super().read(texts, purpose)


def test_a_memory_and_the_message_it_was_learned_from_are_read_once() -> None:
    async def main() -> None:
        reader = NotesAnswers()
        async with mind(reader) as known:
            for number, colour in enumerate(["red", "blue", "green", "grey", "black", "white", "pink"], 1):
                said = f"My {colour} spare key is in the shed."
                await known.say((said, ""))
                content = f"The user's {colour} spare key is in the shed."
                await known.memories.add(Candidate(content, quote=said, exchange_id=number), origin="rules")
            assert await known.shown("Where is my red spare key?")
            assert len(reader.statements) == len({*map(str.casefold, reader.statements)}) == REREAD

    asyncio.run(main())


def test_what_stands_in_the_window_is_not_shown_but_what_has_left_it() -> None:
    async def main() -> None:
        async with mind() as known:
            await known.say(("The boiler valve is red", "Noted."), ("The boiler valve squeaks", "Noted."))
            asked = "About that boiler valve!"
            assert len(await known.shown(asked)) == 2
            second = PromptWindow("old", known.clock())
            assert await known.shown(asked, window=second) == ["The boiler valve is red"]
            assert await known.shown(asked, window=PromptWindow("old")) == []
            assert len(await known.shown(asked, window=PromptWindow("another"))) == 2

    asyncio.run(main())


def test_a_long_conversation_does_not_hide_what_another_knows() -> None:
    async def main() -> None:
        async with mind() as known:
            await known.say(("The boiler valve is red", "Noted."), conversation="another")
            await known.say(*((f"The boiler valve needs turn {n}", "Noted.") for n in range(60)))
            shown = await known.shown("Is the boiler valve red?", window=PromptWindow("old"))
            assert shown == ["The boiler valve is red"]

    asyncio.run(main())


CHAT = [
    ("I am planting beans along the south fence this week.", "beans"),
    ("Could you help me to word a mail to my landlord, Mr Okafor?", "mails to landlords"),
    ("We settled on Thursday evenings for the band rehearsals.", "bands and rehearsals"),
    ("My bicycle is a blue Koga that I bought second hand in Breda.", "bicycles"),
    ("What would you cook with leftover rice?", "leftover rice"),
    ("I take the tablets for my thyroid at six in the morning.", "tablets and the thyroid"),
    ("How do I get candle wax out of a tablecloth?", "candle wax and tablecloths"),
    ("The heating engineer comes on the ninth to look at the pump.", "heating engineers and pumps"),
]
REPLY = (
    "Gladly! There is much to say about {0}. Many people ask me about {0}, on Thursday or in the morning, about a blue "
    "bicycle, a fence or a landlord, and what matters with {0} is patience. First, think about what you want of {0}. "
    "Then look at how others went about {0}, at six or at nine. In the end {0} will be what you make of them."
)


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()])
def test_in_a_chat_with_an_assistant_the_users_own_words_are_found(embedder: Embedder | None) -> None:
    async def main() -> None:
        async with mind(embedder) as known:
            await known.say(*((said, REPLY.format(about)) for said, about in CHAT))
            for query, place in [
                ("Which brand is my bicycle?", 3),
                ("When does the band rehearse?", 2),
                ("At what time do I take the thyroid tablets?", 5),
                ("What did I plant by the fence?", 0),
                ("On which day does the heating engineer come?", 7),
                ("To which landlord did I write a mail?", 1),
            ]:
                assert (await known.found(query.rstrip("?")))[0].content == CHAT[place][0], query

    asyncio.run(main())


def test_of_equals_the_one_in_a_conversation_about_it_comes_first() -> None:
    async def main() -> None:
        async with mind() as known:
            await known.say(("The kiln needs a fuse", "Noted."), conversation="aside")
            await known.say(("The kiln needs a fuse", "Noted."), ("A fuse for the kiln!", "Yes."), conversation="about")
            await known.say(("The kiln needs a fuse", "Noted."), conversation="aside too")
            assert (await known.found("Which fuse does the kiln need?"))[0].conversation_id == "about"

    asyncio.run(main())


def test_ones_own_question_does_not_come_before_what_answers_it() -> None:
    async def main() -> None:
        async with mind(FakeEmbedder()) as known:
            await known.say(("The kiln stands in the barn", "I see."))
            await known.say(("Where is the kiln?", REPLY.format("kilns")), conversation="later")
            assert (await known.found("Where is the kiln?"))[0].content == "The kiln stands in the barn"

    asyncio.run(main())


def test_a_number_is_found_in_words_and_digits() -> None:
    async def main() -> None:
        async with mind() as known:
            await known.say(("We keep seven geese", "Nice."), ("We keep 4 hens", "Nice."), ("We keep ducks", "Nice."))
            assert (await known.found("7 keep"))[0].content == "We keep seven geese"
            assert (await known.found("four keep"))[0].content == "We keep 4 hens"

    asyncio.run(main())


def test_a_remark_is_found_with_no_strength() -> None:
    async def main() -> None:
        async with mind(FakeEmbedder()) as known:
            await known.say(("The key of the boat is red", ""))
            remark = Exchange("old", "The key of the boat is fun", "", known.clock() + 60)
            number = await known.db.write(partial(exchanges.add, exchange=remark))
            await known.passages.index(number, remark, aside=REMARK)
            found = {result.content: result.strength for result in await known.found("key of the boat")}
            assert found == {"The key of the boat is red": 1.0, "The key of the boat is fun": 0.0}

    asyncio.run(main())


def test_a_reply_in_a_chat_is_no_answer() -> None:
    async def main() -> None:
        async with mind() as known:
            await known.say(("The boat is wet. Where is the key to the boathouse?", "Under the blue pot."))
            assert "Under the blue pot." not in await known.shown("boathouse key")

    asyncio.run(main())


def test_a_question_is_shown_with_its_answer() -> None:
    async def main() -> None:
        async with mind() as known:
            long = [(f"What about the {what}?", REPLY.format(what)) for what in ("tide", "moon")]
            await known.say(("Where is the key to the boathouse?", "Under the blue pot."), *long, source="import")
            assert await known.shown("boathouse key") == ["Under the blue pot."]

    asyncio.run(main())
