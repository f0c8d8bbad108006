"""`/memories/search` and the import of conversations, over HTTP."""

import json
from typing import Any

import pytest

from pi_memory.model.extractive import ExtractiveModel
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock, FakeEmbedder

GARDEN = {
    "conversation_id": "garden",
    "project": "~/work/Garden",
    "messages": [
        {"role": "assistant", "content": "Good morning!", "at": "2024-05-01T08:00:00Z"},
        {"role": "user", "content": "Where did I put the spare pump?", "at": 1714550500, "ref": "g1"},
        {"role": "user", "content": "Found it: it lies in the blue shed", "at": 1714550600, "ref": "g2"},
        {"role": "system", "content": "You talk like a pirate about a pump"},
        {"role": "assistant", "content": "Arr, the shed. " + "There is much to tell of sheds and pumps. " * 60},
    ],
}


def take(client: Client, *given: Any, **params: str) -> Any:
    response = client.post("/import", content="\n".join(map(json.dumps, given)), params=params)
    assert response.status_code == 200, response.text
    return response.json()["imported"]


def search(client: Client, query: str, **params: Any) -> list[dict[str, Any]]:
    response = client.get("/memories/search", params={"q": query, **params})
    assert response.status_code == 200, response.text
    results: list[dict[str, Any]] = response.json()["results"]
    return results


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()])
def test_an_imported_conversation_is_searched(daemon: Daemon, embedder: Any) -> None:
    client = daemon(embedder=embedder)
    assert take(client, GARDEN) == {"conversations": 1, "messages": 4}
    first, *rest = search(client, "which shed is blue", project="garden", explain=1)
    assert (first["ref"], first["role"], first["kind"]) == ("g2", "user", "exchange")
    assert first["at"] == "2024-05-01T08:03:20Z"
    assert first["score"] == pytest.approx(first["similarity"] * first["strength"] * (1 + first["boost"]), abs=1e-3)
    assert not any("pirate" in result["content"] for result in rest)


@pytest.mark.parametrize("embedder", [None, FakeEmbedder()])
def test_what_answers_comes_before_questions_and_our_own_replies(daemon: Daemon, embedder: Any) -> None:
    client = daemon(embedder=embedder)
    for message in ("The spare pump lies in the blue shed.", *["Where is the spare pump?"] * 3):
        client.post("/chat", json={"message": message}).raise_for_status()
    assert client.portal is not None
    client.portal.call(client.parts.inbox.drain)
    found = search(client, "where is the spare pump")
    answers = [
        result["kind"] == "memory" or ("shed" in result["content"] and result["role"] == "user") for result in found
    ]
    assert answers[0]
    assert answers == sorted(answers, reverse=True)
    assert not all(answers)


def test_other_projects_do_not_see_it(daemon: Daemon) -> None:
    client = daemon()
    take(client, GARDEN)
    assert search(client, "pump shed") == []
    assert search(client, "pump shed", project="kitchen") == []
    assert search(client, "pump shed", namespace="project/garden")


def test_what_does_not_bear_on_the_query_is_left_out_when_asked(daemon: Daemon) -> None:
    client = daemon()
    for content in ("The pump in the cellar leaks at its seal", "The pump was dear"):
        client.post("/memories", json={"content": content}).raise_for_status()
    query = "pump cellar seal leaks"
    assert len(search(client, query)) == 2
    (found,) = search(client, query, bearing="1")
    assert found["content"] == "The pump in the cellar leaks at its seal"
    assert search(client, "xylophone quantum", bearing="1") == []


def test_every_project_is_searched_when_that_is_asked_for(daemon: Daemon) -> None:
    client = daemon()
    said = [{"role": "user", "content": "The pump is red"}]
    take(client, {"conversation_id": "a", "project": "garden", "messages": said})
    assert search(client, "pump") == []
    assert [found["content"] for found in search(client, "pump", everywhere="1")] == ["The pump is red"]


