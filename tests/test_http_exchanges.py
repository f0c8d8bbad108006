"""`/exchanges` and what is kept of conversations: listed, searched, and erased for good."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from pi_memory.model.extractive import ExtractiveModel
from pi_memory.store import exchanges
from pi_memory.store.database import Database
from pi_memory.types import Exchange
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock

CARD = "My credit card ends with 4711."


def say(client: Client, message: str, name: str = "c", **more: str) -> str:
    body = {"message": message, "conversation_id": name, **more}
    reply: str = client.post("/chat", json=body).raise_for_status().json()["reply"]
    client.settle()
    return reply


def listed(client: Client, query: str = "") -> list[str]:
    return [e["user"] for e in client.get(f"/exchanges?{query}").raise_for_status().json()["exchanges"]]


def files(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file()).lower()


def test_what_was_said_is_listed_and_searched(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    say(client, "The pump is red", "a", project="garden")
    clock.pass_time(days=1)
    say(client, "The pump is 100 % blue", "b")
    assert listed(client) == ["The pump is 100 % blue", "The pump is red"]
    assert listed(client, "q=PUMP red") == ["The pump is red"]
    assert listed(client, "q=100 %25") == ["The pump is 100 % blue"]
    assert listed(client, "project=garden") == listed(client, "conversation_id=a") == ["The pump is red"]
    assert listed(client, f"from={clock()}") == ["The pump is 100 % blue"]
    assert listed(client, f"to={clock()}") == ["The pump is red"]


def test_what_was_said_is_found_whatever_its_case_and_however_long_the_question(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Übung macht den Meister, auf der Straße.")
    say(client, "Practice makes perfect.")
    for query in ("übung", "ÜBUNG", "STRASSE", "straße meister"):
        assert listed(client, f"q={query}") == ["Übung macht den Meister, auf der Straße."], query
    assert listed(client, "q=" + "a+" * 3000) == ["Practice makes perfect.", "Übung macht den Meister, auf der Straße."]


@pytest.mark.parametrize(("said_in", "asked_for"), [("/home/me/shop", "shop"), ("Shop", "/home/me/shop/")])
def test_a_project_is_found_by_its_name_and_by_its_path(daemon: Daemon, said_in: str, asked_for: str) -> None:
    client = daemon()
    say(client, "The pump is red", "a", project=said_in)
    say(client, "The pump is blue", "b", project="garden")
    say(client, "The pump is green", "c")
    assert listed(client, f"project={asked_for}") == ["The pump is red"]
    found = client.get("/conversations", params={"project": asked_for}).json()["conversations"]
    assert [each["conversation_id"] for each in found] == ["a"]


def test_exchanges_come_in_pages(daemon: Daemon) -> None:
    client = daemon()
    for word in ("one", "two", "three"):
        say(client, word)
    page = client.get("/exchanges?limit=2").json()
    assert [e["user"] for e in page["exchanges"]] == ["three", "two"]
    assert listed(client, f"before={page['next']}") == ["one"]
    assert client.get("/exchanges?limit=3").json()["next"] is None


@pytest.mark.parametrize("query", ["limit=0", "from=yesterday", "before=x"])
def test_a_wrong_question_names_the_field(daemon: Daemon, query: str) -> None:
    answer = daemon().get(f"/exchanges?{query}")
    assert (answer.status_code, answer.json()["message"].partition(":")[0]) == (400, query.partition("=")[0])


def test_conversations_are_listed(daemon: Daemon) -> None:
    client = daemon()
    for name in ("a", "b", "a"):
        say(client, "hello", name, project="garden")
    found = client.get("/conversations").json()["conversations"]
    shown = [(c["conversation_id"], c["exchanges"], c["project"], c["ended_at"]) for c in found]
    assert shown == [("a", 2, "garden", None), ("b", 1, "garden", None)]


def test_an_exchange_is_erased_with_the_memory_that_rests_on_it(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon(model=ExtractiveModel())
    say(client, "The weather is fine.")
    say(client, "Remember that my safe opens with zanzibarquartz.")
    say(client, "Thanks!")
    would = client.delete("/exchanges/2?dry_run=1").json()
    assert {(one["place"], one["id"]) for one in would["gone"]} >= {("exchange", 2), ("memory", 1)}
    assert len(listed(client)) == 3
    assert client.delete("/exchanges/2").status_code == 204
    assert listed(client) == ["Thanks!", "The weather is fine."]
    assert [e["user"] for e in client.get("/conversations/c").json()["exchanges"]] == [
        "The weather is fine.",
        "Thanks!",
    ]
    assert client.delete("/exchanges/2").status_code == 404
    client.stop()
    assert b"zanzibar" not in files(tmp_path)


def test_the_newest_exchange_is_erased_and_its_id_not_given_again(daemon: Daemon) -> None:
    client = daemon()
    say(client, "one")
    say(client, CARD)
    client.delete("/exchanges/2").raise_for_status()
    say(client, "three")
    assert [e["id"] for e in client.get("/exchanges").json()["exchanges"]] == [3, 1]
    client.stop()
    assert [e["user"] for e in daemon().get("/conversations/c").json()["exchanges"]] == ["one", "three"]


def test_a_conversation_is_erased_and_not_imported_again(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    line = {"role": "user", "content": "The stopcock is under the zanzibar stairs."}
    file = json.dumps({"conversation_id": "old", "messages": [line]})
    client.post("/import", content=file).raise_for_status()
    would = client.delete("/conversations/old?forget=1&dry_run=1").json()
    assert [one["text"] for one in would["gone"]] == [line["content"]]
    assert client.delete("/conversations/old?forget=1").status_code == 204
    assert client.post("/import", content=file).json()["imported"]["messages"] == 0
    client.stop()
    assert b"zanzibar" not in files(tmp_path)


def test_forgetting_finds_what_was_only_said(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    say(client, f"Hello. {CARD}", "a")
    say(client, "When does my credit card expire?", "a")
    assert "Forgotten, in 1 exchange." in say(client, "Forget about the credit card", "b")
    assert listed(client, "conversation_id=a") == ["When does my credit card expire?", "Hello."]
    client.stop()
    assert b"4711" not in files(tmp_path)


def test_of_several_things_that_were_said_the_user_chooses(daemon: Daemon) -> None:
    client = daemon()
    say(client, CARD, "a")
    say(client, "The credit card of the firm is lost.", "a")
    asked = say(client, "Forget my credit card", "b")
    assert "exchange 1: My credit card" in asked
    assert len(listed(client, "conversation_id=a")) == 2
    assert "Forgotten: exchange 2." in say(client, "forget exchange 2", "b")
    assert listed(client, "conversation_id=a") == [CARD]


def test_a_receipt_is_kept_with_its_scores(daemon: Daemon) -> None:
    client = daemon()
    client.post("/memories", json={"content": "The pump is in the red shed", "priority": "high"}).raise_for_status()
    say(client, "Where is the pump?")
    shown = client.get("/exchanges/1").raise_for_status().json()
    (hit,) = shown["recalled"]
    assert (hit["kind"], hit["id"], hit["content"], hit["is_valid"]) == (
        "memory",
        1,
        "The pump is in the red shed",
        True,
    )
    assert 0 < hit["score"] <= 1
    client.delete("/memories/1").raise_for_status()
    assert not client.get("/exchanges/1").json()["recalled"][0]["is_valid"]


def test_a_receipt_has_nothing_that_was_forgotten(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Remember that the pump is in the red shed.", "a")
    say(client, "Where is the pump?", "b")
    assert client.get("/exchanges/2").json()["standing"]
    client.delete("/memories/1?forget=1").raise_for_status()
    shown = client.get("/exchanges/2").json()
    assert (shown["standing"], shown["recalled"]) == ([], [])


def test_a_list_can_wait_until_what_was_said_is_learned_from(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    for said in ("The database is Postgres 15.", "We migrated the database from Postgres 15 to Postgres 16."):
        client.post("/chat", json={"message": f"Remember: {said}", "conversation_id": "c"}).raise_for_status()
    (last,) = client.get("/exchanges", params={"limit": "1", "wait": "1"}).json()["exchanges"]
    (fact,) = client.get(f"/exchanges/{last['id']}").json()["learned"]
    assert (fact["id"], fact["instead_of"]) == (2, [1])


def test_what_was_learned_from_an_exchange_is_shown(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Remember that the pump is in the red shed.")
    (fact,) = client.get("/exchanges/1").json()["learned"]
    assert fact["is_valid"]
    client.delete(f"/memories/{fact['id']}").raise_for_status()
    assert not client.get("/exchanges/1").json()["learned"][0]["is_valid"]


def test_an_exchange_that_is_not_there_is_not_found(daemon: Daemon) -> None:
    assert daemon().get("/exchanges/7").status_code == 404


def test_a_title_has_words_that_are_kept(daemon: Daemon) -> None:
    client = daemon()
    say(client, "Off the record: I am looking for a new job.", "a")
    say(client, "The pump is red", "a")
    (found,) = client.get("/conversations").json()["conversations"]
    assert found["title"] == "The pump is red"


def test_conversations_have_titles_and_topics_and_are_filtered(daemon: Daemon) -> None:
    client = daemon()
    say(client, "The pump\nis red", "a", project="garden")
    say(client, "please change /home/me/shop/auth/login.py", "b")
    found = {c["conversation_id"]: c for c in client.get("/conversations").json()["conversations"]}
    assert found["a"]["title"] == "The pump is red"
    (topic,) = found["b"]["topics"]
    for query in (f"topic={topic}", "source=chat&limit=1"):
        assert [c["conversation_id"] for c in client.get(f"/conversations?{query}").json()["conversations"]] == ["b"]
    assert client.get("/conversations?source=import").json()["conversations"] == []


def test_an_imported_conversation_is_gone_on_with(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    old = {"role": "user", "content": "The pump is red.", "at": 1_000_000_000}
    reply = {"role": "assistant", "content": "Noted, the pump is red.", "at": 1_000_000_001}
    file = json.dumps({"conversation_id": "c", "messages": [old, reply]})
    client.post("/import", content=file).raise_for_status()
    say(client, "Now it is blue.")
    (shown,) = client.get("/conversations", params={"source": "chat"}).json()["conversations"]
    assert (shown["conversation_id"], shown["exchanges"], shown["ended_at"]) == ("c", 2, None)
    client.stop()
    client = daemon()
    assert [e["user"] for e in client.get("/conversations/c").json()["exchanges"]] == ["Now it is blue."]
    found = client.get("/exchanges?conversation_id=c").json()["exchanges"]
    assert [(e["user"], e["reply"] != "", e["source"]) for e in found] == [
        ("Now it is blue.", True, "chat"),
        ("The pump is red.", True, "import"),
    ]
    assert client.portal is not None
    for days in (1, 31, 31):  # what is trimmed and erased by its age is no import
        clock.pass_time(days=days)
        client.portal.call(client.parts.housekeeping.daily)
    found = client.get("/exchanges?conversation_id=c").json()["exchanges"]
    assert [(e["user"], e["reply"] != "") for e in found] == [("Now it is blue.", False), ("The pump is red.", True)]
    assert client.post("/import", content=file).json()["imported"]["messages"] == 0


def test_what_a_crash_left_of_an_imported_conversation_is_worked_off(tmp_path: Path, clock: FakeClock) -> None:
    async def left() -> list[tuple[int, str]]:
        db = await Database.open(tmp_path / "m.db", now=clock())
        for n, source in enumerate(("import", "import", "chat", "activity")):
            told = Exchange("c", f"message {n}", "Fine.", clock(), source=source)  # type: ignore[arg-type]
            await db.write(partial(exchanges.add, exchange=told))
        found = await db.read(exchanges.inbox)
        await db.close()
        return [(number, exchange.user) for number, exchange in found]

    assert asyncio.run(left()) == [(3, "message 2"), (4, "message 3")]


def test_what_is_left_of_a_memory_has_a_word(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    for content in ("My safe opens with zanzibarquartz.", "My safe opens with zanzibarquartz. :)", "Tea is green. ;-)"):
        body = {"content": content, "namespace": f"user/{len(content)}"}
        client.post("/memories", json=body).raise_for_status()
    client.delete("/memories/1?forget=1").raise_for_status()
    assert [m["content"] for m in client.get("/memories?all=1").json()["memories"]] == ["Tea is green. ;-)", "", ""]
    other = daemon(PI_MEMORY_DATA_DIR=tmp_path / "other")
    assert other.post("/import", content=client.get("/export").content).json()["imported"]["memories"] == 3
