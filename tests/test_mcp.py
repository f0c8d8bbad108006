"""`/mcp` without a client: the protocol in both of its forms, our tools, resources."""

import json
from typing import Any

import pytest

from tests.conftest import Client, Daemon

NEW = "2026-07-28"
META = "io.modelcontextprotocol/"


def rpc(client: Client, method: str, *, version: str | None = None, headers: Any = None, **params: Any) -> Any:
    if version:
        params["_meta"] = {f"{META}protocolVersion": version, f"{META}clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post("/mcp", json=body, headers=headers)


def result(client: Client, method: str, **params: Any) -> Any:
    answer = rpc(client, method, **params).json()
    assert answer["id"] == 1
    return answer["result"]


def call(client: Client, tool: str, **arguments: Any) -> Any:
    answered = result(client, "tools/call", name=tool, arguments=arguments)
    assert not answered.get("isError"), answered
    assert json.loads(answered["content"][0]["text"]) == answered["structuredContent"]
    return answered["structuredContent"]


def failed(client: Client, tool: str, **arguments: Any) -> str:
    answered = result(client, "tools/call", name=tool, arguments=arguments)
    assert answered["isError"]
    return str(answered["content"][0]["text"])


def test_the_handshake_agrees_on_a_version(daemon: Daemon) -> None:
    client = daemon()
    answered = result(client, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    assert answered["protocolVersion"] == "2025-06-18"
    assert answered["serverInfo"]["name"] == "pi-memory"
    assert result(client, "initialize", protocolVersion="1999-01-01")["protocolVersion"] == "2025-11-25"
    notified = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (notified.status_code, notified.content) == (202, b"")
    assert result(client, "ping") == {}


@pytest.mark.parametrize("version", [None, NEW])
def test_discovery_needs_no_handshake(daemon: Daemon, version: str | None) -> None:
    answered = result(daemon(), "server/discover", version=version)
    assert answered["supportedVersions"] == [NEW, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    assert answered["capabilities"]["tools"] == {"listChanged": False}


def test_the_new_form_marks_its_results(daemon: Daemon) -> None:
    client = daemon()
    answered = result(client, "tools/list", version=NEW)
    assert (answered["resultType"], answered["cacheScope"]) == ("complete", "private")
    assert answered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "pi-memory"
    assert set(result(client, "tools/list")) == {"tools"}


@pytest.mark.parametrize(
    ("version", "headers", "code"),
    [
        ("2027-01-01", {}, -32022),
        (None, {"MCP-Protocol-Version": "1.0"}, -32022),
        (NEW, {"MCP-Protocol-Version": "2025-11-25"}, -32020),
        ("2027-01-01", {"MCP-Protocol-Version": NEW}, -32020),
        (NEW, {"MCP-Protocol-Version": NEW}, -32020),
        (NEW, {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call"}, -32020),
        (None, {"MCP-Protocol-Version": NEW}, -32602),
        (NEW, {"Mcp-Method": "ping"}, -32020),
        (NEW, {"Mcp-Name": "=?base64?Zm9yZ2V0?="}, -32020),
        (NEW, {"Mcp-Name": "=?base64?cmVjYWxs"}, -32020),
        (NEW, {"Mcp-Name": "=?base64?!?="}, -32020),
        (NEW, {"Mcp-Name": "forget"}, -32020),
    ],
)
def test_what_does_not_agree_is_refused(daemon: Daemon, version: str, headers: dict[str, str], code: int) -> None:
    answer = rpc(daemon(), "tools/call", version=version, headers=headers, name="recall", arguments={"query": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("name", ["recall", "=?base64?cmVjYWxs?="])
def test_headers_that_repeat_the_body_are_taken(daemon: Daemon, name: str) -> None:
    headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": name}
    answer = rpc(daemon(), "tools/call", version=NEW, headers=headers, name="recall", arguments={"query": "x"})
    assert answer.json()["result"]["resultType"] == "complete"


def test_the_new_form_needs_what_the_client_can_do(daemon: Daemon) -> None:
    answer = rpc(daemon(), "tools/list", _meta={f"{META}protocolVersion": NEW})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize("method", ["initialize", "ping"])
def test_the_new_form_has_no_handshake(daemon: Daemon, method: str) -> None:
    answer = rpc(daemon(), method, version=NEW)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(("version", "status"), [(None, 200), (NEW, 404)])
def test_an_unknown_method_is_an_error(daemon: Daemon, version: str | None, status: int) -> None:
    answer = rpc(daemon(), "subscriptions/listen", version=version)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, -32601)


@pytest.mark.parametrize(
    ("body", "code"), [(b"{", -32700), (b"[]", -32600), (b'{"id": {}, "method": "x"}', -32600), (b"\xff", -32700)]
)
def test_what_is_no_message_is_refused(daemon: Daemon, body: bytes, code: int) -> None:
    answer = daemon().post("/mcp", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_there_is_no_stream_and_no_session(daemon: Daemon) -> None:
    client = daemon()
    assert client.get("/mcp").status_code == 405
    assert client.delete("/mcp").status_code == 405


def test_tools_have_plain_schemas_and_hints(daemon: Daemon) -> None:
    tools = {tool["name"]: tool for tool in result(daemon(), "tools/list")["tools"]}
    assert "$ref" not in json.dumps(tools)
    assert all(tool["inputSchema"]["type"] == "object" and tool["title"] for tool in tools.values())
    assert tools["recall"]["annotations"]["readOnlyHint"]
    assert tools["forget"]["annotations"]["destructiveHint"]
    assert not any(tool["annotations"]["openWorldHint"] for tool in tools.values())


def test_what_is_remembered_is_recalled_and_corrected(daemon: Daemon) -> None:
    client = daemon()
    old = call(client, "remember", content="The pump's seal is 18 mm wide", project="garden")
    assert (old["namespace"], old["priority"]) == ("project/garden", "highest")
    (found,) = call(client, "recall", query="How wide is the seal?", project="garden")["results"]
    assert found["id"] == old["id"]
    new = call(client, "correct", id=old["id"], content="The pump's seal is 20 mm wide")
    assert new["namespace"] == "project/garden"
    assert client.get(f"/memories/{old['id']}").json()["superseded_by"] == new["id"]


def test_forgetting_shows_first_what_goes(daemon: Daemon) -> None:
    client = daemon()
    memory = call(client, "remember", content="The alarm code is kept by Ada")
    shown = call(client, "forget", id=memory["id"])
    assert not shown["forgotten"]
    assert "alarm" in shown["would_go"]["gone"][0]["text"]
    assert client.get(f"/memories/{memory['id']}").json()["is_valid"]
    assert call(client, "forget", id=memory["id"], confirm=True)["forgotten"]
    assert client.get(f"/memories/{memory['id']}").json()["forgotten_at"]


def test_a_focus_that_is_set_is_in_the_session_and_in_the_file(daemon: Daemon) -> None:
    client = daemon()
    call(client, "set_focus", topic="garden/pumps", related_files=["/srv/garden/pump.py"])
    call(client, "record_decision", decision="Use the ceramic seal")
    assert [one["topic"] for one in call(client, "focus")["topics"]] == ["garden/pumps"]
    current = call(client, "session_context")["currentFocus"]
    assert (current["topic"], current["keyDecisions"]) == ("garden/pumps", ["Use the ceramic seal"])
    file = result(client, "resources/read", uri="pi-memory://recent-focus")["contents"][0]
    assert file["mimeType"] == "text/markdown"
    assert "garden/pumps" in file["text"]


def test_a_memory_that_helped_is_noted(daemon: Daemon) -> None:
    client = daemon()
    memory = call(client, "remember", content="The relay clicks twice")
    applied = call(client, "log_application", memory_id=memory["id"], context="finding the fault", helpful=True)
    assert (applied["memoryId"], applied["helpful"]) == (memory["id"], True)


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("nothing", {}, "MCP error -32602: Tool nothing not found"),
        ("recall", {}, "query"),
        ("recall", {"query": 3}, "query"),
        ("recall", {"query": "x", "limit": 3}, "limit"),
        ("recall", {"query": "x", "k": 10**6}, "k"),
        ("forget", {"id": 99}, "no memory"),
        ("forget", {"id": True}, "id"),
        ("remember", {"content": " "}, "content"),
        ("create_entities", {"entities": [{"name": "x"}]}, "MCP error -32602"),
    ],
)
def test_what_goes_wrong_in_a_tool_is_for_the_model_to_read(
    daemon: Daemon, tool: str, arguments: dict[str, Any], named: str
) -> None:
    assert named in failed(daemon(), tool, **arguments)


def test_resources(daemon: Daemon) -> None:
    client = daemon()
    listed = result(client, "resources/list")["resources"]
    assert {one["uri"] for one in listed} >= {"pi-memory://recent-focus", "memory://knowledge-graph"}
    missing = rpc(client, "resources/read", uri="file:///etc/passwd").json()
    assert missing["error"]["code"] == -32602


def test_without_memory_the_tools_say_so(daemon: Daemon) -> None:
    client = daemon(ENABLE_MEMORY=False)
    assert "switched off" in failed(client, "recall", query="x")
