"""What is said with one official client is known to every other. Those that are not installed are left out
(`scripts/setup --clients`).
"""

import asyncio
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import test_clients_javascript
from tests.process import Process, serving
from tests.test_wyoming import free_port

Say = Callable[[Process, str], str]
PORT = free_port()


def client_of(name: str) -> Any:
    """A client's module. Skips the test where it is not installed."""
    pytest.importorskip(name.partition(".")[0])
    return importlib.import_module(name)


def ours(process: Process, text: str) -> str:
    with process.client as client:
        return str(client.post("/chat", json={"message": text}).json()["reply"])


def openai(process: Process, text: str) -> str:
    with client_of("openai").OpenAI(base_url=f"{process.url}/v1", api_key="none") as client:
        asked = client.chat.completions.create(model="pi-memory", messages=[{"role": "user", "content": text}])
        return str(asked.choices[0].message.content)


def ollama(process: Process, text: str) -> str:
    with client_of("ollama").Client(host=process.url) as client:
        return str(client.chat(model="pi-memory", messages=[{"role": "user", "content": text}]).message.content)


def langchain_openai(process: Process, text: str) -> str:
    chat = client_of("langchain_openai").ChatOpenAI
    return str(chat(base_url=f"{process.url}/v1", api_key="none", model="pi-memory").invoke(text).text)


def langchain_ollama(process: Process, text: str) -> str:
    model = client_of("langchain_ollama").ChatOllama(base_url=process.url, model="pi-memory")
    try:
        return str(model.invoke(text).text)
    finally:
        model._client.close()


def wyoming(process: Process, text: str) -> str:
    client, asr, handle = (client_of(f"wyoming.{name}") for name in ("client", "asr", "handle"))

    async def say() -> str:
        async with client.AsyncTcpClient("127.0.0.1", PORT) as satellite:
            await satellite.write_event(asr.Transcript(text=text).event())
            return str(handle.Handled.from_event(await asyncio.wait_for(satellite.read_event(), 30)).text)

    return asyncio.run(say())


def mcp(process: Process, text: str) -> str:
    library = client_of("mcp")

    async def call() -> str:
        async with library.Client(f"{process.url}/mcp") as client:
            if text.startswith("Remember that "):
                return str(await client.call_tool("remember", {"content": text.removeprefix("Remember that ")}))
            found = await client.call_tool("recall", {"query": text})
            return str(found.structured_content["results"][0]["content"])

    return asyncio.run(call())


def javascript(name: str) -> Say:
    def say(process: Process, text: str) -> str:
        if test_clients_javascript.pytestmark.args[0]:
            pytest.skip("scripts/setup --clients installs it")
        return str(test_clients_javascript.use(process, name, text)["said"])

    return say


SAY: dict[str, Say] = {
    "ours": ours,
    "openai": openai,
    "openai in JavaScript": javascript("say-openai"),
    "AI SDK": javascript("say-ai"),
    "ollama": ollama,
    "langchain-openai": langchain_openai,
    "langchain-ollama": langchain_ollama,
    "wyoming": wyoming,
    "mcp": mcp,
}
COLOURS = dict(zip(SAY, ("red", "blue", "green", "white", "black", "brown", "yellow", "grey", "purple"), strict=True))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder: Path = tmp_path_factory.mktemp("daemon")
    with serving(folder, PI_MEMORY_COMMIT_SECONDS=0, PI_MEMORY_WYOMING_PORT=PORT) as process:
        yield process


@pytest.mark.parametrize("told", SAY)
def test_what_is_said_with_one_is_known_to_the_others(daemon: Process, told: str) -> None:
    colour, width = COLOURS[told], 10 + list(SAY).index(told)
    SAY[told](daemon, f"Remember that the seal of the {colour} pump is {width} mm wide")
    for asked, ask in SAY.items():
        try:
            assert f"{width} mm" in ask(daemon, f"How wide is the seal of the {colour} pump?"), asked
        except pytest.skip.Exception:
            continue
