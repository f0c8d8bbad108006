"""What is said by one protocol is known by every other."""

from collections.abc import Callable

import pytest

from pi_memory.app import DOORS
from tests.conftest import Client, Daemon
from tests.fakes import FakeModel

Say = Callable[[Client, str], object]


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def mcp(client: Client, text: str) -> object:
    arguments = {"content": text.removeprefix("Remember that ")}
    params = {"name": "remember", "arguments": arguments}
    return client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


SAY: dict[str, Say] = {
    "ours": lambda client, text: client.post("/chat", json={"message": text}),
    "completions": lambda client, text: client.post("/v1/chat/completions", json={"messages": messages(text)}),
    "responses": lambda client, text: client.post("/v1/responses", json={"input": text}),
    "ollama": lambda client, text: client.post("/api/chat", json={"messages": messages(text)}),
}


@pytest.mark.parametrize("by", [*SAY, "mcp"])
@pytest.mark.parametrize("asked", SAY)
def test_what_is_reported_by_one_is_known_by_the_other(daemon: Daemon, by: str, asked: str) -> None:
    model = FakeModel()
    client = daemon(model=model)
    (SAY | {"mcp": mcp})[by](client, "Remember that the seal of the pump is 18 mm wide")
    client.settle()
    SAY[asked](client, "How wide is the seal of the pump?")
    prompt = model.prompts[-1]
    assert [m.content for m in prompt[1:]] == ["How wide is the seal of the pump?"], "a conversation of its own"
    assert "18 mm" in "".join(m.text for m in prompt)


def test_each_door_opens_at_the_first_request(daemon: Daemon) -> None:
    client = daemon()
    assert set(DOORS) == {"/v1/{rest:path}", "/api/{rest:path}", "/mcp"}
    assert client.get("/v1/models").status_code == client.get("/api/tags").status_code == 200
    assert client.get("/mcp").headers["allow"] == "POST"
