"""Recall: what a message is told, of memories and of what was said, with and without an embedder."""

import asyncio
from collections.abc import Sequence

import pytest

from pi_memory.embedding.reading import Purpose, Text
from pi_memory.recall.judging import REREAD
from pi_memory.retrieval.candidates import PromptWindow
from pi_memory.types import Candidate, Vectors
from tests.fakes import FakeReader
from tests.told import REPLY, told


def test_a_memory_is_shown_as_soon_as_there_is_one() -> None:
    async def main() -> None:
        async with told() as known:
            assert await known.shown("Where is the spare key?") == []
            await known.memories.add(Candidate("The spare key is in the shed"), origin="api")
            assert await known.shown("Where is the spare key?") == ["The spare key is in the shed"]
            await known.memories.add(Candidate("The spare wheel is in the cellar"), origin="api")
            assert await known.shown("Where is the spare wheel?") == ["The spare wheel is in the cellar"]

    asyncio.run(main())


def test_what_is_shown_is_reinforced() -> None:
    async def main() -> None:
        async with told() as known:
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
        async with told() as known:
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
        async with told(reader) as known:
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
        async with told() as known:
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
        async with told() as known:
            await known.say(("The boiler valve is red", "Noted."), conversation="another")
            await known.say(*((f"The boiler valve needs turn {n}", "Noted.") for n in range(60)))
            shown = await known.shown("Is the boiler valve red?", window=PromptWindow("old"))
            assert shown == ["The boiler valve is red"]

    asyncio.run(main())


def test_a_reply_in_a_chat_is_no_answer() -> None:
    async def main() -> None:
        async with told() as known:
            await known.say(("The boat is wet. Where is the key to the boathouse?", "Under the blue pot."))
            assert "Under the blue pot." not in await known.shown("boathouse key")

    asyncio.run(main())


def test_a_question_is_shown_with_its_answer() -> None:
    async def main() -> None:
        async with told() as known:
            long = [(f"What about the {what}?", REPLY.format(what)) for what in ("tide", "moon")]
            await known.say(("Where is the key to the boathouse?", "Under the blue pot."), *long, source="import")
            assert await known.shown("boathouse key") == ["Under the blue pot."]

    asyncio.run(main())
