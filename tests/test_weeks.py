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
    clock.pass_time(minutes=1)
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


def boost(client: Client, clock: FakeClock) -> float:
    """That of the memory about the ticket, in a new session."""
    return float(say(client, clock, "When does a ticket end?")["recalled"][0]["boost"])


def test_a_new_session_begins_with_what_was_worked_on_recently(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    ticket = {"content": "A ticket ends after 30 minutes.", "topics": ["auth"]}
    client.post("/memories", json=ticket).raise_for_status()
    assert boost(client, clock) == 0
    for number in range(3):
        done = {"session_id": f"s{number}", "file_paths": ["/srv/shop/src/auth/login.py"], "user_message": "go on"}
        client.post("/activity?wait=1", json=done).raise_for_status()
    fresh = boost(client, clock)
    assert fresh > 0
    days(client, clock, 7)
    assert boost(client, clock) == pytest.approx(0.9**7 * fresh, rel=0.01)
    days(client, clock, 25)
    assert boost(client, clock) == 0


def test_a_fix_is_learned_whole_although_a_compaction_came_between(daemon: Daemon) -> None:
    client = daemon(MEMORY_MAX_TURNS=1)
    fails, works = "The tests fail with KeyError: token_id.", "Works now, it was the missing default in session.py."
    for message in (fails, "hm", works, "thanks"):
        client.post("/chat", json={"message": message, "conversation_id": "c"}).raise_for_status()
        client.settle()
    client.delete("/conversations/c")
    client.settle()
    (fix,) = [memory for memory in memories(client) if "session.py" in memory["content"]]
    assert (fix["priority"], fix["source"]) == ("high", "error_resolution")
    assert "token_id" in fix["content"]


def test_a_secret_that_was_said_is_masked_unless_it_was_to_be_remembered(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(embedder=FakeEmbedder())
    say(client, clock, "The PIN of the gate is 4711 and the gate is green.")
    context = say(client, clock, "What is the PIN of the gate?")["context"]
    assert ("4711" in context, "PIN of the gate is ****" in context) == (False, True)
    assert "4711" not in client.get("/memories/search?q=PIN of the gate").text
    say(client, clock, "Remember that the PIN of the gate is 4711.")
    assert "4711" in say(client, clock, "What is the PIN of the gate?")["context"]


def test_a_wrong_reply_is_not_what_is_recalled(daemon: Daemon, clock: FakeClock) -> None:
    model = FakeModel(*["All right."] * 2, LIE, *["All right."] * 9)
    client = daemon(embedder=FakeEmbedder(), model=model)
    say(client, clock, SAID)
    for gap in (10, 10, 25, 30):
        days(client, clock, gap)
        context = say(client, clock, ASKED)["context"]
        assert ("Trondheim" in context, "Bergen" in context) == (True, False)


def test_what_was_told_on_a_day_is_listed_for_that_day_alone(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(embedder=FakeEmbedder())
    say(client, clock, SAID)
    assert "Trondheim" not in say(client, clock, "What did I tell you yesterday?")["context"]
    assert "Trondheim" in say(client, clock, "What did I tell you today?")["context"]
    days(client, clock, 1)
    assert "Trondheim" in say(client, clock, "What did I tell you yesterday?")["context"]
    days(client, clock, 1)
    assert "Trondheim" not in say(client, clock, "What did I tell you yesterday?")["context"]
    assert "Trondheim" in say(client, clock, "What did I tell you the day before yesterday?")["context"]


def test_what_changed_is_listed_with_what_it_was_before(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(embedder=FakeEmbedder())
    say(client, clock, "Remember that the gate code is 4711.")
    days(client, clock, 2)
    say(client, clock, "No, the gate code is 8820, not 4711.")
    line = "The gate code is 8820, not 4711. (Before: The gate code is 4711.)"
    assert line in say(client, clock, "what changed today")["context"]
    assert line not in say(client, clock, "what has changed yesterday?")["context"]
    days(client, clock, 3)
    assert line in say(client, clock, "what changed")["context"]
    days(client, clock, 9)
    assert line not in say(client, clock, "what changed")["context"]
