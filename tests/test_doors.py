"""What is said by one protocol is known by every other."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import pytest

from pi_memory.app import DOORS
from pi_memory.http import wyoming
from tests.conftest import Client, Daemon
from tests.fakes import FakeModel
from tests.test_wyoming import free_port

Say = Callable[[Client, str], object]


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def mcp(client: Client, text: str) -> object:
    arguments = {"content": text.removeprefix("Remember that ")}
    params = {"name": "remember", "arguments": arguments}
    return client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def by_voice(client: Client, text: str) -> object:
    """As a voice satellite says it, on a port of its own."""

    async def say() -> object:
        async with wyoming.listening(client.parts):
            port = client.parts.settings.server.wyoming_port
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(wyoming.pack("transcript", {"text": text, "context": {"satellite_id": uuid4().hex}}))
            answer = await wyoming.unpack(reader)
            writer.close()
            return answer

    assert client.portal is not None
    return client.portal.call(say)


SAY: dict[str, Say] = {
    "ours": lambda client, text: client.post("/chat", json={"message": text}),
    "completions": lambda client, text: client.post("/v1/chat/completions", json={"messages": messages(text)}),
    "responses": lambda client, text: client.post("/v1/responses", json={"input": text}),
    "ollama": lambda client, text: client.post("/api/chat", json={"messages": messages(text)}),
    "wyoming": by_voice,
}


@pytest.mark.parametrize("by", [*SAY, "mcp"])
@pytest.mark.parametrize("asked", SAY)
def test_what_is_reported_by_one_is_known_by_the_other(daemon: Daemon, by: str, asked: str) -> None:
    model = FakeModel()
    client = daemon(model=model, PI_MEMORY_WYOMING_PORT=free_port())
    (SAY | {"mcp": mcp})[by](client, "Remember that the seal of the pump is 18 mm wide")
    client.settle()
    SAY[asked](client, "How wide is the seal of the pump?")
    prompt = model.prompts[-1]
    assert [m.content for m in prompt[1:]] == ["How wide is the seal of the pump?"], "a conversation of its own"
    assert "18 mm" in "".join(m.text for m in prompt)


def test_each_door_opens_at_the_first_request(daemon: Daemon) -> None:
    client = daemon()
    assert {"/v1", "/api", "/mcp"} < set(DOORS)
    assert client.get("/v1/models").status_code == client.get("/api/tags").status_code == 200
    assert client.get("/mcp").headers["allow"] == "POST"
