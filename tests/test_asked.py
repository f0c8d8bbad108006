"""Questions about what the user told, and about what everybody may know."""

import asyncio

import pytest

from pi_memory.config import Config
from pi_memory.judges.asked import Asked
from tests.test_conflicts import NEEDS_MINILM
from tests.test_replacement import default

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
