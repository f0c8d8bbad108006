"""A newer statement ends the older one about the same attribute of the same thing; in doubt somebody is asked."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pi_memory.app import create_app
from pi_memory.config import Config
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.embedding.reading import Purpose, Text
from pi_memory.embedding.token_codes import Tokens
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.types import Vectors
from tests.conftest import Client, Daemon, settings_for
from tests.fakes import FakeClock

MINILM = Path(sys.prefix) / "share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf"
NEEDS_MINILM = pytest.mark.skipif(not MINILM.is_file(), reason="scripts/setup makes the embedder")
CORRECTED = [
    ("The blog runs on Hugo.", "The blog now runs on Astro instead of Hugo."),
    ("We deploy with Docker.", "We don't deploy with Docker anymore."),
    ("My sister lives in Oslo.", "My sister moved to Bergen."),
    ("The database is Postgres 15.", "We migrated the database from Postgres 15 to Postgres 16."),
]
APART = [
    ("My sister lives in Oslo.", "My brother lives in Bergen."),
    ("The blog runs on Hugo.", "The blog has about forty readers."),
    ("Our cat is called Minka.", "We also have a dog called Rex."),
    ("The bins go out on Tuesday.", "The piano lesson is on Thursday."),
]


class ReadsOnce:
    """A real embedder for many daemons: none of them closes it, and no text is embedded twice."""

    def __init__(self, embedder: GgufEmbedder) -> None:
        self.id, self.dimensions = embedder.id, embedder.dimensions
        self._embedder = embedder
        self._known: dict[str, tuple[Vectors, Tokens]] = {}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_tokens(texts))[0]

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known |= zip(new, zip(*await self._embedder.embed_tokens(new), strict=True), strict=True)
        found = [self._known[text] for text in texts]
        vectors = np.array([vector for vector, _ in found], np.float32).reshape(-1, self.dimensions)
        return vectors, [tokens for _, tokens in found]

    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        return await self._embedder.read(texts, purpose)

    async def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def minilm() -> Iterator[ReadsOnce]:
    embedder = GgufEmbedder.open(MINILM, adapters=Config().folder("adapters"))
    yield ReadsOnce(embedder)
    asyncio.run(embedder.close())


@pytest.fixture
def reader(tmp_path: Path, clock: FakeClock, minilm: ReadsOnce) -> Iterator[Client]:
    """A daemon with a real embedder, which quotes."""
    app = create_app(settings_for(tmp_path), model=ExtractiveModel(), embedder=minilm, clock=clock)
    with Client(app, base_url="http://127.0.0.1:8765") as client:
        assert client.portal is not None
        client.portal.call(client.parts.message_index.ready)
        yield client


def say(client: Client, *messages: str) -> None:
    """Each message in a conversation of its own."""
    for number, message in enumerate(messages):
        name = f"c{number}-{abs(hash(message))}"
        client.post("/chat", json={"message": message, "conversation_id": name}).raise_for_status()
        client.settle()
        client.delete(f"/conversations/{name}")
        client.settle()


def quotes(client: Client, query: str = "") -> list[str]:
    """The words that the memories rest on, oldest first."""
    found: list[dict[str, Any]] = client.get(f"/memories{query}").raise_for_status().json()["memories"]
    return [memory["quote"] for memory in reversed(found)]


@NEEDS_MINILM
@pytest.mark.parametrize(("old", "new"), CORRECTED)
def test_what_is_corrected_ends(reader: Client, old: str, new: str) -> None:
    say(reader, *(f"Remember: {said}" for said in (old, "The spare key is under the stairs.", new)))
    assert quotes(reader) == ["Remember: The spare key is under the stairs.", f"Remember: {new}"]
    assert quotes(reader, "?valid=0") == [f"Remember: {old}"]


@NEEDS_MINILM
def test_what_is_corrected_in_passing_ends(reader: Client) -> None:
    say(reader, "My sister lives in Oslo.", "My sister moved to Bergen.")
    assert quotes(reader) == ["My sister moved to Bergen."]


@NEEDS_MINILM
@pytest.mark.parametrize(("old", "new"), APART)
def test_what_is_about_something_else_stays(reader: Client, old: str, new: str) -> None:
    say(reader, f"Remember: {old}", f"Remember: {new}")
    assert quotes(reader) == [f"Remember: {old}", f"Remember: {new}"]


@NEEDS_MINILM
def test_a_correction_is_found_by_the_words_of_what_it_corrects(reader: Client) -> None:
    say(reader, "I work at Weller's bakery in the old town.", "I quit the bakery. I'm at the library these days.")
    reply = reader.post("/chat", json={"message": "Where in the old town do I work?"}).json()["reply"]
    assert "library" in reply
    assert "Weller" not in reply
    found = reader.get("/memories/search", params={"q": "work in the old town", "explain": 1}).json()["results"]
    assert [hit["instead_of"] for hit in found if hit["kind"] == "memory"] == [1]
    assert not any("Weller" in hit["content"] for hit in found)


@NEEDS_MINILM
def test_of_two_in_doubt_a_question_has_the_one_that_it_is_nearer_to(reader: Client) -> None:
    feeding = [f"Remember: {name} feeds the cat on {day}s." for name, day in (("Bo", "Monday"), ("Ida", "Friday"))]
    solo = [f"Remember: {said} the solo in the mass." for said in ("Ada sings", "Olaf has")]
    say(reader, feeding[0], solo[0], "Remember: Our vet is Doctor Ellis.", feeding[1], solo[1])

    def reply(question: str) -> str:
        return str(reader.post("/chat", json={"message": question}).json()["reply"]).splitlines()[0]

    assert "Olaf" in reply("Who is the soloist in the mass?")
    assert "Ada" in reply("What does Ada sing?")
    assert "Bo" in reply("Who feeds the cat on Mondays?")
    assert "Ida" in reply("Who feeds the cat on Fridays?")


@NEEDS_MINILM
def test_where_something_used_to_be_is_not_where_it_is(reader: Client) -> None:
    say(reader, "The ladder is in the barn.", "The ladder used to be in the porch.")
    reply = reader.post("/chat", json={"message": "Where is the ladder?"}).json()["reply"]
    assert "in the barn" in reply.splitlines()[0]


@NEEDS_MINILM
def test_correcting_one_attribute_leaves_the_others_alone(reader: Client) -> None:
    say(reader, "My sister lives in Oslo.", "My sister is a vet.", "My sister moved to Bergen.")
    assert quotes(reader) == ["My sister is a vet.", "My sister moved to Bergen."]


def doubt(client: Client, *contents: str) -> None:
    """Two memories of which the second may make the first untrue."""
    ids = [client.post("/memories", json={"content": content}).json()["id"] for content in contents]
    assert client.portal is not None
    client.portal.call(client.parts.memories.doubt, ids[1], ids[0], 0.5)


OLD, NEW = "The gate code is 2580", "The code for the side gate is 7714"


def test_a_conflict_is_shown_until_it_is_settled(daemon: Daemon) -> None:
    client = daemon()
    doubt(client, OLD, NEW)
    (conflict,) = client.get("/memories/conflicts").json()["conflicts"]
    assert (conflict["newer"]["content"], conflict["older"]["content"], conflict["chance"]) == (NEW, OLD, 0.5)
    assert client.post(f"/memories/conflicts/{conflict['id']}", json={"holds": "both"}).status_code == 204
    assert client.get("/memories/conflicts").json() == {"conflicts": []}
    assert client.get("/memories").json()["total"] == 2


@pytest.mark.parametrize(("holds", "left"), [(2, NEW), (1, OLD)])
def test_the_memory_that_does_not_hold_ends_and_can_come_back(daemon: Daemon, holds: int, left: str) -> None:
    client = daemon()
    doubt(client, OLD, NEW)
    client.post("/memories/conflicts/1", json={"holds": holds}).raise_for_status()
    assert [m["content"] for m in client.get("/memories").json()["memories"]] == [left]
    assert client.get(f"/memories/{3 - holds}").json()["superseded_by"] == holds
    event = client.get("/events").json()["events"][0]["id"]
    client.post(f"/events/{event}/undo").raise_for_status()
    assert client.get("/memories").json()["total"] == 2
    assert len(client.get("/memories/conflicts").json()["conflicts"]) == 1, "it is asked again"


def test_that_both_hold_can_be_taken_back(daemon: Daemon, clock: FakeClock) -> None:
    client = daemon()
    doubt(client, OLD, NEW)
    client.post("/memories/conflicts/1", json={"holds": "both"}).raise_for_status()
    event = client.get("/events").json()["events"][0]
    assert (event["kind"], event["subject"]) == ("memory.settled", "memory:2")
    assert client.post(f"/events/{event['id']}/undo?dry_run=1").json()["undone"] is False
    assert client.get("/memories/conflicts").json()["conflicts"] == []
    assert client.post(f"/events/{event['id']}/undo").raise_for_status().json()["changes"] == []
    assert len(client.get("/memories/conflicts").json()["conflicts"]) == 1
    for number in (event["id"], event["id"] + 1):
        assert client.post(f"/events/{number}/undo").status_code == 409
    kinds = [one["kind"] for one in client.get("/memories/2/history").json()["history"]]
    assert kinds == ["memory.undone", "memory.settled", "memory.added"]


def test_a_memory_that_is_written_anew_is_doubted_no_more_until_that_is_undone(
    daemon: Daemon, clock: FakeClock
) -> None:
    client = daemon(model=ExtractiveModel())
    doubt(client, OLD, NEW)
    clock.pass_time(minutes=1)
    client.patch("/memories/1", json={"priority": "high"}).raise_for_status()
    assert len(client.get("/memories/conflicts").json()["conflicts"]) == 1
    clock.pass_time(minutes=1)
    client.patch("/memories/1", json={"content": "The gate is painted green"}).raise_for_status()
    assert client.get("/memories/conflicts").json()["conflicts"] == []
    for expected in (1, 0, 1):
        clock.pass_time(minutes=1)
        event = client.get("/events").json()["events"][0]["id"]
        client.post(f"/events/{event}/undo").raise_for_status()
        assert len(client.get("/memories/conflicts").json()["conflicts"]) == expected


@pytest.mark.parametrize(
    ("number", "body", "status"), [(9, {"holds": "both"}, 404), (1, {"holds": 3}, 400), (1, {"holds": "none"}, 400)]
)
def test_what_settles_nothing_is_refused(daemon: Daemon, number: int, body: dict[str, Any], status: int) -> None:
    client = daemon()
    doubt(client, OLD, NEW)
    assert client.post(f"/memories/conflicts/{number}", json=body).status_code == status
    assert len(client.get("/memories/conflicts").json()["conflicts"]) == 1


def test_of_two_in_conflict_recall_gives_both_the_older_one_after_all_others(daemon: Daemon) -> None:
    client = daemon()
    client.post("/memories", json={"content": "The gate is green"}).raise_for_status()
    doubt(client, OLD, NEW)
    found = client.get("/memories/search", params={"q": "the gate code is 2580"}).json()["results"]
    assert [hit["content"] for hit in found] == [NEW, "The gate is green", OLD]


def test_a_conflict_ends_with_either_memory(daemon: Daemon) -> None:
    client = daemon()
    doubt(client, OLD, NEW)
    client.delete("/memories/1")
    assert client.get("/memories/conflicts").json() == {"conflicts": []}
