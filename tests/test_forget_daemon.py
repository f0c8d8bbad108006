"""Forgetting by a whole daemon: one task that nobody can cut, and no file, prompt or reply that still has it."""

import asyncio
import gc
import sqlite3
import types
from contextlib import closing
from pathlib import Path

import pytest

from pi_memory.embedding.recent import RecentEmbedder
from pi_memory.errors import Forgotten
from pi_memory.learning.statements import notice
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.store import copies
from pi_memory.store.backup import back_up
from pi_memory.types import Candidate
from tests.conftest import Client, Daemon
from tests.fakes import FakeTokenEmbedder

FACT = "my vault word is zanzibar"


@pytest.fixture
def client(daemon: Daemon) -> Client:
    return daemon(model=ExtractiveModel())


def say(client: Client, message: str, name: str = "c") -> str:
    reply: str = client.post("/chat", json={"message": message, "conversation_id": name}).json()["reply"]
    client.settle()
    return reply


def holders(folder: Path) -> list[str]:
    """The files that have it."""
    return [file.name for file in folder.rglob("*") if file.is_file() and b"zanzibar" in file.read_bytes().lower()]


def test_a_fact_is_forgotten_in_every_conversation(client: Client, tmp_path: Path) -> None:
    say(client, "My vault word is zanzibar.", "a")
    assert "zanzibar" in say(client, "What is my vault word?", "a")
    say(client, f"Remember that {FACT}.", "b")
    assert "Forgotten: memory 1." in say(client, f"Forget that {FACT}.", "d")
    for name in "abdn":
        assert "zanzibar" not in say(client, "What is my vault word?", name)
    shown = client.post("/context", json={"session_id": "s", "message": "What is the vault word?"}).text
    assert "zanzibar" not in shown + str(client.parts.windows.prompted())
    client.stop()
    assert holders(tmp_path) == []


def test_what_a_memory_says_of_something_else_is_kept(client: Client, tmp_path: Path) -> None:
    say(client, "Remember that Ada has swim club on Tuesdays at 5, Kit does zanzibar on Saturdays.", "a")
    reply = say(client, "Forget that Kit does zanzibar.", "b")
    assert "Forgotten: memory 1. What else it says is kept: Ada has swim club on Tuesdays at 5." in reply
    (memory,) = client.get("/memories").json()["memories"]
    assert memory["content"] == "Ada has swim club on Tuesdays at 5."
    client.stop()
    assert holders(tmp_path) == []


def test_one_of_a_list_is_forgotten_alone_once_that_is_confirmed(client: Client, tmp_path: Path) -> None:
    say(client, "Remember that Mum takes aspirin, zanzibar and zinc.", "a")
    asked = say(client, "forget the zanzibar", "b")
    assert "Is only this to be forgotten" in asked
    assert "Mum takes aspirin and zinc." in asked
    assert "What else it says is kept" in say(client, "yes", "b")
    (memory,) = client.get("/memories").json()["memories"]
    assert memory["content"] == "Mum takes aspirin and zinc."
    client.stop()
    assert holders(tmp_path) == []


def test_what_was_said_right_before_is_forgotten_once_that_is_confirmed(client: Client, tmp_path: Path) -> None:
    say(client, "The code of the alarm is zanzibar.", "a")
    assert "Is this to be forgotten? Say yes" in say(client, "no wait, forget that", "a")
    assert "Forgotten" in say(client, "yes", "a")
    assert "zanzibar" not in say(client, "What is the code of the alarm?", "a")
    client.stop()
    assert holders(tmp_path) == []


def test_where_something_is_is_forgotten_and_not_where_something_else_is(client: Client, tmp_path: Path) -> None:
    say(client, "Remember that the spare key is under the zanzibar, and the gas meter is behind the stairs.", "a")
    assert "What else it says is kept" in say(client, "forget where the spare key is", "b")
    (memory,) = client.get("/memories").json()["memories"]
    assert memory["content"] == "The gas meter is behind the stairs."
    client.stop()
    assert holders(tmp_path) == []


