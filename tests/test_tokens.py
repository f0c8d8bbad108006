"""Named tokens over HTTP: what each scope and namespace opens, and what a withdrawn one does not."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_memory.app import every_endpoint
from pi_memory.errors import StoreError
from pi_memory.http.named_tokens import FILE, MOST, NamedToken, TokenFile
from tests.conftest import Client, Daemon
from tests.process import serving

GARDEN = "project/garden"
Headers = dict[str, str]


def add(client: Client, scope: str, namespace: str | None = None, *, name: str = "kitchen") -> Headers:
    """The headers of a client with a new token."""
    made = client.post("/tokens", json={"name": name, "scope": scope, "namespace": namespace})
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['token']}"}


def remember(client: Client, content: str, namespace: str) -> int:
    return int(client.post("/memories", json={"content": content, "namespace": namespace}).json()["id"])


def call(client: Client, headers: Headers, tool: str, **arguments: Any) -> Any:
    """What a tool of `/mcp` answers."""
    params = {"name": tool, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return client.post("/mcp", json=asked, headers=headers).json()["result"]


READS = (
    "/focus",
    "/memories",
    "/memories/search?q=tap",
    "/exchanges",
    "/v1/models",
    "/api/tags",
    "/metrics",
    "/",
    "/ui/health",
)
CHATS: dict[str, dict[str, Any]] = {
    "/chat": {"message": "Hello"},
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "Hello"}]},
    "/v1/responses": {"input": "Hello"},
    "/api/chat": {"messages": [{"role": "user", "content": "Hello"}], "stream": False},
    "/api/generate": {"prompt": "Hello", "stream": False},
    "/memories": {"content": "The tap drips."},
}
FOR_ALL = (
    ("GET", "/export"),
    ("POST", "/import"),
    ("GET", "/settings"),
    ("GET", "/tokens"),
    ("POST", "/tokens"),
    ("DELETE", "/tokens/kitchen"),
    ("GET", "/audit"),
    ("GET", "/events?kind=access.refused"),
    ("DELETE", "/memories/1?forget=1"),
    ("PATCH", "/memories/1"),
    ("DELETE", "/conversations/c?forget=1"),
    ("POST", "/activity"),
    ("PUT", "/focus.md"),
)


@pytest.mark.parametrize("scope", ["read", "chat", "all"])
def test_every_scope_reads(daemon: Daemon, scope: str) -> None:
    client = daemon()
    headers = add(client, scope)
    assert [client.get(path, headers=headers).status_code for path in READS] == [200] * len(READS)
    assert client.post("/context", json={"session_id": "s", "message": "x"}, headers=headers).status_code == 200
    assert not call(client, headers, "recall", query="tap").get("isError")


@pytest.mark.parametrize(("scope", "allowed"), [("read", False), ("chat", True), ("all", True)])
def test_who_may_chat_may_at_every_door(daemon: Daemon, scope: str, allowed: bool) -> None:
    client = daemon()
    headers = add(client, scope)
    for path, body in CHATS.items():
        assert (client.post(path, json=body, headers=headers).status_code < 300) is allowed, path
    assert client.post("/ui/chat", data={"message": "Hello"}, headers=headers).status_code == (200 if allowed else 403)
    assert call(client, headers, "remember", content="It is Tuesday.").get("isError", False) is not allowed


@pytest.mark.parametrize("scope", ["read", "chat"])
def test_the_rest_needs_all(daemon: Daemon, scope: str) -> None:
    client = daemon()
    headers = add(client, scope)
    for method, path in FOR_ALL:
        answer = client.request(method, path, headers=headers, json={})
        assert answer.status_code == 403, path
        assert "scope all" in answer.json()["hint"]


def test_an_endpoint_that_says_nothing_changes_only_for_all() -> None:
    chat = {endpoint.shown_path for endpoint in every_endpoint() if endpoint.scope == "chat"}
    assert chat == set(CHATS)
    changing = [e for e in every_endpoint() if e.method != "GET" and e.scope == "read"]
    reads = {"/mcp", "/context", "/v1/embeddings", "/api/embed", "/api/embeddings", "/api/show", "/api/pull"}
    assert {e.shown_path for e in changing} <= reads


@pytest.mark.parametrize("tool", ["forget", "correct", "focus_nothing", "delete_entities", "create_entities"])
def test_a_chat_token_has_no_tool_that_erases(daemon: Daemon, tool: str) -> None:
    client = daemon()
    number = remember(client, "The tap drips.", "user")
    call(client, add(client, "chat"), tool, id=number, content="No.", confirm=True, entityNames=["tap"], entities=[])
    assert client.get(f"/memories/{number}").json()["is_valid"]


def test_what_a_chat_token_says_erases_nothing(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "Remember that the tap drips.", "conversation_id": "a"})
    asked = {"message": "Forget that the tap drips.", "conversation_id": "a"}
    taken_back = {"message": "Undo that", "conversation_id": "a"}
    headers = add(client, "chat")
    for said in (asked, taken_back):
        assert "may not erase" in client.post("/chat", json=said, headers=headers).json()["reply"]
    assert client.get("/memories").json()["total"] == 1
    client.post("/chat", json=asked)
    assert client.get("/memories").json()["total"] == 0


@pytest.mark.parametrize("more", [{"anyway": True}, {"supersedes": 1}])
def test_a_chat_token_ends_no_memory_and_lifts_no_tombstone(daemon: Daemon, more: dict[str, Any]) -> None:
    client = daemon()
    remember(client, "The tap drips.", "user")
    asked = {"content": "The tap is dry.", **more}
    assert client.post("/memories", json=asked, headers=add(client, "chat")).status_code == 403


def test_a_token_of_a_namespace_sees_only_that(daemon: Daemon) -> None:
    client = daemon()
    mine = remember(client, "The tap in the garden drips.", f"{GARDEN}/taps")
    others = [remember(client, "The tap at home drips.", name) for name in ("user", "project/gardens", "global")]
    headers = add(client, "read", GARDEN)

    def ids(path: str) -> list[int]:
        answer = client.get(path, headers=headers).json()
        return [one["id"] for one in answer.get("memories", answer.get("results"))]

    assert ids("/memories") == ids("/memories/search?q=tap") == ids("/memories/search?q=tap&everywhere=1") == [mine]
    assert ids(f"/memories?ids={mine},{','.join(map(str, others))}") == ids("/memories?project=garden") == [mine]
    assert client.get("/memories?namespace=user", headers=headers).status_code == 403
    assert client.get("/memories/search?q=tap&namespace=project/other", headers=headers).status_code == 403
    shown = client.get("/namespaces", headers=headers).json()["namespaces"]
    assert [one["namespace"] for one in shown] == [f"{GARDEN}/taps"]


def test_a_token_of_a_namespace_writes_only_there(daemon: Daemon) -> None:
    client = daemon()
    headers = add(client, "chat", GARDEN)

    def status(**given: str) -> int:
        return client.post("/memories", json={"content": "The tap drips.", **given}, headers=headers).status_code

    assert status() == status(namespace=f"{GARDEN}/taps") == status(project="garden") == 201
    assert status(namespace="user") == status(project="other") == 403
    assert not call(client, headers, "remember", content="The hose is green.").get("isError")
    found = call(client, headers, "recall", query="hose")["structuredContent"]["results"]
    assert {one["namespace"] for one in found} == {GARDEN}


def test_what_is_of_no_namespace_is_refused(daemon: Daemon) -> None:
    client = daemon()
    headers = add(client, "chat", GARDEN)
    for path in (
        "/export",
        "/focus",
        "/focus.md",
        "/live",
        "/exchanges",
        "/conversations",
        "/memories/1",
        "/usage",
        "/",
    ):
        assert client.get(path, headers=headers).status_code == 403, path
    assert client.post("/chat", json={"message": "Hello"}, headers=headers).status_code == 403
    assert call(client, headers, "focus")["isError"]
    assert client.get("/healthz", headers=headers).json().keys() == {"status"}


def test_a_withdrawn_token_opens_nothing_not_even_for_the_owner(daemon: Daemon) -> None:
    client = daemon()
    headers = add(client, "all")
    assert client.delete("/tokens/kitchen", headers=headers).status_code == 204
    assert client.get("/focus", headers=headers).status_code == 401
    assert client.delete("/tokens/kitchen").status_code == 404
    assert client.get("/tokens").json() == {"tokens": []}


def test_the_page_takes_a_named_token(daemon: Daemon) -> None:
    client = daemon(PI_MEMORY_TOKEN="a-long-secret")
    owner = {"Authorization": "Bearer a-long-secret"}
    token = client.post("/tokens", json={"name": "phone", "scope": "chat"}, headers=owner).json()["token"]
    assert client.post("/ui/login", data={"token": token}, follow_redirects=False).status_code == 303
    assert client.post("/ui/chat", data={"message": "Hello"}).status_code == 200
    assert client.post("/ui/exchanges/1/forget").status_code == 403
    client.delete("/tokens/phone", headers=owner)
    assert client.get("/", follow_redirects=False).headers["location"] == "/ui/login"


def test_the_file_has_digests_only_and_is_private(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    secret = add(client, "chat")["Authorization"].removeprefix("Bearer ")
    file = tmp_path / "data" / FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert secret.removeprefix("pim-") not in file.read_text()
    assert "digest" not in client.get("/tokens").text
    digest = json.loads(file.read_text())[0]["digest"]
    assert client.get("/focus", headers={"Authorization": f"Bearer pim-{digest}"}).status_code == 401


def test_tokens_survive_a_restart(daemon: Daemon) -> None:
    first = daemon()
    headers = add(first, "read")
    first.stop()
    assert daemon().get("/focus", headers=headers).status_code == 200


@pytest.mark.parametrize("damage", ["others could write it", "not JSON"])
def test_a_file_that_cannot_be_trusted_opens_nothing(tmp_path: Path, damage: str) -> None:
    file = tmp_path / FILE
    file.write_text('[{"name": "x", "digest": "d", "made_at": 1, "scope": "all"}]' if damage != "not JSON" else "{")
    file.chmod(0o666 if damage != "not JSON" else 0o600)
    assert TokenFile(tmp_path).listed() == []
    file.write_text('[{"name": "x", "digest": "d", "made_at": 1}]')
    file.chmod(0o600)
    assert TokenFile(tmp_path).listed() == [NamedToken("x", "d", 1)]


def test_a_name_that_is_none_is_refused(daemon: Daemon) -> None:
    client = daemon()
    for name in ("", "../../etc/passwd", "Küche", "a" * 33, "-x", "a b", "\\x1b[31m", "<b>"):
        assert client.post("/tokens", json={"name": name}).status_code == 400, name


def test_a_name_is_used_once_and_there_is_an_end_to_them(daemon: Daemon) -> None:
    client = daemon()
    statuses = [client.post("/tokens", json={"name": f"n{number}"}).status_code for number in range(MOST + 1)]
    assert statuses == [201] * MOST + [409]
    client.delete("/tokens/n1")
    assert client.post("/tokens", json={"name": "n2"}).status_code == 409
    assert client.post("/tokens", json={"name": "x", "scope": "all", "namespace": "user"}).status_code == 400
    assert client.post("/tokens", json={"name": "x", "namespace": "../user"}).status_code == 400


def test_a_token_is_withdrawn_even_if_that_cannot_be_written(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "data")
    asyncio.run(tokens.add("kitchen", "read", None, now=1.0))
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "data").touch()
    with pytest.raises(StoreError, match="Cannot write"):
        asyncio.run(tokens.remove("kitchen"))
    with pytest.raises(StoreError, match="Cannot write"):
        asyncio.run(tokens.add("garden", "read", None, now=1.0))
    assert tokens.listed() == []


def test_a_stream_ends_when_its_token_is_withdrawn(tmp_path: Path) -> None:
    with serving(tmp_path) as process, process.client as owner, process.client as client:
        token = owner.post("/tokens", json={"name": "kitchen"}).json()["token"]
        with client.stream("GET", "/live", headers={"Authorization": f"Bearer {token}"}) as events:
            owner.delete("/tokens/kitchen")
            owner.post("/memories", json={"content": "The PIN of the shed is 4711."})
            assert "4711" not in "".join(events.iter_text())


def test_when_a_token_was_used_is_stored_at_a_clean_stop(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        with process.client as client:
            token = client.post("/tokens", json={"name": "kitchen"}).json()["token"]
            client.get("/focus", headers={"Authorization": f"Bearer {token}"})
        assert process.stop() == 0
    assert TokenFile(tmp_path / "data").listed()[0].used_at
