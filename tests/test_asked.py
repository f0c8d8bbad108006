"""Questions about what the user told, and about what everybody may know."""

import asyncio

import pytest

from pi_memory.config import Config
from pi_memory.judges.asked import Asked, may_ask
from pi_memory.text.intent import intent_of
from tests.conftest import Client
from tests.test_conflicts import NEEDS_MINILM, minilm, reader
from tests.test_replacement import default

__all__ = ["minilm", "reader"]

ASKED = Asked(Config().folder("heads"))


def own(question: str) -> float:
    read = asyncio.run(default().read([(question,)], "sentences"))
    return ASKED.own(question, read)


@NEEDS_MINILM
@pytest.mark.parametrize(
    "question",
    [
        "Where is the ladder?",
        "Who cuts our hedge?",
        "boiler man number",
        "When does Ida have choir?",
        "which drawer are the fuses in",
        "What may Otto not eat?",
    ],
)
def test_who_asks_for_what_they_told_asks_for_their_own(question: str) -> None:
    assert own(question) > 0.7


@NEEDS_MINILM
@pytest.mark.parametrize(
    "question",
    [
        "Why does bread go stale?",
        "How long do I boil an egg so that it stays soft?",
        "what's another word for tired",
        "Can dogs eat grapes?",
        "Who wrote The Wind in the Willows?",
        "my grandson asks why the sea is salty",
    ],
)
def test_who_asks_what_everybody_may_know_does_not(question: str) -> None:
    assert own(question) < 0.6


def test_any_message_is_judged_by_its_words_where_nothing_reads_it() -> None:
    assert 0 <= ASKED.own("") <= 1
    assert ASKED.own("Where is the ladder?") > ASKED.own("Why does bread go stale?")


def asks(message: str) -> bool:
    read = asyncio.run(default().read([(message,)], "sentences"))
    assert read is not None
    return intent_of(message).asks or (may_ask(message) and ASKED.asks(read))


@NEEDS_MINILM
@pytest.mark.parametrize(
    "message",
    [
        "game i have with the lads",
        "flavour for the groom im at the baker",
        "need the name of the vet",
        "the stuff leo cant eat",
    ],
)
def test_what_is_only_named_in_a_hurry_asks(message: str) -> None:
    assert asks(message)


@NEEDS_MINILM
@pytest.mark.parametrize(
    "message",
    [
        "the wiki is on port 4455",
        "leo cant eat nuts",
        "we play darts with the lads on fridays",
        "rent 640, due on the 3rd",
        "i could eat a horse",
    ],
)
def test_what_states_something_in_a_hurry_does_not_ask(message: str) -> None:
    assert not asks(message)


@NEEDS_MINILM
def test_what_is_only_named_in_a_hurry_is_answered_and_no_memory(reader: Client) -> None:
    def said(message: str) -> str:
        body = {"message": message, "conversation_id": f"c{len(message)}"}
        reply: str = reader.post("/chat", json=body).raise_for_status().json()["reply"]
        reader.settle()
        return reply

    said("Leo can't eat celery, it makes him sick for days.")
    (known,) = reader.get("/memories").json()["memories"]
    assert "celery" in said("the stuff leo cant eat")
    assert [memory["id"] for memory in reader.get("/memories").json()["memories"]] == [known["id"]]
    assert "stuff" not in said("What is it that Leo can't eat?")


@NEEDS_MINILM
def test_what_everybody_may_know_follows_up_nothing(reader: Client) -> None:
    def said(message: str, conversation: str = "later") -> str:
        body = {"message": message, "conversation_id": conversation}
        reply: str = reader.post("/chat", json=body).raise_for_status().json()["reply"]
        reader.settle()
        return reply

    said("Otto must not eat grapes, and he comes on Friday.", "before")
    assert "grapes" in said("What may Otto not eat?")
    assert "grapes" not in said("why does the sky go red before it snows")
    assert "Friday" in said("When does Otto come?")
    assert "grapes" in said("and what may he not eat?")


def test_what_tells_what_happened_asks_nothing() -> None:
    assert not may_ask("Bo broke his arm yesterday")
    assert not may_ask("one of the pear trees fell")
    assert not may_ask("bin day friday now")
    assert may_ask("the present Bo is after")
    assert may_ask("red sky tonight")


def test_what_gives_a_number_or_tells_what_happened_asks_nothing() -> None:
    assert may_ask("the river I want to ride along")
    assert not any(map(may_ask, ["log retention 14 days", "the cat died", "ida and bo swapped shifts"]))