def test_what_was_said_in_another_project_is_not_shown(client: Client) -> None:
    told = {"message": "The tunnel for deploys is zanzibar.", "conversation_id": "a", "project": "/srv/shop"}
    client.post("/chat", json=told).raise_for_status()
    client.settle()
    for project, is_shown in (("/srv/mill", False), (None, False), ("/srv/shop", True)):
        asked = {"message": "Forget the tunnel for deploys.", "conversation_id": f"p{project}".replace("/", ".")}
        reply = client.post("/chat", json={**asked, "project": project}).raise_for_status().json()["reply"]
        assert ("forgotten" in reply.lower()) == is_shown
        assert ("zanzibar" in reply) <= is_shown


def test_it_is_refused_in_whatever_words_it_comes_again(client: Client, tmp_path: Path) -> None:
    say(client, f"Remember that {FACT}.")
    client.delete("/memories/1?forget=1").raise_for_status()
    client.post("/activity?wait=1", json={"session_id": "s", "user_message": f"btw {FACT}"}).raise_for_status()
    assert client.post("/memories", json={"content": "Your vault word: Zanzibar"}).status_code == 409
    client.post("/session", json={"session_id": "s"}).raise_for_status()
    decided = {"session_id": "s", "decision": "The user's vault word is zanzibar"}
    assert client.post("/session/decisions", json=decided).json()["type"] == "forgotten"
    say(client, "My vault word is zanzibar.", "new")
    assert "zanzibar" not in str(client.parts.windows.prompted())
    client.stop()
    assert holders(tmp_path) == []


def test_only_the_user_lets_it_in_again(client: Client) -> None:
    say(client, f"Remember that {FACT}.")
    client.delete("/memories/1?forget=1").raise_for_status()
    added = client.post("/memories", json={"content": "The user's vault word is zanzibar.", "anyway": True})
    assert added.status_code == 201
    assert "zanzibar" in say(client, "What is my vault word?", "new")


def test_a_dry_run_shows_every_text_that_would_go_and_changes_nothing(client: Client) -> None:
    say(client, "Hello. My vault word is zanzibar.", "a")
    say(client, f"Remember that {FACT}.", "b")
    would = client.delete("/memories/1?forget=1&dry_run=1").raise_for_status().json()
    assert (would["memories"], would["exchanges"]) == ([1], [1, 2])
    assert {(one["place"], one["text"]) for one in would["gone"]} >= {
        ("memory", "The user's vault word is zanzibar."),
        ("exchange", "My vault word is zanzibar."),
    }
    assert client.get("/memories/1").json()["content"] == "The user's vault word is zanzibar."
    assert "zanzibar" in say(client, "What is my vault word?", "a")


def test_what_the_user_noted_in_the_focus_file_goes(client: Client, tmp_path: Path) -> None:
    client.put("/focus/vault").raise_for_status()
    (file,) = tmp_path.rglob("RECENT_FOCUS.md")
    noted = f"{file.read_text()}\n## Notes\n- {FACT}\n- buy milk\n"
    file.write_text(noted)
    client.portal.call(asyncio.sleep, 2.5)  # type: ignore[union-attr]  # until it is taken for saved
    client.get("/focus.md")
    say(client, f"Remember that {FACT}.")
    client.delete("/memories/1?forget=1").raise_for_status()
    assert "buy milk" in file.read_text()
    assert holders(tmp_path) == []
    client.stop()
    file.write_text(noted)  # an editor had it open


def test_copies_of_the_database_forget_too(client: Client, tmp_path: Path) -> None:
    say(client, "Hello. My vault word is zanzibar.")
    say(client, f"Remember that {FACT}.")
    client.portal.call(client.parts.db.checkpoint)  # type: ignore[union-attr]
    database = client.parts.settings.database
    for name in ("memory.db.v7.backup", "friday.backup"):
        back_up(database, database.with_name(name))
    with closing(sqlite3.connect(database.with_name("friday.backup"), isolation_level=None)) as copy:
        copy.execute("update passages set codes = x'01'")
    assert len(holders(tmp_path)) >= 3
    client.delete("/memories/1?forget=1").raise_for_status()
    assert holders(tmp_path) == []
    with closing(sqlite3.connect(database.with_name("friday.backup"))) as copy:
        assert copy.execute("select codes from passages where id = 2").fetchone() == (None,)
        assert copy.execute("select user from exchanges where id = 1").fetchone() == ("Hello.",)
        found = copy.execute("select rowid from passage_words where passage_words match 'hello'").fetchall()
        assert (found, copy.execute("select count(*) from tombstones").fetchone()) == ([(2,)], (1,))


