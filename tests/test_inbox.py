"""An inbox that is fuller than it can be worked off, through HTTP."""

import asyncio

import pytest

from pi_memory.focus.recorder import Tagged
from pi_memory.types import Exchange
from tests.conftest import Client, Daemon

ACTIVITY = {"session_id": "a", "user_message": "change /home/me/shop/auth/login.py"}
HISTORY = {"exchanges": [{"session_id": "h", "lines": [{"role": "user", "text": "hello"}]}]}
WAYS = {"/activity": ACTIVITY, "/history": HISTORY, "/chat": {"message": "hello"}}


class Held:
    """Holds the inbox up at its first exchange until `open` is called."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._gate = asyncio.Event()
        client.parts.inbox.attend = self._attend

    def open(self) -> None:
        assert self._client.portal is not None
        self._client.portal.call(self._open)
        self._client.settle()

    async def _open(self) -> None:
        self._gate.set()

    async def _attend(self, exchange: Exchange, tagged: Tagged) -> None:
        await self._gate.wait()


@pytest.mark.parametrize("path", WAYS)
def test_what_has_no_room_is_to_come_again(daemon: Daemon, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr("pi_memory.background.inbox.MOST", 5)
    client = daemon()
    held = Held(client)
    answers = [client.post("/activity", json=ACTIVITY).status_code for _ in range(20)]
    assert answers == sorted(answers), "accepted first, then refused"
    assert 5 <= answers.count(202) <= 7
    refused = client.post(path, json=WAYS[path])
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json()["type"] == "unavailable"
    held.open()
    assert client.post(path, json=WAYS[path]).is_success


def test_long_ones_fill_it_too(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_memory.background.inbox.MOST_CHARACTERS", 1_000)
    client = daemon()
    held = Held(client)
    long = {**ACTIVITY, "tool_calls": [{"name": "bash", "arguments": {"command": "x" * 2_000}}]}
    answers = [client.post("/activity", json=long).status_code for _ in range(5)]
    assert answers[-1] == 503
    held.open()
    assert client.post("/activity", json=ACTIVITY).status_code == 202


def test_nothing_that_was_accepted_is_lost(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_memory.background.inbox.MOST", 3)
    client = daemon()
    held = Held(client)
    accepted = sum(client.post("/activity", json=ACTIVITY).status_code == 202 for _ in range(10))
    held.open()
    assert client.portal is not None

    async def stored() -> int:
        return await client.parts.db.read(lambda db: int(db.execute("select count(*) from exchanges").fetchone()[0]))

    assert client.portal.call(stored) == accepted
