"""The official clients of OpenAI's API against a daemon in a process of its own. Skipped where they are not installed
(`scripts/setup --clients`).
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gguf_bert import write_bert_gguf
from tests.process import Process, serving

TEA = "I drink oolong tea in the morning"
QUESTION = "Which tea do I drink in the morning?"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon"), PI_MEMORY_COMMIT_SECONDS=0) as process:
        yield process


@pytest.fixture
def openai() -> Any:
    return pytest.importorskip("openai")


@pytest.fixture
def client(openai: Any, daemon: Process) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{daemon.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask(client: Any, *said: str, **fields: Any) -> Any:
    messages = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(said)]
    return client.chat.completions.create(model="pi-memory", messages=messages, **fields)


def test_a_completion(client: Any) -> None:
    result = ask(client, TEA)
    assert result.choices[0].finish_reason == "stop"
    assert result.usage.prompt_tokens_details.cached_tokens >= 0
    again = ask(client, TEA, result.choices[0].message.content, QUESTION)
    assert "oolong" in again.choices[0].message.content


def test_a_stream_with_usage(client: Any) -> None:
    chunks = list(ask(client, "hello", stream=True, stream_options={"include_usage": True}))
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said.startswith("Hello.")
    assert chunks[-1].usage.completion_tokens > 0


def test_a_conversation_by_header_is_one_with_our_own(client: Any, daemon: Process) -> None:
    with daemon.client as ours:
        ours.post("/chat", json={"message": "My bicycle is called Rosinante", "conversation_id": "bicycle"})
    result = ask(client, "What is my bicycle called?", extra_headers={"X-Conversation-Id": "bicycle"})
    assert "Rosinante" in result.choices[0].message.content


def test_errors_are_the_clients_own(client: Any, openai: Any) -> None:
    with pytest.raises(openai.BadRequestError, match="no text"):
        ask(client)
    with pytest.raises(openai.UnprocessableEntityError, match="agent"):
        client.chat.completions.create(model="pi-memory-nobody", messages=[{"role": "user", "content": "hello"}])
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-5")


def test_models(client: Any) -> None:
    assert [model.id for model in client.models.list()] == ["pi-memory", "pi-memory-coder"]
    assert client.models.retrieve("pi-memory").owned_by == "pi-memory"


def test_responses(client: Any) -> None:
    assert client.responses.create(model="pi-memory", input="hello").output_text.startswith("Hello.")
    with client.responses.stream(model="pi-memory", input="hello") as stream:
        assert stream.get_final_response().output_text.startswith("Hello.")
    kinds = [event.type for event in client.responses.create(model="pi-memory", input="hello", stream=True)]
    assert kinds[-1] == "response.completed"


def test_the_asynchronous_client(openai: Any, daemon: Process) -> None:
    async def said() -> str:
        async with openai.AsyncOpenAI(base_url=f"{daemon.url}/v1", api_key="none") as client:
            stream = await ask(client, "hello", stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert asyncio.run(said()).startswith("Hello.")


@pytest.mark.parametrize("responses", [False, True])
def test_langchain(daemon: Process, responses: bool) -> None:
    langchain = pytest.importorskip("langchain_openai")
    model = langchain.ChatOpenAI(
        base_url=f"{daemon.url}/v1", api_key="none", model="pi-memory", use_responses_api=responses
    )
    result = model.invoke(TEA)
    again = model.invoke([("user", TEA), ("assistant", result.text), ("user", QUESTION)])
    assert "oolong" in again.text
    assert "".join(chunk.text for chunk in model.stream("hello")).startswith("Hello.")


def test_langchain_without_an_embedder_is_answered_clearly(daemon: Process, openai: Any) -> None:
    langchain = pytest.importorskip("langchain_openai")
    texts = langchain.OpenAIEmbeddings(
        base_url=f"{daemon.url}/v1", api_key="none", model="m", check_embedding_ctx_length=False
    )
    with pytest.raises(openai.UnprocessableEntityError, match="no embedder"):
        texts.embed_query("hello")


def test_vectors(openai: Any, tmp_path: Path) -> None:
    model = write_bert_gguf(tmp_path / "bert.gguf")
    with serving(tmp_path, PI_MEMORY_EMBEDDER="gguf", PI_MEMORY_EMBEDDER_MODEL=model) as process:
        with openai.OpenAI(base_url=f"{process.url}/v1", api_key="none") as client:
            found = client.embeddings.create(model="m", input=["tea", "a lorry", "tea"])
        tea, lorry, again = (one.embedding for one in found.data)
        assert tea == again != lorry
        assert sum(value * value for value in tea) == pytest.approx(1, abs=1e-3)
        langchain = pytest.importorskip("langchain_openai")
        texts = langchain.OpenAIEmbeddings(
            base_url=f"{process.url}/v1", api_key="none", model="m", check_embedding_ctx_length=False
        )
        assert texts.embed_query("tea") == pytest.approx(tea)
