"""What was only said, and became no memory, is corrected as memories are."""

from tests.conftest import Client
from tests.fakes import FakeClock
from tests.test_conflicts import NEEDS_MINILM, minilm, reader, say
from tests.test_learner_daemon import held

__all__ = ["minilm", "reader"]

SAID = "The actors rehearse in the old ice house."
TOLD = f"{SAID} Do you know a good joke for them?"
"""Beside a question, it has to be a fact more surely than it is."""
CORRECTION = "Actually, the actors rehearse in the school hall now, the ice house was sold."
ELSEWHERE = "The dentist moved to Bergen Street."


def answer(client: Client, **more: str) -> str:
    body = {"message": "Where do the actors rehearse?", **more}
    reply: str = client.post("/chat", json=body).raise_for_status().json()["reply"]
    return reply


def say_in(client: Client, project: str, message: str) -> None:
    client.post("/chat", json={"message": message, "project": project}).raise_for_status()
    client.settle()


@NEEDS_MINILM
def test_a_sentence_that_nobody_kept_is_no_answer_once_it_is_corrected(reader: Client, clock: FakeClock) -> None:
    say(reader, TOLD)
    assert held(reader) == []
    assert "ice house" in answer(reader)
    clock.pass_time(days=7)
    say(reader, CORRECTION)
    for weeks in (0, 10):
        clock.pass_time(days=7 * weeks)
        reply = answer(reader)
        assert "school hall" in reply
        assert SAID not in reply


@NEEDS_MINILM
def test_it_becomes_a_memory_that_was_ended_and_comes_back_with_an_undo(reader: Client, clock: FakeClock) -> None:
    say(reader, TOLD)
    clock.pass_time(days=1)
    say(reader, CORRECTION)
    old, new = sorted(reader.get("/memories?all=1").json()["memories"], key=lambda memory: memory["id"])
    assert (old["content"], old["quote"], old["superseded_by"]) == (SAID, SAID, new["id"])
    assert old["valid_from"] < old["valid_to"]
    event = reader.get(f"/memories/{old['id']}/history").json()["history"][0]["event_id"]
    reader.post(f"/events/{event}/undo").raise_for_status()
    assert held(reader) == [SAID]


@NEEDS_MINILM
def test_what_is_about_something_else_leaves_it_alone(reader: Client, clock: FakeClock) -> None:
    say(reader, TOLD)
    clock.pass_time(days=1)
    say(reader, ELSEWHERE)
    assert held(reader) == [ELSEWHERE]
    assert "ice house" in answer(reader)


@NEEDS_MINILM
def test_nothing_of_another_project_is_corrected(reader: Client, clock: FakeClock) -> None:
    say_in(reader, "theatre", TOLD)
    clock.pass_time(days=1)
    say_in(reader, "shop", CORRECTION)
    assert "ice house" in answer(reader, project="theatre")


@NEEDS_MINILM
def test_what_is_told_beside_what_was_forgotten_is_kept(reader: Client, clock: FakeClock) -> None:
    say(reader, "The word of the vault is quartz. The vault is behind the bookcase.")
    clock.pass_time(days=1)
    say(reader, "Forget that the word of the vault is quartz.")
    clock.pass_time(days=1)
    say(reader, "The key of the vault hangs in the hall.")
    assert "The key of the vault hangs in the hall." in held(reader)