def test_the_copies_forget_after_all_that_is_held_in_ram(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    say(client, f"Remember that {FACT}.")
    client.post("/context", json={"session_id": "agent", "message": "What is my vault word?"}).raise_for_status()
    assert "zanzibar" in str(client.parts.agent_contexts._given)
    held: list[str] = []
    monkeypatch.setattr(copies, "forget", lambda *_: held.append(str(client.parts.agent_contexts._given)))
    client.delete("/memories/1?forget=1").raise_for_status()
    assert ["zanzibar" in each for each in held] == [False]


def in_ram(word: str) -> list[str]:
    """The texts with a word that something in this process holds, besides what is running."""
    gc.collect()
    every = (each for each in gc.get_objects() if type(each) is not types.FrameType)
    texts = (text for each in every for text in gc.get_referents(each) if type(text) is str and text is not word)
    return [text for text in texts if word in text.lower()]


def test_nothing_in_ram_has_it_any_more(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel(), embedder=RecentEmbedder(FakeTokenEmbedder()))
    word = f"tobago{id(client)}"
    say(client, f"My vault word is {word}. The vault is behind the bookcase.", "a")
    assert word in say(client, f"Is {word} my vault word?", "a")
    say(client, f"Remember that my vault word is {word}.", "b")
    say(client, "It changed nothing.", "b")
    assert in_ram(word)
    say(client, f"Forget that my vault word is {word}.", "a")
    assert in_ram(word) == []


def test_a_crash_before_the_copies_forgot_is_made_up_for(daemon: Daemon, tmp_path: Path) -> None:
    client = daemon()
    say(client, f"Remember that {FACT}.")
    client.portal.call(client.parts.db.checkpoint)  # type: ignore[union-attr]
    database = client.parts.settings.database
    back_up(database, database.with_name("friday.backup"))
    client.portal.call(_forget_and_crash, client)  # type: ignore[union-attr]
    client.stop()
    assert "friday.backup" in holders(tmp_path)
    daemon()
    assert holders(tmp_path) == []


async def _forget_and_crash(client: Client) -> None:
    def crash(*args: object) -> None:
        raise RuntimeError("no power")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "forget", crash)
        with pytest.raises(RuntimeError):
            await client.parts.memories.forget(1)


def test_a_client_that_leaves_cuts_nothing(client: Client, tmp_path: Path) -> None:
    say(client, "My vault word is zanzibar.", "a")
    say(client, f"Remember that {FACT}.", "b")

    async def leave_after(steps: int) -> None:
        learning = client.parts.learner
        asked = asyncio.ensure_future(learning.state(notice(f"Forget that {FACT}."), session="c"))
        for _ in range(steps):
            await asyncio.sleep(0)
        asked.cancel()
        await learning.finish()
        await client.parts.memories.finish()

    client.portal.call(leave_after, 2)  # type: ignore[union-attr]
    assert "zanzibar" not in str(client.parts.windows.prompted())
    assert "zanzibar" not in say(client, "What is my vault word?", "a")
    client.stop()
    assert holders(tmp_path) == []


def test_an_agents_user_forgets_too_also_when_the_daemon_stops(client: Client, tmp_path: Path) -> None:
    say(client, "My vault word is zanzibar.", "a")
    say(client, f"Remember that {FACT}.", "b")
    client.post("/activity", json={"session_id": "s", "user_message": f"Forget that {FACT}."}).raise_for_status()
    client.stop()
    assert holders(tmp_path) == []


def test_what_was_forgotten_by_an_older_release_stays_so(client: Client) -> None:
    """Then a text was hashed with a salt of its own, not a fact."""
    import hashlib

    salt = b"12345678"
    made = hashlib.blake2b(b"the user s vault word is zanzibar", digest_size=16, key=salt).digest()
    insert = "insert into tombstones (at, salt, hash) values (1, ?, ?)"
    client.portal.call(client.parts.db.write, lambda db: db.execute(insert, (salt, made)) and None)  # type: ignore[union-attr]
    with pytest.raises(Forgotten):
        client.portal.call(_add, client)  # type: ignore[union-attr]


async def _add(client: Client) -> None:
    await client.parts.memories.add(Candidate("Well. The user's vault word is Zanzibar!"), origin="api")
