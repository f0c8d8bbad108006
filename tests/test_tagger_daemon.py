"""The taggers in the whole daemon."""

import logging
from typing import Any

import pytest

from pi_memory.model.extractive import ExtractiveModel
from pi_memory.store import topics
from tests.conftest import Client, Daemon
from tests.fakes import FakeEmbedder

PUMP = {"name": "Edit", "arguments": {"path": "/home/ada/src/irrigation/pump.py"}}


def work(client: Client, said: str, *calls: Any, session: str = "s") -> Any:
    body = {"session_id": session, "user_message": said, "tool_calls": calls, "assistant_response": "Done."}
    return client.post("/activity?wait=1", json=body).raise_for_status().json()


def places(client: Client, embedder: FakeEmbedder) -> set[str]:
    assert client.portal is not None

    async def kept() -> set[str]:
        return set(await client.parts.db.read(lambda db: topics.load_centroids(db, embedder.id)))

    return client.portal.call(kept)


def test_where_topics_lie_is_kept_and_goes_with_a_rename(daemon: Daemon) -> None:
    embedder = FakeEmbedder()
    client = daemon(embedder=embedder)
    assert work(client, "the pump leaks", PUMP)["topic"] == "irrigation"
    assert places(client, embedder) == {"irrigation"}
    client.put("/focus/irrigation", json={"rename_to": "water"}).raise_for_status()
    assert places(client, embedder) == {"irrigation", "water"}
    client.stop()
    again = daemon(embedder=embedder)
    assert work(again, "the pump leaks", PUMP, session="t")["topic"] == "water"
    assert places(again, embedder) == {"irrigation", "water"}


def test_nothing_lies_anywhere_by_rules(daemon: Daemon) -> None:
    embedder = FakeEmbedder()
    client = daemon(embedder=embedder, PI_MEMORY_TAGGER="rules")
    assert work(client, "the pump leaks", PUMP)["topic"] == "irrigation"
    assert places(client, embedder) == set()


def test_an_order_that_is_repeated_is_heard_once(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TAGGER="rules")
    order = "put the api into a docker container, please, and then go on with the rest of the plan"
    assert work(client, order)["topic"] == "docker"
    assert work(client, order, PUMP)["topic"] == "irrigation"


def test_a_model_that_only_quotes_is_not_asked(daemon: Daemon, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        client = daemon(model=ExtractiveModel(), PI_MEMORY_TAGGER="model")
        assert work(client, "the pump leaks", PUMP)["topic"] == "irrigation"
    assert "PI_MEMORY_TAGGER=model needs a chat model" in caplog.text
