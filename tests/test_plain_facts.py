"""Facts that are said in passing become memories of low priority; an embedder is not needed."""

import asyncio

import pytest

from pi_memory.config import Config
from pi_memory.embedding.none import NoEmbedder
from pi_memory.embedding.worker import Worker
from pi_memory.judges.plain_facts import PlainFacts
from pi_memory.judges.worth import Worth
from pi_memory.learning.statements import notice
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.types import Candidate, Exchange


async def _none() -> Embedder:
    return NoEmbedder()


def found(*messages: str) -> list[Candidate]:
    """What the last of the messages of a conversation states in passing."""

    async def main() -> list[Candidate]:
        worker = Worker("compute")
        facts = PlainFacts(Worth(Config().folder("heads")), Loader(_none, fallback=NoEmbedder()), worker=worker)
        of_each = [
            await facts.of(number, Exchange("c", text, "Fine.", 0.0), stated=notice(text))
            for number, text in enumerate(messages, 1)
        ]
        await worker.close()
        return of_each[-1]

    return asyncio.run(main())


def test_a_plain_fact_becomes_a_candidate_with_its_sentence() -> None:
    (fact,) = found("Our plumber is called Tomasz Wrona and lives at number 14. Can you write me a poem about it?")
    assert fact.content == "Our plumber is called Tomasz Wrona and lives at number 14."
    assert (fact.quote, fact.exchange_id, fact.priority) == (fact.content, 1, "low")


@pytest.mark.parametrize(
    "message",
    [
        "Thanks, that helps!",
        "What time is it?",
        "Could you make it shorter?",
        "lol",
        "",
        "The PIN is 4711.",
        'Jonas wrote "My name is Zwolle and I live in the harbour." and I wonder why.',
        "“We always deploy with Zwolle” is what it says on the wall.",
    ],
)
def test_courtesies_questions_requests_secrets_and_quotations_do_not(message: str) -> None:
    assert found(message) == []


def test_what_is_stated_to_be_remembered_is_not_found_twice() -> None:
    assert found("Remember that the ladder is in the cellar behind the boiler.") == []


def test_nothing_is_kept_of_a_private_message() -> None:
    assert found("This is off the record. Our plumber is called Tomasz Wrona and lives at number 14.") == []


def test_what_refers_back_takes_its_subject_along() -> None:
    (fact,) = found("The tortoise is called Boris.", "He is kept in the shed from October to March.")
    assert fact.content.startswith("The tortoise is called Boris.")
    assert fact.quote == "He is kept in the shed from October to March."
