"""Forgetting: no text is left in the rows, the words, the events, the exchanges, or the bytes of the files."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.errors import Forgotten, StoreError
from pi_memory.event_bus import TextForgotten
from pi_memory.memories.memories import Memories
from pi_memory.store import attention, conversations, exchanges, messages
from pi_memory.store.database import Database
from pi_memory.store.memories import Filter
from pi_memory.store.messages import Passage
from pi_memory.text.fact import Key, facts, normal, states, without
from pi_memory.types import Candidate, Exchange, SessionContext
from tests.crashes import at_every_write
from tests.fakes import FakeClock

SECRET = "The safe opens with zanzibarquartz"
QUOTE = "Remember that my safe opens with zanzibarquartz"


def using(path: Path, work: Callable[[Database, Memories], Awaitable[None]]) -> None:
    async def main() -> None:
        db = await Database.open(path / "m.db")
        try:
            await work(db, Memories(db, clock=FakeClock()))
        finally:
            await db.close()

    asyncio.run(main())


async def said(db: Database, user: str, reply: str = "Noted.") -> int:
    exchange = Exchange("c", user, reply, 1.0)
    return await db.put(lambda rows: exchanges.add(rows, exchange))


def on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.glob("m.db*")).lower()


def test_nothing_is_left_in_the_files(tmp_path: Path) -> None:
    async def work(db: Database, memories: Memories) -> None:
        others = [Candidate(f"Fact {n} about gardens and pumps", quote="as was said " * n) for n in range(60)]
        for other in others:
            await memories.add(other, origin="extraction")
        number = await said(db, f"Hello there. {QUOTE}. And water the roses!", f"Noted: “{QUOTE}”. Anything else?")
        again = await said(db, "What now?", f"You told me. {SECRET}!")
        memory = await memories.add(Candidate(SECRET, quote=QUOTE, exchange_id=number), origin="notice", durable=True)
        assert [n for n, _ in await memories.search_words("zanzibarquartz", limit=9)] == [memory.id]
        await memories.change(memory.id, origin="api", content=SECRET + " " + "at night " * 90)
        await memories.change(memory.id, origin="api", content=SECRET)
        for other in others:
            await memories.add(other, origin="extraction")
        await db.checkpoint()
        assert b"zanzibarquartz" in on_disk(tmp_path)
        forgetting = await memories.forget(memory.id)
        assert (forgetting.memory_ids, forgetting.exchange_ids) == ((memory.id,), (number, again))
        assert b"zanzibar" not in on_disk(tmp_path)
        kept = dict(await db.read(exchanges.inbox))
        assert kept[number].user == "Hello there. And water the roses!"
        assert kept[number].reply == "Anything else?"
        assert kept[again].reply == "You told me."
        assert await memories.search_words("zanzibarquartz", limit=9) == []
        assert len(await memories.search_words("garden", limit=500)) == 120

    using(tmp_path, work)


def test_others_are_asked_to_forget_too(tmp_path: Path) -> None:
    result: list[TextForgotten] = []

    async def forget_too(forgotten: TextForgotten) -> None:
        result.append(forgotten)

    async def work(db: Database, memories: Memories) -> None:
        memories.events.subscribe(TextForgotten, forget_too)
        await memories.add(Candidate(SECRET, quote=QUOTE), origin="notice")
        await memories.forget(1)
        assert result[0].clean(f"Yes. {QUOTE}! Bye.") == "Yes. Bye."
        assert result[0].clean("Your safe opens with zanzibarquartz. Bye.") == "Bye."

    using(tmp_path, work)


def test_what_says_the_same_is_forgotten_with_it(tmp_path: Path) -> None:
    async def work(db: Database, memories: Memories) -> None:
        await memories.add(Candidate(SECRET), origin="api")
        await memories.close(1, origin="api")
        await memories.add(Candidate(SECRET.upper() + "."), origin="api")
        await memories.add(Candidate("Has a safe", quote=f"{QUOTE}. It is heavy."), origin="api")
        await memories.add(Candidate("Likes tea", quote=QUOTE), origin="api")
        await memories.change(4, origin="api", content=SECRET + "!")
        await memories.change(4, origin="api", content="Likes coffee")
        await memories.add(Candidate(SECRET, quote=QUOTE), origin="api")
        assert (await memories.forget(5)).memory_ids == (1, 2, 5)
        found, _ = await memories.listed(Filter(valid=None))
        assert [(m.id, m.content, m.quote) for m in found if m.content] == [
            (4, "Likes coffee", ""),
            (3, "Has a safe", "It is heavy."),
        ]
        history = await memories.history(4)
        with pytest.raises(Forgotten):
            await memories.undo(next(t.event.id for t in history if t.event.kind == "memory.changed"))
        assert b"zanzibar" not in on_disk(tmp_path)

    using(tmp_path, work)


def test_what_a_memory_refers_back_to_is_not_forgotten_with_it(tmp_path: Path) -> None:
    alarm, fell = "Gran has an alarm with Ferncall.", "She fell in October."

    async def work(db: Database, memories: Memories) -> None:
        await memories.add(Candidate(alarm), origin="api")
        await memories.add(Candidate(f"{alarm} {fell}", quote=fell), origin="extraction")
        await memories.forget(2)
        assert [memory.content for memory in await memories.several([1, 2])] == [alarm, ""]

    using(tmp_path, work)


def test_a_forgotten_content_is_refused_on_every_path(tmp_path: Path) -> None:
    async def work(db: Database, memories: Memories) -> None:
        await memories.add(Candidate(SECRET, quote=QUOTE), origin="notice")
        await memories.add(Candidate("Likes tea"), origin="api")
        await memories.forget(1)
        same = "the safe   OPENS with ‘zanzibarquartz’!"
        for content, quote in (
            (same, ""),
            (f"So. {same} Yes.", ""),
            ("The code", QUOTE),
            ("The code", f"Hm. {QUOTE}?"),
            ("The code", f"By the way, {QUOTE}, as I said"),
        ):
            with pytest.raises(Forgotten):
                await memories.add(Candidate(content, quote=quote), origin="extraction")
            with pytest.raises(Forgotten):
                await memories.supersede(2, Candidate(content, quote=quote), origin="extraction")
        with pytest.raises(Forgotten):
            await memories.change(2, origin="api", content=same)
        assert (await memories.listed())[1] == 1

    using(tmp_path, work)
    using(tmp_path, refused_after_a_restart)


async def refused_after_a_restart(db: Database, memories: Memories) -> None:
    with pytest.raises(Forgotten):
        await memories.add(Candidate(SECRET), origin="api")


def test_a_short_quote_is_only_erased_where_it_was_said(tmp_path: Path) -> None:
    async def work(db: Database, memories: Memories) -> None:
        number = await said(db, "Yes. And tea.")
        other = await said(db, "Oh yes. Why not?")
        await memories.add(Candidate("Sells the old house", quote="Yes", exchange_id=number), origin="api")
        await memories.forget(1)
        kept = {n: exchange.user for n, exchange in await db.read(exchanges.inbox)}
        assert kept == {number: "And tea.", other: "Oh yes. Why not?"}
        await memories.add(Candidate("Likes tea", quote="Yes"), origin="api")

    using(tmp_path, work)


def test_a_short_text_that_was_stated_is_erased_where_it_was_said(tmp_path: Path) -> None:
    """Its exchange is stored after it, and so the memory does not have its number."""

    async def work(db: Database, memories: Memories) -> None:
        await memories.add(Candidate("Quartz.", quote="Remember: quartz"), origin="notice")
        now = FakeClock().now
        for at, session, user, reply in (
            (now - 9, "c", "Quartz is a mineral.", "So it is."),
            (now + 1, "c", "Well. Remember: quartz", "Noted."),
            (now + 2, "c", "And now?", "You said “Remember: quartz”. Good."),
            (now + 3, "d", "Quartz is a mineral. Quartz!", "So it is."),
        ):
            exchange = Exchange(session, user, reply, at)
            await db.put(partial(exchanges.add, exchange=exchange))
        await memories.forget(1)
        assert [(e.user, e.reply) for _, e in await db.read(exchanges.inbox)] == [
            ("Quartz is a mineral.", "So it is."),
            ("Well.", "Noted."),
            ("And now?", "Good."),
            ("Quartz is a mineral.", "So it is."),
        ]

    using(tmp_path, work)


def test_a_log_that_another_program_reads_is_emptied_when_it_is_asked_for_again(tmp_path: Path) -> None:
    async def work(db: Database, memories: Memories) -> None:
        await db.read(lambda opened: opened.execute("pragma busy_timeout = 0").fetchall())
        await memories.add(Candidate(SECRET), origin="api", durable=True)
        with closing(sqlite3.connect(tmp_path / "m.db", isolation_level=None)) as other:
            other.execute("begin")
            other.execute("select * from memories").fetchall()
            with pytest.raises(StoreError, match="another program"):
                await memories.forget(1)
            assert b"zanzibar" in on_disk(tmp_path)
        await memories.forget(1)
        assert b"zanzibar" not in on_disk(tmp_path)

    using(tmp_path, work)


def test_what_waits_to_be_searchable_is_found_without_it(tmp_path: Path) -> None:
    async def work(db: Database, memories: Memories) -> None:
        number = await said(db, f"Hello. {QUOTE}")
        waiting = [
            Passage(messages.id_of(number, reply=False), f"Hello. {QUOTE}", b"vector", 1, codes=b"codes"),
            Passage(messages.id_of(number, reply=True), "Noted.", b"vector", 1, codes=b"codes"),
        ]
        await memories.add(Candidate(SECRET, quote=QUOTE), origin="notice")
        await memories.forget(1)
        await db.write(partial(messages.add, passages=waiting))
        await db.checkpoint()
        assert b"zanzibar" not in on_disk(tmp_path)
        assert await db.read(partial(messages.without_vectors, space=1, limit=9)) == [(2 * number, "Hello.", False)]

    using(tmp_path, work)


def test_a_crash_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    """Also what was summed up of it, and noted."""
    decided = SessionContext("c", 1.0, 1.0, decisions=(SECRET, "Buy a safe"))

    async def copies() -> list[Path]:
        db = await Database.open(tmp_path / "memory.db", commit_seconds=0)
        memories = Memories(db, clock=FakeClock())
        await said(db, QUOTE)
        await db.write(partial(conversations.fold, name="c", keep=0, summary=f"- {SECRET}."))
        await db.write(partial(attention.save, context=decided))
        await memories.add(Candidate(SECRET, quote=QUOTE), origin="notice")
        found = await at_every_write(db, tmp_path, lambda: memories.forget(1))
        await db.close()
        return found

    states = [known(copy / "memory.db") for copy in asyncio.run(copies())]
    old, new = (SECRET, QUOTE, f"- {SECRET}.", (SECRET, "Buy a safe"), True), ("", "", "", ("Buy a safe",), False)
    assert (states[0], states[-1], len(states) > 10) == (old, new, True)
    assert all(state in (old, new) for state in states)


def known(path: Path) -> tuple[object, ...]:
    async def read() -> tuple[object, ...]:
        db = await Database.open(path)
        (memory,), _ = await Memories(db, clock=FakeClock()).listed(Filter(valid=None))
        ((_, exchange),) = await db.read(exchanges.inbox)
        rows = await db.read(lambda opened: opened.execute("select summary from windows").fetchall())
        (context,) = await db.read(partial(attention.load, limit=9))
        is_there = b"zanzibar" in b"".join(file.read_bytes() for file in path.parent.glob("memory.db*"))
        await db.close()
        return memory.content, exchange.user, rows[0][0], context.decisions, is_there

    return asyncio.run(read())


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("A. My pin is 1. B.", "my PIN is 1", "A. B."),
        ("My pin\nis 1", "my pin is 1", ""),
        ("Well, my pin is 1, you know? Bye", "my pin is 1", "Bye"),
        ("One. Two. Three.", "One. Two.", "Three."),
        ("my pin is 12", "my pin is 1", "my pin is 12"),
        ("Café au lait!", "CAFÉ AU LAIT", ""),
        ("*my* _pin_ is: 1", "my pin is 1", ""),
        ("v1.2 is out. Fine.", "v1.2 is out", "Fine."),
        ("anything", "?!", "anything"),
    ],
)
def test_the_sentence_goes_and_the_rest_stays(text: str, gone: str, left: str) -> None:
    assert without(text, forgotten(gone)) == left


@given(st.text(), st.text())
def test_what_is_erased_is_not_there_any_more(text: str, gone: str) -> None:
    left = without(f"{text} {gone} {text}", forgotten(gone))
    assert without(left, forgotten(gone)) == left


@given(st.text(min_size=1))
def test_a_text_states_what_it_states_whatever_its_case(text: str) -> None:
    assert normal(text) == normal(f"  {text}  ")
    assert not facts(text) or states(text, forgotten(text))


def forgotten(text: str) -> Callable[[Key], bool]:
    return {fact.key for fact in facts(text)}.__contains__
