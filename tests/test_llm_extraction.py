"""A model may name what a session taught, in the user's own words or not at all."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from pi_memory.errors import ModelError
from pi_memory.learning.llm_extraction import LlmExtraction
from pi_memory.loader import Loader
from pi_memory.merging.dedup import Neighbour
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.protocols import Model
from pi_memory.store import exchanges
from pi_memory.types import AnswerForm, Candidate, Exchange, Memory, Message
from tests.fakes import FakeModel
from tests.test_learner import mind

SAID = [
    (1, Exchange("c", "We moved the shop to Hetzner last spring.", "Nice.", 0.0, project="shop")),
    (2, Exchange("c", "Is the port 8080?", "The port is 9090.", 0.0, project="shop")),
    (3, Exchange("c", "```\nthe colour is blue\n```\nI like how it looks.", "Yes.", 0.0)),
]


class Talker(FakeModel):
    """Writes and chooses what it is told to."""

    def __init__(self, answer: str = "", verdict: str = "new", *, fails: bool = False) -> None:
        super().__init__()
        self.answer, self.verdict, self.fails = answer, verdict, fails
        self.asked: list[str] = []

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        self._ask(instruction)
        assert self.verdict in labels
        return self.verdict

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        self._ask(instruction)
        return self.answer

    def prepare(self, messages: Sequence[Message]) -> None:
        raise AssertionError

    async def save(self, beginning: Sequence[Message], conversations: Sequence[Sequence[Message]]) -> None:
        raise AssertionError

    def unsave(self) -> None:
        raise AssertionError

    def _ask(self, instruction: str) -> None:
        self.asked.append(instruction)
        if self.fails:
            raise ModelError("broken")


def extraction(model: Model) -> LlmExtraction:
    async def load() -> Model:
        return model

    return LlmExtraction(Loader(load, fallback=model))


def ask(answer: str) -> list[Candidate]:
    return asyncio.run(extraction(Talker(answer)).ask(SAID))


def test_what_quotes_the_user_is_a_candidate() -> None:
    (found,) = ask('- fact: The shop was moved to Hetzner last spring. | "moved the shop to Hetzner"\n')
    assert found.content == "The shop was moved to Hetzner last spring."
    assert (found.quote, found.exchange_id) == ("moved the shop to Hetzner", 1)
    assert (found.namespace, found.priority) == ("project/shop/facts", "low")


def test_what_strays_from_the_words_of_the_user_is_said_in_these() -> None:
    (found,) = ask('- decision: Kubernetes runs everywhere now. | "We moved the shop to Hetzner"\n')
    assert found.content == "We moved the shop to Hetzner last spring."


def test_a_name_or_a_number_that_the_user_did_not_say_is_not_kept() -> None:
    for content in ("The shop was moved to Hetzner in Graz.", "The shop was moved to Hetzner with 12 servers."):
        (found,) = ask(f'- fact: {content} | "moved the shop to Hetzner last spring"\n')
        assert found.content == "We moved the shop to Hetzner last spring."


def test_what_the_user_did_not_say_is_dropped() -> None:
    for quote in ("The port is 9090.", "Is the port 8080?", "the colour is blue", "we moved", "We moved to Mars"):
        assert ask(f'- fact: The port is 9090. | "{quote}"\n') == []


def test_what_is_no_answer_is_nothing() -> None:
    for answer in ("none", "", "- fact: cut off | ", '- fact: x | "', "\n\n"):
        assert ask(answer) == []


def test_a_model_that_fails_or_cannot_think_adds_nothing() -> None:
    assert asyncio.run(extraction(Talker(fails=True)).ask(SAID)) == []
    assert asyncio.run(extraction(ExtractiveModel()).ask(SAID)) == []
    assert asyncio.run(extraction(Talker(fails=True)).judge(Candidate("x"), [])).action == "add"


def test_the_model_decides_where_the_rules_are_in_doubt() -> None:
    memory = Memory(77, "Ada walks her dog at noon.", "semantic", "user", "low", "api", 0.0, 0.0, 0.0, 0.0)
    for verdict, action in (("new", "add"), ("known 1", "noop"), ("ends 1", "end")):
        model = Talker(verdict=verdict)
        decision = asyncio.run(extraction(model).judge(Candidate("The dog is walked at nine."), [Neighbour(memory)]))
        assert (decision.action, decision.id) == (action, None if action == "add" else 77)
        assert "77" not in model.asked[0]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("The dog is walked at 9 by Ben.", "known 1"),
        ("The dog is walked with Hugo.", "known 1"),
        ("The cellar is damp.", "ends 1"),
    ],
)
def test_a_verdict_by_which_something_would_be_lost_is_not_followed(said: str, verdict: str) -> None:
    memory = Memory(77, "Ada walks her dog at noon.", "semantic", "user", "low", "api", 0.0, 0.0, 0.0, 0.0)
    decision = asyncio.run(extraction(Talker(verdict=verdict)).judge(Candidate(said), [Neighbour(memory)]))
    assert (decision.action, decision.linked) == ("add", (77,))


def test_learning_takes_what_the_model_names_beside_the_rules(tmp_path: Path) -> None:
    async def story() -> list[str]:
        async with mind(tmp_path) as it:
            lines = (
                '- fact: The shop is at Hetzner. | "moved the shop to Hetzner last spring"',
                '- preference: The user likes how it looks. | "I like how it looks"',
            )
            it.learning._llm = extraction(Talker("\n".join([*lines, ""])))
            for number, exchange in SAID:
                assert await it.db.write(partial(exchanges.add, exchange=exchange)) == number
            for _ in range(2):
                await it.learning.learn(SAID)
            return await it.known()

    known = asyncio.run(story())
    assert known == ["The user likes how it looks.", "We moved the shop to Hetzner last spring. (Said on 1970-01-01.)"]
