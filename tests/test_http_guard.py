"""Who may ask: tokens, foreign pages, DNS rebinding; and what every answer says of itself."""

from collections.abc import Mapping

import pytest

from tests.conftest import Daemon

TOKEN = "a-long-secret"


@pytest.mark.parametrize(
    ("authorization", "status"),
    [(None, 401), ("Bearer wrong", 401), ("Basic " + TOKEN, 401), ("Bearer " + TOKEN, 200), ("bearer " + TOKEN, 200)],
)
def test_a_token_is_asked_for(daemon: Daemon, authorization: str | None, status: int) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = daemon(PI_MEMORY_TOKEN=TOKEN).get("/focus", headers=headers)
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["type"] == "unauthorized"


@pytest.mark.parametrize("path", ["/healthz", "/version"])
def test_a_probe_needs_no_token(daemon: Daemon, path: str) -> None:
    assert daemon(PI_MEMORY_TOKEN=TOKEN).get(path).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "["])
def test_a_rebound_name_is_refused(daemon: Daemon, host: str) -> None:
    answer = daemon().get("/focus", headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["hint"]


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "[::1]:8765"])
def test_our_own_names_are_served(daemon: Daemon, host: str) -> None:
    assert daemon().get("/focus", headers={"Host": host}).status_code == 200


def test_a_foreign_page_may_not_write(daemon: Daemon) -> None:
    client = daemon()
    foreign = {"Origin": "https://evil.example", "Content-Type": "text/plain"}
    assert client.post("/chat", content=b'{"message": "x"}', headers=foreign).status_code == 403
    assert client.post("/chat", content=b"{}", headers={"Origin": "http://["}).status_code == 403
    own = {"Origin": "http://127.0.0.1:8765"}
    assert client.post("/chat", content=b'{"message": "x"}', headers=own).status_code == 200


@pytest.mark.parametrize("path", ["/focus", "/healthz", "/export"])
def test_what_another_site_causes_is_refused(daemon: Daemon, path: str) -> None:
    client = daemon()
    assert client.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    for site in ("none", "same-origin", "same-site"):
        assert client.get(path, headers={"Sec-Fetch-Site": site}).status_code == 200


def guarded(headers: Mapping[str, str]) -> bool:
    wanted = {
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }
    return all(headers[name] == value for name, value in wanted.items())


def test_every_answer_says_that_it_is_for_nobody_else(daemon: Daemon) -> None:
    client = daemon()
    assert guarded(client.get("/focus").headers)
    assert guarded(client.get("/nowhere").headers)
    assert guarded(client.put("/healthz").headers)
    assert guarded(client.get("/focus", headers={"Host": "evil.example"}).headers)
    assert guarded(client.post("/chat", json={"message": "x", "stream": True}).headers)
    assert guarded(client.post("/chat", content=b"{}", headers={"Content-Length": "9999999"}).headers)


def test_an_answer_to_what_failed_says_so_too(daemon: Daemon) -> None:
    client = daemon()
    client.app.state.parts = None  # type: ignore[attr-defined]
    client._transport.raise_server_exceptions = False  # type: ignore[attr-defined]
    answer = client.get("/focus")
    assert answer.status_code == 500
    assert guarded(answer.headers)
