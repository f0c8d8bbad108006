"""Layer 2: long conversations become a summary and their last exchanges, whole or not at all."""

import asyncio
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from pi_memory.conversation.compaction import Compaction
from pi_memory.conversation.window import ConversationWindows
from pi_memory.errors import StoreError
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.model.local import LocalModel
from pi_memory.store import conversations, exchanges
from pi_memory.store.database import Database
from pi_memory.types import Exchange
from pi_memory.worker import Worker
from tests.conftest import Client, Daemon
from tests.crashes import at_every_write
from tests.fakes import FakeModel
from tests.gguf_files import write_llama

DECISION = "We decided to keep the humidity sensor on pin 14 because the cable is short."


def say(client: Client, text: str, name: str = "c") -> dict[str, object]:
    answer = client.post("/chat", json={"message": text, "conversation_id": name, "explain": True})
    assert answer.status_code == 200, answer.text
    client.settle()
    found: dict[str, object] = answer.json()
    return found


def shown(client: Client, name: str = "c") -> dict[str, object]:
    found: dict[str, object] = client.get(f"/conversations/{name}").json()
    return found


def test_what_leaves_the_window_is_summed_up(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel(), MEMORY_MAX_TURNS=2)
    say(client, DECISION)
    for text in ("Thanks a lot!", "The garden needs water today."):
        say(client, text)
    assert shown(client)["summary"] == ""
    assert shown(client)["earlier"] == 1
    say(client, "The tomatoes are red now.")
    found = shown(client)
    assert "[Context compacted]" in str(found["summary"])
    assert "pin 14" in str(found["summary"])
    assert found["earlier"] == 0


def test_the_next_prompt_begins_with_the_summary(daemon: Daemon) -> None:
    model = FakeModel("All right.")
    client = daemon(model=model, MEMORY_MAX_TURNS=1)
    for text in (DECISION, "The garden needs water today.", "And now?"):
        say(client, text)
    prompt = next(messages for messages in model.prompts if messages[-1].content == "And now?")
    assert "[Context compacted]\n- User: We decided" in prompt[0].content
    assert [message.content for message in prompt[1:]] == ["The garden needs water today.", "All right. ", "And now?"]


def test_a_summary_is_built_upon_the_one_before(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel(), MEMORY_MAX_TURNS=1)
    say(client, DECISION)
    for thing in ("fence", "boiler", "antenna", "cellar"):
        say(client, f"My brother repaired the {thing} on the farm.")
    summary = str(shown(client)["summary"])
    assert all(thing in summary for thing in ("pin 14", "fence", "boiler", "antenna"))


def test_a_restart_goes_on_with_summary_and_window(daemon: Daemon) -> None:
    first = daemon(model=ExtractiveModel(), MEMORY_MAX_TURNS=1)
    for text in (DECISION, "The garden needs water today.", "The tomatoes are red now."):
        say(first, text)
    before = shown(first)
    first.stop()
    assert shown(daemon(model=ExtractiveModel(), MEMORY_MAX_TURNS=1)) == before


def test_a_conversation_that_was_ended_begins_anew_also_after_a_restart(daemon: Daemon) -> None:
    first = daemon(model=ExtractiveModel())
    say(first, DECISION)
    first.delete("/conversations/c")
    say(first, "hello again, what is new?")
    first.stop()
    found = shown(daemon(model=ExtractiveModel()))
    assert [e["user"] for e in found["exchanges"]] == ["hello again, what is new?"]  # type: ignore[attr-defined]


def test_a_prompt_that_grows_is_compacted_before_it_has_no_room(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel(context_tokens=1024), MEMORY_MAX_TURNS=50)
    for number in range(30):
        receipt = say(client, f"Note {number}: the fence in the {number}. field is broken. " * 4)["receipt"]
        assert receipt["exchanges_left_out"] == 0, number  # type: ignore[index]
    assert "[Context compacted]" in str(shown(client)["summary"])


def test_a_message_that_has_no_room_makes_room_at_once(daemon: Daemon) -> None:
    client = daemon(model=ExtractiveModel(context_tokens=1024), MEMORY_MAX_TURNS=50)
    say(client, DECISION)
    for number in range(4):
        say(client, f"Note {number}: the fence in the {number}. field is broken. " * 4)
    assert shown(client)["summary"] == ""
    say(client, "word " * 480)
    assert "pin 14" in str(shown(client)["summary"])


def test_a_model_of_nonsense_is_not_believed(daemon: Daemon, tmp_path: Path) -> None:
    """Its weights are random: no line of what it writes was said, so the conversation's own sentences stand."""
    path = write_llama(tmp_path / "tiny.gguf", context=4096)
    model = LocalModel.open(path, threads=1, temperature=0, context_tokens=2048)
    client = daemon(model=model, PI_MEMORY_MAX_TOKENS=20, MEMORY_MAX_TURNS=1)
    for text in (DECISION, "The garden needs water today.", "The tomatoes are red now."):
        say(client, text)
    assert model.counts["write"].submitted > 0
    assert "pin 14" in str(shown(client)["summary"])