def test_the_same_import_twice_adds_nothing(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    take(client, GARDEN)
    before = search(client, "pump", project="garden")
    clock.pass_time(days=1)
    assert take(client, GARDEN, GARDEN)["messages"] == 0
    client.stop()
    client = daemon()
    assert take(client, GARDEN)["messages"] == 0
    assert search(client, "pump", project="garden") == before


def test_one_request_may_repeat_itself(daemon: Daemon) -> None:
    assert take(daemon(), GARDEN, GARDEN) == {"conversations": 2, "messages": 4}


def test_a_longer_version_adds_what_is_new(daemon: Daemon) -> None:
    client = daemon()
    take(client, GARDEN)
    longer = {**GARDEN, "messages": [*GARDEN["messages"], {"role": "user", "content": "It needs a new gasket"}]}
    assert take(client, longer)["messages"] == 1
    assert search(client, "gasket", project="garden")[0]["content"] == "It needs a new gasket"


def test_what_was_said_in_a_chat_is_found(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "The boiler hums at night", "conversation_id": "home"})
    client.post("/activity", json={"session_id": "s", "user_message": "nothing"}, params={"wait": "1"})
    found = search(client, "boiler")
    assert (found[0]["content"], found[0]["conversation_id"]) == ("The boiler hums at night", "home")


def test_what_was_said_is_found_after_a_restart(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "The boiler hums at night", "conversation_id": "home"})
    client.stop()
    assert search(daemon(), "boiler")[0]["content"] == "The boiler hums at night"


def test_a_question_is_answered_from_another_conversation_each_time_it_is_asked(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "The boiler hums at night", "conversation_id": "old"})
    client.settle()
    asked = {"message": "Does the boiler hum at night?", "conversation_id": "new", "explain": True}
    first, second = (client.post("/chat", json=asked).json()["receipt"] for _ in range(2))
    assert [result["content"] for result in first["recalled"]] == ["The boiler hums at night"]
    assert 'user: "The boiler hums at night"' in first["context"]
    assert [result["content"] for result in second["recalled"]] == ["The boiler hums at night"]


def test_last_week_is_the_one_before_the_question(daemon: Daemon) -> None:
    weeks = [("2024-05-01", "runs"), ("2024-05-15", "rows"), ("2024-05-29", "rests")]
    given = [
        {"conversation_id": what, "messages": [{"role": "user", "content": f"She {what}", "at": f"{day}T08:00:00Z"}]}
        for day, what in weeks
    ]
    client = daemon()
    take(client, *given)
    for day, said in [("2024-05-08", "She runs"), ("2024-05-22", "She rows")]:
        assert search(client, "what did she do last week: runs, rows, rests", at=day)[0]["content"] == said
    assert search(client, "last week: runs, rows, rests")[0]["at"] >= "2024-05-15"  # nothing was said last week


def test_conversations_are_found_each_with_its_best_messages(daemon: Daemon) -> None:
    client = daemon()
    client.post("/memories", json={"content": "Weddings are expensive"})
    talks = {"anna": ["The wedding of Anna", "a cake", "dancing", "a dress for the wedding"], "ben": ["Ben's wedding"]}
    take(
        client,
        *(
            {"conversation_id": name, "messages": [{"role": "user", "content": text} for text in texts]}
            for name, texts in {**talks, "garden": ["the beans grow"]}.items()
        ),
    )
    params = {"q": "how many weddings", "group": "conversation"}
    found = client.get("/memories/search", params=params).json()["conversations"]
    assert {talk["conversation_id"] for talk in found} == {"anna", "ben"}
    assert all(len(talk["results"]) <= 3 and talk["score"] == talk["results"][0]["score"] for talk in found)
    assert len(client.get("/memories/search", params={**params, "k": 1}).json()["conversations"]) == 1


def test_a_chat_cannot_be_overwritten_by_an_import(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "Hello", "conversation_id": "garden"})
    response = client.post("/import", content=json.dumps(GARDEN))
    assert (response.status_code, response.json()["type"]) == (409, "conflict")
    assert search(client, "pump", project="garden") == []


def test_a_memory_is_found_and_its_change_too(daemon: Daemon) -> None:
    client = daemon()
    number = client.post("/memories", json={"content": "The gate code is kept in the drawer"}).json()["id"]
    assert [r["id"] for r in search(client, "gate code", kind="memory")] == [number]
    client.patch(f"/memories/{number}", json={"content": "The gate code is kept in the safe"})
    assert search(client, "drawer", kind="memory") == []
    assert search(client, "safe", kind="memory")[0]["namespace"] == "user"
    client.delete(f"/memories/{number}")
    assert search(client, "safe") == []


