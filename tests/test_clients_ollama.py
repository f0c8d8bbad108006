"""Ollama's official client and LangChain's against a daemon. Skipped where they are not installed
(`scripts/setup --clients`).
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.process import Process, serving

TEA = "I drink oolong tea in the morning"
QUESTION = "Which tea do I drink in the morning?"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon"), PI_MEMORY_COMMIT_SECONDS=0) as process:
        yield process


@pytest.fixture
def ollama() -> Any:
    return pytest.importorskip("ollama")


@pytest.fixture
def client(ollama: Any, daemon: Process) -> Iterator[Any]:
    with ollama.Client(host=daemon.url) as client:
        yield client


def say(client: Any, *said: str, **fields: Any) -> Any:
    messages = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(said)]
    return client.chat(model="pi-memory", messages=messages, **fields)


def test_a_chat(client: Any) -> None:
    result = say(client, TEA)
    assert (result.done, result.done_reason) == (True, "stop")
    assert "oolong" in say(client, TEA, result.message.content, QUESTION).message.content


def test_a_stream(client: Any) -> None:
    pieces = list(say(client, "hello", stream=True))
    assert "".join(piece.message.content for piece in pieces).startswith("Hello.")
    assert pieces[-1].eval_count > 0


def test_a_completion(client: Any) -> None:
    assert client.generate(model="pi-memory", prompt="hello").response.startswith("Hello.")
    assert client.generate(model="pi-memory").done_reason == "load"


def test_models(client: Any) -> None:
    assert [model.model for model in client.list().models] == ["pi-memory:latest", "pi-memory-coder:latest"]
    assert client.show("pi-memory").capabilities == ["completion"]
    assert client.ps().models == []
    assert client.pull("pi-memory").status == "success"


def test_errors_are_the_clients_own(client: Any, ollama: Any) -> None:
    with pytest.raises(ollama.ResponseError, match="agent") as caught:
        client.chat(model="pi-memory-nobody", messages=[{"role": "user", "content": "hello"}])
    assert caught.value.status_code == 422
    with pytest.raises(ollama.ResponseError, match="no embedder"):
        client.embed(model="pi-memory", input="hello")


def test_langchain(daemon: Process) -> None:
    langchain = pytest.importorskip("langchain_ollama")
    model = langchain.ChatOllama(base_url=daemon.url, model="pi-memory", validate_model_on_init=True)
    result = model.invoke(TEA)
    assert "oolong" in model.invoke([("user", TEA), ("assistant", result.text), ("user", QUESTION)]).text
    assert "".join(chunk.text for chunk in model.stream("hello")).startswith("Hello.")
    model._client.close()