def test_what_a_model_sums_up_is_kept(daemon: Daemon) -> None:
    summary = "- decided to keep the humidity sensor on pin 14"
    client = daemon(model=FakeModel("Good.", "Fine.", summary, "Well."), MEMORY_MAX_TURNS=1)
    say(client, DECISION)
    say(client, "The garden needs water today.")
    assert shown(client)["summary"] == "[Context compacted]\n- decided to keep the humidity sensor on pin 14"


def test_a_crash_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    states = [state(folder / "memory.db") for folder in asyncio.run(crashes(tmp_path))]
    old, new = states[0], states[-1]
    assert (old[0], old[1:]) == ([DECISION, "1", "2", "3"], ("", 0))
    assert (new[0], "pin 14" in new[1], new[2]) == (["2", "3"], True, 1)
    assert len(states) >= 6
    assert all(found in (old, new) for found in states)


async def crashes(folder: Path) -> list[Path]:
    """What a crash at each write of a compaction would leave."""
    db = await Database.open(folder / "memory.db", commit_seconds=0)
    memory = ConversationWindows(ttl=0, max_conversations=9)
    for number, text in enumerate((DECISION, "1", "2", "3")):
        exchange = Exchange("c", text, "yes", float(number))
        await db.write(partial(exchanges.add, exchange=exchange))
        memory.append(memory.last("c") or memory.new("c", 0), exchange)
    conversation = memory.last("c")
    assert conversation is not None
    compaction = Compaction(db, memory, max_turns=2, max_tokens=100, worker=Worker("compute"))
    copies = await at_every_write(db, folder, lambda: compaction.make_room(conversation, 2, ExtractiveModel()))
    await db.close()
    return copies


def state(path: Path) -> tuple[list[str], str, int]:
    async def read() -> tuple[list[str], str, int]:
        db = await Database.open(path)
        assert db.problem is None
        window = (await db.read(partial(conversations.alive, limit=10)))["c"]
        lessons = await db.read(conversations.lessons)
        await db.close()
        return [e.user for e in window.exchanges], window.summary, len(lessons)

    return asyncio.run(read())


def test_a_failure_inside_of_a_compaction_undoes_all_of_it(tmp_path: Path) -> None:
    async def fail_at(statement: int) -> None:
        db = await Database.open(tmp_path / f"{statement}.db", commit_seconds=3600)
        for number in range(4):
            await db.write(partial(exchanges.add, exchange=Exchange("c", str(number), "yes", float(number))))
        left = iter(range(statement, -1, -1))

        def refuse(action: int, table: str | None, *rest: object) -> int:
            writes = action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE) and table in ("windows", "lessons")
            return sqlite3.SQLITE_DENY if writes and next(left) == 0 else sqlite3.SQLITE_OK

        await db.read(lambda opened: opened.conn.set_authorizer(refuse))
        with pytest.raises(Exception, match="refused"):
            await db.write(partial(conversations.fold, name="c", keep=2, summary="they counted"))
        await db.read(lambda opened: opened.conn.set_authorizer(None))
        await db.close()

    for statement in range(2):
        asyncio.run(fail_at(statement))
        assert state(tmp_path / f"{statement}.db") == (["0", "1", "2", "3"], "", 0)


def test_a_conversation_folded_twice_at_once_loses_nothing() -> None:
    short = ConversationWindows(ttl=0, max_conversations=9)
    conversation = short.new("c", 0)
    for number in range(4):
        short.append(conversation, Exchange("c", str(number), "yes", float(number)))
    short.fold("c", 2, "two")
    short.fold("nobody", 2, "nothing")
    assert (found := short.last("c")) is not None
    assert [e.user for e in found.exchanges] == ["2", "3"]


def test_a_full_disk_refuses_no_message_that_needs_room(tmp_path: Path) -> None:
    async def run() -> None:
        db, memory = (
            await Database.open(tmp_path / "m.db", commit_seconds=0.01),
            ConversationWindows(ttl=0, max_conversations=9),
        )
        for number in range(4):
            exchange = Exchange("c", f"{DECISION} {number}", "yes", float(number))
            await db.write(partial(exchanges.add, exchange=exchange))
            memory.append(memory.last("c") or memory.new("c", 0), exchange)
        pages = await db.read(lambda db: db.execute("pragma page_count").fetchone()[0])
        await db.read(lambda db: db.execute(f"pragma max_page_count = {pages}").fetchall())
        big = db.put(partial(exchanges.add, exchange=Exchange("other", "x" * 100_000, "", 9.0)))
        with pytest.raises(StoreError):
            await db.flush()
        (conversation,) = filter(None, [memory.last("c")])
        compaction = Compaction(db, memory, max_turns=2, max_tokens=2_000, worker=Worker("compute"))
        await compaction.make_room(conversation, 3, ExtractiveModel())
        assert [len(found.exchanges) for found in filter(None, [memory.last("c")])] == [1]
        await db.read(lambda db: db.execute("pragma max_page_count = 10000").fetchall())
        await big
        await db.flush()
        assert len((await db.read(partial(conversations.alive, limit=9)))["c"].exchanges) == 1
        await db.close()

    asyncio.run(run())
