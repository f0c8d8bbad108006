"""Weeks on the clock: what is asked for stays, what is not fades, and no reply takes the place of what was said."""

from typing import Any

import pytest

from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeEmbedder, FakeModel

SAID = "My brother Casimir lives in Trondheim and repairs pianos."
ASKED = "Where does my brother Casimir live?"
LIE = "Your brother Casimir lives in Bergen."


def say(client: Client, clock: FakeClock, message: str) -> dict[str, Any]:
    """A conversation of one message, which then ends, and the day with it; what was recalled for it."""
    name = f"c{clock():.0f}"
    body = {"message": message, "conversation_id": name, "explain": True}
    receipt: dict[str, Any] = client.post("/chat", json=body).raise_for_status().json()["receipt"]
    client.settle()
    client.delete(f"/conversations/{name}").raise_for_status()
    client.settle()
    return receipt


def days(client: Client, clock: FakeClock, count: int) -> None:
    assert client.portal is not None
    for _ in range(count):
        clock.pass_time(days=1)
        client.portal.call(client.parts.housekeeping.daily)


def memories(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/memories").raise_for_status().json()["memories"]
    return found


@pytest.mark.parametrize("every", [1, 10, 30, 50])
def test_what_is_asked_for_in_time_does_not_fade(daemon: Daemon, clock: FakeClock, every: int) -> None:
    client = daemon(embedder=FakeEmbedder())
    say(client, clock, SAID)
    for number in range(1, 4):
        days(client, clock, every)
        assert "Trondheim" in say(client, clock, ASKED)["context"]
        assert memories(client)[0]["accesses"] == number


def test_what_was_said_is_found_when_its_memory_has_faded(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(embedder=FakeEmbedder())
    say(client, clock, SAID)
    days(client, clock, 60)
    assert memories(client) == []
    assert "Trondheim" in say(client, clock, ASKED)["context"]


def test_a_wrong_reply_is_not_what_is_recalled(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel(*["All right."] * 2, LIE, *["All right."] * 9)
    client = daemon(embedder=FakeEmbedder(), model=model)
    say(client, clock, SAID)
    for gap in (10, 10, 25, 30):
        days(client, clock, gap)
        context = say(client, clock, ASKED)["context"]
        assert ("Trondheim" in context, "Bergen" in context) == (True, False)
