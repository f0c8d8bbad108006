"""Facts that are said in passing become memories of low priority; an embedder is not needed."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import pytest

from pi_memory.config import Config
from pi_memory.embedding.none import NoEmbedder
from pi_memory.judges.asked import Asked
from pi_memory.judges.worth import Worth
from pi_memory.learning.plain_facts import LONG, PlainFacts
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.text.sentences import sentences
from pi_memory.types import Candidate, Exchange, Vectors
from pi_memory.worker import Worker
from tests.fakes import FakeReader


class States(Asked):
    """To whom no message `asks` but by its words, or each does, and what asks is as likely as `own` about one's own
    world, and by `itself` as this.
    """

    def __init__(self, own: float, itself: float, *, asks: bool) -> None:
        super().__init__(Config().folder("heads"))
        self._own, self._itself, self._asks = own, itself, asks

    def own(self, message: str, read: Vectors | None = None) -> float:
        return self._own if len(sentences(message)) > 1 else self._itself

    def asks(self, read: Vectors) -> bool:
        return self._asks


class Sure(Worth):
    """A judge who is equally sure of every sentence, and of every short one."""

    def __init__(self, chance: float, of_short: float) -> None:
        super().__init__(Config().folder("heads"))
        self._chance, self._of_short = chance, of_short

    def chances(self, sentences: Sequence[str], read: Vectors | None) -> Vectors:
        return np.array(
            [self._of_short if len(text.split()) < LONG else self._chance for text in sentences], np.float32
        )


@asynccontextmanager
async def judge(
    chance: float | None,
    own: float = 0.0,
    of_short: float | None = None,
    itself: float | None = None,
    *,
    asks: bool = False,
) -> AsyncIterator[PlainFacts]:
    """With an embedder and judges to whom every sentence has the `chance`, and every question is as likely as `own`
    about the user's own world, and by `itself` as this; None for the real judges, and none.
    """

    async def load() -> Embedder:
        return FakeReader() if chance else NoEmbedder()

    worker = Worker("compute")
    embedder: Loader[Embedder] = Loader(load, fallback=NoEmbedder())
    embedder.start()
    await embedder.ready()
    heads = Config().folder("heads")
    worth, asked = (Worth(heads), Asked(heads))
    if chance:
        worth, asked = Sure(chance, of_short or chance), States(own, own if itself is None else itself, asks=asks)
    yield PlainFacts(worth, asked, embedder, worker=worker)
    await worker.close()


def found(
    *messages: str,
    chance: float | None = None,
    own: float = 0.0,
    of_short: float | None = None,
    itself: float | None = None,
) -> list[Candidate]:
    """What the last of the messages of a conversation states in passing."""

    async def main() -> list[Candidate]:
        async with judge(chance, own, of_short, itself) as facts:
            of_each = [
                await facts.of(number, Exchange("c", text, "Fine.", 0.0), stated=notice(text))
                for number, text in enumerate(messages, 1)
            ]
        return list(of_each[-1].sure)

    return asyncio.run(main())


def aside(message: str, chance: float = 0.01, own: float = 0.0, *, asks: bool = False) -> str:
    async def main() -> str:
        async with judge(chance, own, asks=asks) as facts:
            return await facts.aside(Exchange("c", message, "", 0.0))

    return asyncio.run(main())


def is_remark(message: str, chance: float = 0.01, own: float = 0.0) -> bool:
    return aside(message, chance, own) == "remark"


def test_a_plain_fact_becomes_a_candidate_with_its_sentence() -> None:
    (fact,) = found("Our plumber is called Tomasz Wrona and lives at number 14. Can you write me a poem about it?")
    assert fact.content == "Our plumber is called Tomasz Wrona and lives at number 14."
    assert (fact.quote, fact.exchange_id, fact.priority) == (fact.content, 1, "low")


def test_a_sentence_that_tells_of_two_things_how_they_are_now_is_two() -> None:
    said = "The bin day has been shifted to Monday, and the loft key's in the tea tin now."
    assert [fact.content for fact in found(said, chance=0.9)] == [
        "The bin day has been shifted to Monday.",
        "The loft key's in the tea tin now.",
    ]
    for one in ("Lena has left the shop, and Britta does the tills now.", "The key is in the tin and the code is new."):
        assert [fact.content for fact in found(one, chance=0.9)] == [one]


@pytest.mark.parametrize(
    "message",
    [
        "Thanks, that helps!",
        "What time is it?",
        "Could you make it shorter?",
        "lol",
        "",
        "The PIN is 4711.",
        "thing the parrot mustn't eat",
        "If we ever won the lottery, Anna would spend it all on candles.",
        "My mother always says that children grow faster than grass.",
        "Let me tell you about the animals.",
        'Jonas wrote "My name is Zwolle and I live in the harbour." and I wonder why.',
        "“We always deploy with Zwolle” is what it says on the wall.",
    ],
)
def test_courtesies_questions_requests_secrets_and_quotations_do_not(message: str) -> None:
    assert found(message) == []


def test_what_is_stated_to_be_remembered_is_not_found_twice() -> None:
    assert found("Remember that the ladder is in the cellar behind the boiler.") == []


def test_a_message_of_sentences_that_are_surely_no_facts_is_a_remark() -> None:
    assert is_remark("I could eat a horse. Do you know that?")
    assert is_remark("The radiator is cold. Who looks after it?", chance=0.15)
    assert not is_remark("I could eat a horse.", chance=0.2)
    assert not is_remark("The PIN is 4711."), "what no judge sees may be a fact"
    assert not is_remark("Do you know that?")


def test_what_only_names_what_it_asks_for_answers_nothing() -> None:
    assert aside("the trick with the cellar door", asks=True) == "reason"
    assert aside("the trick with the cellar door") == ""
    assert aside("green bin and paper on Wednesdays", chance=0.5, asks=True) == "", "it gives a day"


def test_what_is_said_before_a_question_has_to_be_surer_a_fact() -> None:
    message = "We must take the cat to the vet."
    assert [fact.quote for fact in found(message, chance=0.35)] == [message]
    assert found(f"{message} Where is his box?", chance=0.35) == []
    assert [fact.quote for fact in found(f"{message} Where is his box?", chance=0.45)] == [message]


def test_what_is_said_beside_a_question_about_ones_own_world_says_why_it_asks() -> None:
    message, asked = "The lodger wants to know about the boiler.", "Who looks after it?"
    assert found(f"{message} {asked}", chance=0.9, own=0.99) == []
    assert [fact.quote for fact in found(f"{message} {asked}", chance=0.95, own=0.99)] == [message]
    assert [fact.quote for fact in found(message, chance=0.9, own=0.99)] == [message], "it asks nothing"
    update = "Bo does the boiler now."
    assert [fact.quote for fact in found(f"{update} {asked}", chance=0.9, own=0.99)] == [update]
    assert is_remark(f"{message} {asked}", chance=0.9, own=0.99)
    assert not is_remark(f"{message} {asked}", chance=0.95, own=0.99)
    assert aside(f"{message} {asked}", chance=0.3, own=0.99) == "reason"
    assert aside(f"{message} {asked}", chance=0.5, own=0.99) == "remark", "it may be a fact after all"
    assert aside(f"{message} {asked}", chance=0.3) == ""
    assert aside(asked, chance=0.3, own=0.99) == "", "there is no reason"


def test_what_is_said_beside_a_question_that_any_world_answers_says_no_reason() -> None:
    message, asked = "Ada got into the choir and they have moved to Bern.", "What do people bring to a housewarming?"
    assert [fact.quote for fact in found(f"{message} {asked}", chance=0.9, own=0.99, itself=0.1)] == [message]
    assert found(f"{message} {asked}", chance=0.9, own=0.99, itself=0.5) == []


def test_what_is_to_be_said_is_told_without_the_request() -> None:
    said = "Please add that the gate is stuck, and that Bo must not feed the geese."
    assert [fact.content for fact in found(said, chance=0.9)] == ["The gate is stuck.", "Bo must not feed the geese."]


def test_a_question_behind_a_wish_tells_nothing() -> None:
    assert found("I want to hang a door, who did I lend my drill to?", chance=0.9) == []


def test_what_is_said_of_the_assistant_is_no_fact() -> None:
    assert found("You're quicker than my sister at the till.", chance=0.9) == []
    assert found("I've set you up by the kiln.", chance=0.9) == []
    assert found("You have to push the tap in while you turn it.", chance=0.9) != []


def test_that_something_was_told_wrongly_is_no_fact() -> None:
    assert found("No, I told you wrong about Ola.", chance=0.9) == []
    assert found("I got the day wrong, the kiln man comes on Monday.", chance=0.9) != []


def test_who_is_named_with_a_title_is_worth_keeping() -> None:
    assert [fact.content for fact in found("I see Mrs Dale about my ear.", chance=0.05)] == [
        "The user sees Mrs Dale about the user's ear."
    ]
    assert found("I see the doctor about my ear.", chance=0.05) == []


def test_it_behind_a_request_is_not_what_was_said_before() -> None:
    said = "The kettle is on the stove.", "Can you find me a recipe? It is for my son Bo."
    assert [fact.content for fact in found(*said, chance=0.9)] == ["It is for the user's son Bo."]
    assert [fact.content for fact in found(said[0], "It is for my son Bo.", chance=0.9)] == [
        "The kettle is on the stove. It is for the user's son Bo."
    ]


def test_whom_a_request_is_about_is_named_in_what_is_said_of_them() -> None:
    said = "Can you write a short note to Velma? All our flour comes from them."
    assert [fact.content for fact in found(said, chance=0.9)] == ["All our flour comes from Velma."]
    said = "My landlord is a strange man. The gutter is broken. His name is Mr Ott and he never replies."
    assert "The user's landlord is a strange man. His name is Mr Ott and he never replies." in [
        fact.content for fact in found(said, chance=0.9)
    ]


def test_a_long_sentence_is_as_likely_a_fact_as_its_likeliest_clause() -> None:
    said = "The spare key is in the tin, and I really wonder why everybody keeps asking me about it every day."
    assert found(said, chance=0.05) == []
    assert [fact.quote for fact in found(said, chance=0.05, of_short=0.9)] == [said]


def test_what_goes_on_about_a_question_is_kept_with_it() -> None:
    said = "The kettle is on the stove.", "How long do quinces keep? I get them from Bern in May."
    assert [fact.content for fact in found(*said, chance=0.9)] == [
        "How long do quinces keep? The user gets them from Bern in May."
    ]
    said = "My son is Bo.", "How long do quinces keep? He takes the train to Bern."
    assert found(*said, chance=0.9)[0].content.startswith("The user's son is Bo."), "a question about nobody"


def test_nothing_is_kept_of_a_private_message() -> None:
    assert found("This is off the record. Our plumber is called Tomasz Wrona and lives at number 14.") == []


def test_what_refers_back_takes_its_subject_along() -> None:
    (fact,) = found("The tortoise is called Boris.", "He is kept in the shed from October to March.")
    assert fact.content.startswith("The tortoise is called Boris.")
    assert fact.quote == "He is kept in the shed from October to March."


@pytest.mark.parametrize(
    "messages",
    [
        ("The labourer is called Kyle. Good kid, does it well. He is at college on Wednesdays in term time.",),
        ("The labourer is called Kyle.", "Good kid, does it well.", "He is at college on Wednesdays in term time."),
    ],
)
def test_what_refers_back_refers_to_what_has_a_name(messages: Sequence[str]) -> None:
    fact = found(*messages)[-1]
    assert fact.content == "The labourer is called Kyle. He is at college on Wednesdays in term time."


def test_who_is_only_named_is_kept_with_what_brought_them_up() -> None:
    brought, named = "We've found a sitter!", "Tamsin, nineteen, very calm."
    facts = found(f"{brought} {named} I'm paying her 9 an hour.", chance=0.9)
    assert [fact.content for fact in facts] == [
        brought,
        f"{brought} {named}",
        f"{brought} {named} The user is paying her 9 an hour.",
    ]
    [*_, nut] = found(f"{brought} {named}", "She is allergic to hazelnuts.", chance=0.9)
    assert nut.content == f"{brought} {named} She is allergic to hazelnuts."


def test_whoever_stands_behind_a_phrase_is_named_in_the_sentence_before() -> None:
    flat = found("Gran's moved! First floor flat, 12 Alder Court, she has a balcony.", chance=0.9)[-1]
    assert flat.content == "Gran's moved! First floor flat, 12 Alder Court, she has a balcony."
    own = "Our tenant in Deal, the tall one, she has a balcony."
    assert found("Gran's moved!", own, chance=0.9)[-1].content == own


def test_what_points_back_takes_along_where_it_points_to() -> None:
    mill = "The mill is Ostrow and Sons."
    (code,) = found(mill, "If a fuse blows there, the spare ones lie on the meter.", chance=0.9)
    assert code.content == f"{mill} If a fuse blows there, the spare ones lie on the meter."
    price = "Our flour comes from them, 40 euros a sack."
    assert found(mill, price, chance=0.9)[0].content == f"{mill} {price}"
    closed = "They close on Tuesdays."
    assert found(mill, price, closed, chance=0.9)[0].content == f"{mill} {price} {closed}"
    for own in ("We have a hut in Ryda and eat there.", "Nuts give Bo a rash, so nobody bakes with them."):
        assert found(mill, own, chance=0.9)[0].content == own


def test_what_a_request_tells_of_whom_it_is_about_is_a_fact() -> None:
    said = "Can you write a short text to Desmond who does our boiler saying it leaks?"
    assert [(each.content, each.quote in said) for each in found(said, chance=0.9)] == [
        ("Desmond does our boiler.", True)
    ]


def test_what_is_said_of_whom_a_request_is_about_names_them() -> None:
    for said, fact in (
        ("Can you word a card to Derek next door? He feeds the cat.", "Derek next door feeds the cat."),
        ("Can you word a note to Ines asking for a later slot? She runs the pool.", "Ines runs the pool."),
        (
            "Draft a note to Cal, who cuts our hedge, asking for May? He charges 18.",
            "Cal, who cuts our hedge, charges 18.",
        ),
        ("Can you write to the hall about the van? It is cold there.", "The hall is cold there."),
    ):
        assert [each.content for each in found(said, chance=0.9)] == [fact]


def test_what_is_taken_along_ends_as_a_sentence() -> None:
    (fact,) = found("the tortoise is called Boris", "He is kept in the shed from October to March.")
    assert fact.content == "The tortoise is called Boris. He is kept in the shed from October to March."


def test_a_fact_is_kept_without_the_greeting_before_it() -> None:
    (fact,) = found("Hello, our plumber is called Tomasz Wrona and lives at number 14.")
    assert fact.content == "Our plumber is called Tomasz Wrona and lives at number 14."
    assert fact.quote == "Hello, our plumber is called Tomasz Wrona and lives at number 14."


@pytest.mark.parametrize(
    "message",
    ["the wifi password is mango77", "wifi is called kuilnet and the password is zuurkool88"],
)
def test_the_password_of_the_wifi_is_a_fact(message: str) -> None:
    assert [fact.quote for fact in found(message)] == [message]


def test_the_password_of_the_wifi_is_a_fact_behind_a_sentence_that_names_it() -> None:
    message = "I changed the wifi for guests last night. The password is mango77."
    assert message in [fact.quote for fact in found(message)]
    assert "mango77" not in " ".join(fact.quote for fact in found("My bank rang. The password is mango77."))
    assert "mango77" in " ".join(fact.quote for fact in found("It has its own wifi. The password is mango77."))


def test_a_mere_denial_is_kept_with_what_holds_instead() -> None:
    message = "The tiler is no longer Mr Orr. It is Ida."
    assert [(fact.content, fact.quote) for fact in found(message, chance=0.9)] == [(message, message)]
    denial = "The tiler is no longer Mr Orr."
    assert [fact.content for fact in found(denial, chance=0.9)] == [denial]


def test_a_secret_is_nothing_that_a_fact_is_kept_with() -> None:
    assert [each.content for each in found("my pin is 4417", "It is near the old mill.", chance=0.9)] == [
        "It is near the old mill."
    ]


def test_a_value_that_nothing_completes_is_no_fact() -> None:
    assert not found("no its 8820 now", chance=0.9)
    assert not found("The alarm is new.", "Where does Bo live?", "its 2 feb", chance=0.9)
    assert found("It's Anna who has the key.", chance=0.9)


def test_a_reaction_is_nothing_that_a_sentence_refers_back_to() -> None:
    found_facts = found(
        "How do I get wax off a table?", "That is useful, thank you. It is for the oak one from Bern.", chance=0.9
    )
    assert [fact.content for fact in found_facts] == ["It is for the oak one from Bern."]
    (fact,) = found(
        "I'll give the vinegar a go.", "That is handy, because Bo has booked us a room in Bern for May.", chance=0.9
    )
    assert fact.content == "Bo has booked us a room in Bern for May."


def test_a_cry_that_only_looks_like_a_question_is_no_fact() -> None:
    assert found("Oh, for crying out loud, who put a sock in the kettle!", chance=0.9) == []


def test_a_number_takes_along_whom_the_sentence_before_it_is_about() -> None:
    said = "We will get Bo Marten in. He always sees to our pump. 0171 222 333."
    assert found(said, chance=0.9)[-1].content == said


def test_who_somebody_is_to_another_is_not_whom_the_next_message_is_about() -> None:
    child = "Our daughter Mila turned two in March."
    said = found(child, "Dr. Ode is her doctor, in Ash Lane.", "She sleeps with a toy hare.", chance=0.9)
    assert said[-1].content == f"{child} She sleeps with a toy hare."
    said = found(child, "We asked about that at the clinic too.", "She sleeps with a toy hare.", chance=0.9)
    assert said[-1].content == f"{child} She sleeps with a toy hare."
    told = "That is what our Emil says too."
    assert found(child, told, "He has to renew his licence by June.", chance=0.9)[-1].content.startswith(told)


def test_she_is_whom_the_message_before_asked_about() -> None:
    asked, told = "What does the hawk Ada weigh?", "She has gone up to 12 pounds for the winter."
    assert found("My sister Bo has a boat.", asked, told, chance=0.9)[-1].content == f"{asked} {told}"
    other = found("My sister Bo has a boat.", "What is the time?", told, chance=0.9)
    assert other[-1].content == f"The user's sister Bo has a boat. {told}"
