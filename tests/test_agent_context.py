"""What an agent elsewhere was given is not given again, as long as that is kept."""

import pytest

from pi_memory.agents import agent_context
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock

TEA = "My favourite tea is sencha from Uji."


@pytest.fixture
def client(daemon: Daemon) -> Client:
    started = daemon()
    started.post("/memories", json={"content": TEA}).raise_for_status()
    return started


REMARK = "My favourite tea from Uji!"
QUESTION = "Which is my favourite tea from Uji?"


def given(client: Client, session: str = "s", message: str = REMARK) -> bool:
    asked = {"session_id": session, "message": message}
    return "sencha" in client.post("/context", json=asked).json()["text"]


def test_it_is_given_once_in_a_session(client: Client) -> None:
    assert [given(client), given(client), given(client, "other"), given(client)] == [True, False, True, False]


def test_a_question_is_answered_as_often_as_it_is_asked(client: Client) -> None:
    assert all(given(client, message=QUESTION) for _ in range(10))


def test_more_than_five_hundred_sessions_are_known(client: Client) -> None:
    assert given(client)
    for number in range(600):
        client.post("/context", json={"session_id": f"other-{number}", "message": "Which tea?"})
    assert not given(client)


def test_it_is_known_for_a_day_after_the_last_question(client: Client, clock: FakeClock) -> None:
    assert given(client)
    for hours, again in ((23, False), (23, False), (25, True)):
        clock.pass_time(minutes=60 * hours)
        assert given(client) == again


def test_the_oldest_sessions_give_way_when_there_are_too_many_bytes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert given(client)
    assert not given(client)
    monkeypatch.setattr(agent_context, "MOST_BYTES", 300)
    for number in range(4):
        assert given(client, f"other-{number}")
    assert given(client)
    assert not given(client)


def test_a_session_begins_with_what_is_known_of_its_project(client: Client) -> None:
    for content, project in (("We deploy with Podman.", "shop"), ("We deploy with Docker.", "blog")):
        client.post("/memories", json={"content": content, "project": project}).raise_for_status()
    for project, known in (("shop", True), ("blog", False)):
        begun = client.post("/context", json={"session_id": project, "project": project, "begins": True}).json()
        assert ("Podman" in begun["text"]) is known
        assert (2 in begun["memories"]) is known
