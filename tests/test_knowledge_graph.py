"""The nine tools of the reference memory server, over our memories."""

import json
from typing import Any

from tests.conftest import Client, Daemon
from tests.test_mcp import failed, result

ADA = {"name": "Ada", "entityType": "person", "observations": ["speaks Spanish", "mends pumps"]}
ACME = {"name": "Acme", "entityType": "firm", "observations": []}
WORKS = {"from": "Ada", "to": "Acme", "relationType": "works at"}


def call(client: Client, tool: str, **arguments: Any) -> Any:
    answered = result(client, "tools/call", name=tool, arguments=arguments)
    assert not answered.get("isError"), answered
    return answered["structuredContent"]


def filled(daemon: Daemon) -> Client:
    client = daemon()
    call(client, "create_entities", entities=[ADA, ACME])
    call(client, "create_relations", relations=[WORKS])
    return client


def test_what_is_created_is_read_back(daemon: Daemon) -> None:
    assert call(filled(daemon), "read_graph") == {"entities": [ADA, ACME], "relations": [WORKS]}


def test_what_is_there_is_not_created_again(daemon: Daemon) -> None:
    client = filled(daemon)
    other = {**ADA, "observations": ["changed"]}
    assert call(client, "create_entities", entities=[other]) == {"entities": []}
    assert call(client, "create_relations", relations=[WORKS, WORKS]) == {"relations": []}
    answered = result(client, "tools/call", name="create_relations", arguments={"relations": [{**WORKS, "to": "Bee"}]})
    assert json.loads(answered["content"][0]["text"]) == [{**WORKS, "to": "Bee"}]


def test_observations_are_added_once(daemon: Daemon) -> None:
    client = filled(daemon)
    new = [{"entityName": "Ada", "contents": ["speaks Spanish", "owns a boat"]}]
    answered = call(client, "add_observations", observations=new)
    assert answered == {"results": [{"entityName": "Ada", "addedObservations": ["owns a boat"]}]}


def test_an_unknown_entity_stores_nothing_of_the_call(daemon: Daemon) -> None:
    client = filled(daemon)
    new = [{"entityName": "Ada", "contents": ["sails"]}, {"entityName": "Bob", "contents": ["rows"]}]
    assert "Entity with name Bob not found" in failed(client, "add_observations", observations=new)
    assert call(client, "open_nodes", names=["Ada"])["entities"] == [ADA]


def test_deleting_takes_what_belongs_to_it_and_erases_nothing(daemon: Daemon) -> None:
    client = filled(daemon)
    answered = result(client, "tools/call", name="delete_entities", arguments={"entityNames": ["Ada", "nobody"]})
    assert answered["content"][0]["text"] == "Entities deleted successfully"
    assert answered["structuredContent"] == {"success": True, "message": "Entities deleted successfully"}
    assert call(client, "read_graph") == {"entities": [ACME], "relations": []}
    assert client.get("/memories?all=1").json()["total"] == 5


def test_observations_and_relations_are_deleted_alone(daemon: Daemon) -> None:
    client = filled(daemon)
    gone = [{"entityName": "Ada", "observations": ["mends pumps", "never said"]}]
    assert call(client, "delete_observations", deletions=gone)["success"]
    assert call(client, "delete_relations", relations=[WORKS])["success"]
    assert call(client, "read_graph") == {
        "entities": [{**ADA, "observations": ["speaks Spanish"]}, ACME],
        "relations": [],
    }


def test_nodes_are_found_by_any_text_of_theirs(daemon: Daemon) -> None:
    client = filled(daemon)
    assert [e["name"] for e in call(client, "search_nodes", query="SPANISH")["entities"]] == ["Ada"]
    assert [e["name"] for e in call(client, "search_nodes", query="firm")["entities"]] == ["Acme"]
    assert call(client, "search_nodes", query="firm")["relations"] == [WORKS], "one end is enough"
    assert call(client, "open_nodes", names=["nobody"]) == {"entities": [], "relations": []}


def test_the_graph_is_memories_and_memories_are_in_the_graph(daemon: Daemon) -> None:
    client = filled(daemon)
    found = client.get("/memories/search?q=who speaks Spanish").json()["results"]
    assert found[0]["content"] == "Ada: speaks Spanish"
    client.post("/memories", json={"content": "The gate is painted green"})
    (gate,) = call(client, "search_nodes", query="gate")["entities"]
    assert gate == {
        "name": "The gate is painted green",
        "entityType": "semantic",
        "observations": ["The gate is painted green"],
    }


def test_the_resource_is_the_graph(daemon: Daemon) -> None:
    client = filled(daemon)
    (answered,) = result(client, "resources/read", uri="memory://knowledge-graph")["contents"]
    assert json.loads(answered["text"]) == call(client, "read_graph")


def test_a_relation_from_a_thing_to_itself_keeps_its_ends(daemon: Daemon) -> None:
    client = daemon()
    call(client, "create_relations", relations=[{"from": "a", "to": "a", "relationType": "a"}])
    assert call(client, "read_graph")["relations"] == [{"from": "a", "to": "a", "relationType": "a"}]
