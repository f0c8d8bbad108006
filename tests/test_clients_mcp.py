"""MCP's official client against a daemon, in both forms of the protocol, over HTTP and by the command. Skipped where it
is not installed (`scripts/setup --clients`).
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.process import Process, serving


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon")) as process:
        yield process


@pytest.fixture(params=["http", "command"])
def target(request: pytest.FixtureRequest, daemon: Process) -> Any:
    mcp = pytest.importorskip("mcp")
    if request.param == "http":
        return f"{daemon.url}/mcp"
    port = daemon.url.rpartition(":")[2]
    return mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "pi_memory", "mcp"],
        env={"PI_MEMORY_PORT": port, "PI_MEMORY_DATA_DIR": str(daemon.folder / "data")},
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client(target: Any, mode: str) -> None:
    mcp = pytest.importorskip("mcp")

    async def use() -> None:
        async with mcp.Client(target, mode=mode) as client:
            assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"recall", "remember", "forget", "read_graph"} <= names
            sentence = f"The {mode} valve is behind the shed"
            await client.call_tool("remember", {"content": sentence})
            result = await client.call_tool("recall", {"query": f"Where is the {mode} valve?"})
            assert result.structured_content["results"][0]["content"] == sentence
            graph = await client.call_tool("search_nodes", {"query": "valve"})
            assert json.loads(graph.content[0].text) == graph.structured_content
            assert (await client.call_tool("recall", {})).is_error
            (text,) = (await client.read_resource("pi-memory://recent-focus")).contents
            assert text.text.startswith("#")

    asyncio.run(use())


def test_an_unknown_tool_is_an_error_of_the_tool(target: Any) -> None:
    mcp = pytest.importorskip("mcp")

    async def use() -> None:
        async with mcp.Client(target) as client:
            assert (await client.call_tool("nothing", {})).is_error

    asyncio.run(use())