def test_what_was_imported_goes_with_its_day(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon(PI_MEMORY_TRANSCRIPT_DAYS=30)
    take(client, GARDEN)
    client.portal.call(client.parts.housekeeping.daily)  # type: ignore[union-attr]
    assert search(client, "pump", project="garden")
    clock.pass_time(days=32)
    client.portal.call(client.parts.housekeeping.daily)  # type: ignore[union-attr]
    assert search(client, "pump", project="garden") == []


@pytest.mark.parametrize(
    "query", ['"', "a OR", "NEAR(a b)", "text: *", "^x + -y", "(((", "\x00 é 你好", "select * from"]
)
def test_a_query_is_never_syntax(daemon: Daemon, query: str) -> None:
    client = daemon()
    take(client, GARDEN)
    search(client, query, project="garden")


@pytest.mark.parametrize(
    ("params", "status", "name"),
    [
        ({}, 400, "q"),
        ({"q": " "}, 400, "q"),
        ({"q": "x" * 30_000}, 413, "q"),
        ({"q": "x", "k": "0"}, 400, "k"),
        ({"q": "x", "k": "many"}, 400, "k"),
        ({"q": "x", "kind": "thought"}, 400, "kind"),
        ({"q": "x", "at": "noon"}, 400, "at"),
        ({"q": "x", "group": "speaker"}, 400, "group"),
        ({"q": "x", "namespace": "project/../x"}, 400, "namespace"),
        ({"q": "x", "namespace": "elsewhere"}, 400, "namespace"),
        ({"q": "x", "namespace": "project/a", "project": "b"}, 400, "namespace"),
    ],
)
def test_a_wrong_search_is_refused_by_name(daemon: Daemon, params: dict[str, str], status: int, name: str) -> None:
    response = daemon().get("/memories/search", params=params)
    assert response.status_code == status
    assert response.json()["message"].startswith(name)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ('{"conversation_id": "c"}', "messages"),
        ('{"conversation_id": "a b", "messages": []}', "conversation_id"),
        ('{"conversation_id": "c", "messages": [{"role": "parrot", "content": "x"}]}', "messages[0].role"),
        ('{"conversation_id": "c", "messages": [{"role": "user", "content": "x", "at": "noon"}]}', "messages[0].at"),
        ('{"conversation_id": "c", "messages": [{"role": "user"}]}', "content"),
    ],
)
def test_a_wrong_line_is_refused_and_nothing_taken(daemon: Daemon, line: str, what: str) -> None:
    client = daemon()
    response = client.post("/import", content=f"{json.dumps(GARDEN)}\n{line}")
    assert response.status_code == 400
    assert "line 2" in response.json()["message"]
    assert what in response.json()["message"]
    assert search(client, "pump", project="garden") == []


def test_what_other_projects_know_of_it_is_hinted_at(daemon: Daemon) -> None:
    client = daemon()
    for number, project in enumerate(("shop", "shop", "garden")):
        body = {"content": f"The freezer of hall {number} is leased", "project": project}
        client.post("/memories", json=body).raise_for_status()
    assert asked(client)["elsewhere"] == {"shop": 2, "garden": 1}
    assert asked(client, project="shop")["elsewhere"] == {"garden": 1}
    for silent in ({"everywhere": 1}, {"namespace": "user"}, {"kind": "exchange"}, {"q": "weather in May"}):
        assert "elsewhere" not in asked(client, **silent)


def test_a_reply_hints_at_what_another_project_knows(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel())
    body = {"content": "The freezer of the hall is leased", "project": "shop"}
    client.post("/memories", json=body).raise_for_status()

    def reply(message: str, **more: str) -> str:
        found: str = client.post("/chat", json={"message": message, **more}).raise_for_status().json()["reply"]
        return found

    assert "1 in project shop" in reply("Is the freezer of the hall leased?")
    assert "leased" in reply("Is the freezer of the hall leased?", project="shop")
    assert "shop" not in reply("Is the roof of the church leaking?")
    assert "shop" not in reply("The freezer of the hall hums.")


def asked(client: Client, **params: Any) -> Any:
    return client.get("/memories/search", params={"q": "freezer leased", **params}).raise_for_status().json()
