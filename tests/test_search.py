"""The search: which memories and messages come first, with and without an embedder."""

import asyncio
from functools import partial

import pytest

from pi_memory.protocols import Embedder
from pi_memory.store import exchanges
from pi_memory.store.messages import REMARK
from pi_memory.types import Exchange
from tests.fakes import FakeEmbedder
from tests.told import REPLY, told

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


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()])
def test_in_a_chat_with_an_assistant_the_users_own_words_are_found(embedder: Embedder | None) -> None:
    async def main() -> None:
        async with told(embedder) as known:
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
        async with told() as known:
            await known.say(("The kiln needs a fuse", "Noted."), conversation="aside")
            await known.say(("The kiln needs a fuse", "Noted."), ("A fuse for the kiln!", "Yes."), conversation="about")
            await known.say(("The kiln needs a fuse", "Noted."), conversation="aside too")
            assert (await known.found("Which fuse does the kiln need?"))[0].conversation_id == "about"

    asyncio.run(main())


def test_ones_own_question_does_not_come_before_what_answers_it() -> None:
    async def main() -> None:
        async with told(FakeEmbedder()) as known:
            await known.say(("The kiln stands in the barn", "I see."))
            await known.say(("Where is the kiln?", REPLY.format("kilns")), conversation="later")
            assert (await known.found("Where is the kiln?"))[0].content == "The kiln stands in the barn"

    asyncio.run(main())


def test_a_number_is_found_in_words_and_digits() -> None:
    async def main() -> None:
        async with told() as known:
            await known.say(("We keep seven geese", "Nice."), ("We keep 4 hens", "Nice."), ("We keep ducks", "Nice."))
            assert (await known.found("7 keep"))[0].content == "We keep seven geese"
            assert (await known.found("four keep"))[0].content == "We keep 4 hens"

    asyncio.run(main())


def test_a_remark_is_found_with_no_strength() -> None:
    async def main() -> None:
        async with told(FakeEmbedder()) as known:
            await known.say(("The key of the boat is red", ""))
            remark = Exchange("old", "The key of the boat is fun", "", known.clock() + 60)
            number = await known.db.write(partial(exchanges.add, exchange=remark))
            await known.passages.index(number, remark, aside=REMARK)
            found = {result.content: result.strength for result in await known.found("key of the boat")}
            assert found == {"The key of the boat is red": 1.0, "The key of the boat is fun": 0.0}

    asyncio.run(main())
