"""The tagger that asks a model, with a model whose answers are written down."""

import asyncio
from collections.abc import Sequence

import pytest

from pi_memory.errors import ModelError
from pi_memory.tagging.llm_tagger import OTHER, LlmTagger
from pi_memory.tagging.tagger import EvidenceTagger
from pi_memory.types import AnswerForm, Exchange, Message, Source, Tag, Topic
from pi_memory.worker import Worker
from tests.fakes import FakeModel
from tests.test_tagger import PATTERNS, edit

SAID = [Message("user", "the pump leaks"), Message("assistant", "Tighten it.")]


class Oracle(FakeModel):
    """Chooses what it was told to choose, writes what it was told to write, and keeps what it was asked."""

    def __init__(self, chosen: str, written: str = "") -> None:
        super().__init__()
        self.chosen, self.written = chosen, written
        self.labels: list[str] = []
        self.messages: list[Message] = []

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        self.messages, self.labels = list(messages), list(labels)
        if self.chosen not in labels:
            raise ModelError("There is no such label", hint="")
        return self.chosen

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        return self.written


def tag(oracle: Oracle, *, reply: str = "Tighten it.", source: Source = "chat") -> Tag:
    calls = (edit("/srv/src/garden/valve.py"),)
    exchange = Exchange("c", "the pump leaks", reply, 0.0, tool_calls=calls, source=source)
    tagger = LlmTagger(
        EvidenceTagger(PATTERNS, worker=Worker("compute")), oracle, lambda name: SAID if name == "c" else ()
    )
    topics = [Topic("auth", 0, 0), Topic("garden", 0, 0)]
    return asyncio.run(tagger.tag(exchange, topics=topics, current="auth", working_directory=None))


def test_the_model_chooses_among_what_the_rules_find_and_what_is_known() -> None:
    oracle = Oracle("auth")
    found = tag(oracle)
    assert (found.topic, found.file_paths) == ("auth", ("/srv/src/garden/valve.py",))
    assert oracle.labels == ["garden", "auth", OTHER]


WRITTEN = [("water-supply", "water-supply"), ("Gardens", "garden"), ("garden/pump", "garden"), ("", "garden")]


@pytest.mark.parametrize(("written", "topic"), WRITTEN)
def test_a_new_name_is_matched_and_placed_like_any_other(written: str, topic: str) -> None:
    assert tag(Oracle(OTHER, written)).topic == topic


def test_what_the_rules_find_stays_when_the_model_fails(caplog: pytest.LogCaptureFixture) -> None:
    assert tag(Oracle("unheard-of")).topic == "garden"
    assert "no such label" in caplog.text


def test_the_model_is_asked_behind_the_conversation_that_it_has_read() -> None:
    oracle = Oracle("garden")
    tag(oracle)
    assert oracle.messages == SAID
    for kwargs in ({"source": "activity"}, {"reply": "Something else was replied."}):
        tag(oracle, **kwargs)  # type: ignore[arg-type]
        assert [message.role for message in oracle.messages] == ["user", "assistant"]
        assert oracle.messages[1].content != SAID[1].content or kwargs == {"source": "activity"}


def test_it_is_not_asked_about_chatter() -> None:
    oracle = Oracle("auth")
    exchange = Exchange("c", "thanks!", "You are welcome.", 0.0)
    tagger = LlmTagger(EvidenceTagger(PATTERNS, worker=Worker("compute")), oracle, lambda name: ())
    found = asyncio.run(tagger.tag(exchange, topics=[Topic("auth", 0, 0)], current="auth", working_directory=None))
    assert found == Tag(None)
    assert oracle.labels == []
