"""Recent focus as a whole: tags come in, the file goes out, hand edits come back. Real database, real file."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pi_memory.config import Config
from pi_memory.errors import Conflict, NotFound
from pi_memory.focus import topics
from pi_memory.focus.document import MAX_ACTIVE
from pi_memory.focus.patterns import load_patterns
from pi_memory.focus.recent import RecentFocus
from pi_memory.focus.settling import PATIENCE
from pi_memory.focus.tagger import EvidenceTagger
from pi_memory.focus.tagging import Tagged
from pi_memory.store import events, exchanges
from pi_memory.store import topics as rows
from pi_memory.store.database import Database
from pi_memory.turn import Exchange, Tag, ToolCall, Topic
from tests.fakes import FakeClock


@dataclass
class Desk:
    """A user at work: a focus, its clock, its file."""

    folder: Path
    focus: RecentFocus
    db: Database
    clock: FakeClock
    told: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "memory" / "RECENT_FOCUS.md"

    async def work(self, path: str, *, session: str = "s", message: str = "change this") -> Tagged:
        call = ToolCall("edit", {"file_path": path})
        exchange = Exchange(session, message, "done", self.clock(), tool_calls=(call,), source="activity")
        number = await self.db.write(lambda db: exchanges.add(db, exchange))
        return await self.focus.tag(exchange, exchange_id=number)

    def edit(self, *changes: tuple[str, str]) -> None:
        """Replace text in the file, as an editor that saves a new file over the old one."""
        text = self.file.read_text()
        for old, new in changes:
            assert old in text, f"{old!r} is not in:\n{text}"
            text = text.replace(old, new)
        saved = self.file.with_name("saved")
        saved.write_text(text)
        saved.replace(self.file)

    def names(self) -> list[str]:
        return [topic.name for topic in self.focus.active(self.clock())]


@contextlib.asynccontextmanager
async def desk(folder: Path, clock: FakeClock) -> AsyncIterator[Desk]:
    db = await Database.open(folder / "m.db", now=clock())
    tagger = EvidenceTagger(load_patterns(Config().file("topics.toml")))
    focus = RecentFocus(db, folder / "memory" / "RECENT_FOCUS.md", tagger=tagger, clock=clock, settle=SETTLE)
    sat = Desk(folder, focus, db, clock)
    focus.on_edit = sat.told.append
    await focus.start()
    try:
        yield sat
    finally:
        await focus.close()
        await db.close()


def at_desk(folder: Path, clock: FakeClock, work: Callable[[Desk], Awaitable[None]]) -> None:
    async def main() -> None:
        async with desk(folder, clock) as sat:
            await work(sat)

    asyncio.run(main())


SETTLE = 0.03
"""Seconds after which the file is taken for saved: short, so that no test waits."""

PUMP, AUTH = "/home/me/garden/pump.py", "/home/me/shop/auth/login.py"


def test_work_appears_in_the_file(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        tagged = await sat.work(PUMP)
        assert tagged.written
        assert tagged.file_paths == (PUMP,)
        text = sat.file.read_text()
        assert f"- **{tagged.topic}** | 1 session | last: just now | strength: 1.00" in text
        assert "  files: pump.py\n  dirs: /home/me/garden/" in text

    at_desk(tmp_path, clock, work)


def test_the_same_tag_again_is_not_written_until_the_topic_has_begun_to_fade(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        assert (await sat.work(PUMP)).written
        assert not (await sat.work(PUMP)).written
        clock.pass_time(days=2)
        assert (await sat.work(PUMP)).written
        (topic,) = sat.focus.all()
        assert (topic.touch_count, topic.session_count, topic.last_touched_at) == (2, 1, clock())

    at_desk(tmp_path, clock, work)


def test_a_session_counts_once_for_a_topic_also_across_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    async def first(sat: Desk) -> None:
        await sat.work(AUTH, session="a")
        await sat.work(AUTH, session="b")

    async def second(sat: Desk) -> None:
        await sat.work(AUTH, session="b")
        (topic,) = sat.focus.all()
        assert topic.session_count == 2

    at_desk(tmp_path, clock, first)
    at_desk(tmp_path, clock, second)


def test_hand_edits_are_taken_in_and_kept_across_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        garden, auth = (await sat.work(PUMP)).topic, (await sat.work(AUTH)).topic
        await sat.focus.write_file()
        sat.edit(
            (f"**{garden}**", "**irrigation**"), ("login.py", "signin.py"), ("# Recent Focus\n", "# Recent Focus\n")
        )
        await sat.focus.read_file()
        assert set(sat.names()) == {"irrigation", auth}
        assert sat.focus.get("irrigation").file_paths == (PUMP,)
        assert sat.focus.get(str(auth)).file_paths == ("signin.py",)
        assert len(sat.told) == 1
        assert "irrigation" in sat.told[0]

    async def later(sat: Desk) -> None:
        assert "irrigation" in sat.names()

    at_desk(tmp_path, clock, work)
    at_desk(tmp_path, clock, later)


def test_an_edit_made_while_we_were_off_is_taken_in_at_the_start(tmp_path: Path, clock: FakeClock) -> None:
    names: list[str] = []

    async def first(sat: Desk) -> None:
        names.append(str((await sat.work(PUMP)).topic))

    async def second(sat: Desk) -> None:
        assert sat.names() == ["orchard"]

    at_desk(tmp_path, clock, first)
    file = tmp_path / "memory" / "RECENT_FOCUS.md"
    file.write_text(file.read_text().replace(names[0], "orchard"))
    at_desk(tmp_path, clock, second)


def test_a_topic_tagged_since_the_file_was_written_is_not_lost_to_an_edit(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        garden = (await sat.work(PUMP)).topic
        auth = (await sat.work(AUTH)).topic
        assert str(auth) not in sat.file.read_text(), "it was written just now and waits"
        sat.edit((f"- **{garden}**", "- **beekeeping**\n\n- **old**"), ("**old**", f"**{garden}**"))
        await sat.focus.write_file()
        assert set(sat.names()) == {"beekeeping", garden, auth}
        assert all(name in sat.file.read_text() for name in sat.names())

    at_desk(tmp_path, clock, work)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"just some text\n", None])
def test_a_ruined_file_changes_nothing_and_is_written_again(
    tmp_path: Path, clock: FakeClock, content: bytes | None
) -> None:
    async def work(sat: Desk) -> None:
        await sat.work(PUMP)
        before = sat.file.read_text()
        if content is None:
            sat.file.unlink()
        else:
            sat.file.write_bytes(content)
        await sat.focus.read_file()
        assert sat.file.read_text() == before
        rejected = sat.file.with_name("RECENT_FOCUS.md.rejected")
        assert (rejected.read_bytes() if rejected.exists() else None) == content

    at_desk(tmp_path, clock, work)


def test_a_lost_database_is_rebuilt_from_the_file(tmp_path: Path, clock: FakeClock) -> None:
    names: list[str] = []

    async def first(sat: Desk) -> None:
        for session in "abcd":
            names.append(str((await sat.work(PUMP, session=session)).topic))

    async def second(sat: Desk) -> None:
        (topic,) = sat.focus.all()
        assert (topic.name, topic.session_count, topic.file_paths) == (names[0], 4, (PUMP,))

    at_desk(tmp_path, clock, first)
    for left in tmp_path.glob("m.db*"):
        left.unlink()
    at_desk(tmp_path, clock, second)


def test_topics_fade_and_come_back(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        topic = str((await sat.work(PUMP)).topic)
        clock.pass_time(days=29)
        assert sat.names() == []
        assert await sat.focus.fade() == 1
        assert not sat.focus.get(topic).is_active
        await sat.work(PUMP, session="t")
        assert sat.names() == [topic]
        history = await sat.db.read(lambda db: events.of(db, topic))
        assert [event.kind for event in history] == ["topic.returned", "topic.faded", "topic.added"]

    at_desk(tmp_path, clock, work)


def test_changes_by_the_api_are_in_the_file_when_they_return(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        assert "**garden**" in sat.file.read_text()
        await sat.focus.rename("garden", "irrigation")
        assert "**irrigation**" in sat.file.read_text()
        assert "garden**" not in sat.file.read_text()
        await sat.focus.drop("irrigation")
        assert "irrigation" not in sat.file.read_text()
        with pytest.raises(NotFound):
            await sat.focus.drop("never")

    at_desk(tmp_path, clock, work)


def test_a_rename_onto_another_topic_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("a1")
        await sat.focus.put("b1")
        with pytest.raises(Conflict):
            await sat.focus.rename("a1", "b1")

    at_desk(tmp_path, clock, work)


def test_files_are_found_by_a_part_of_their_path(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        await sat.focus.put("auth", file_paths=[AUTH])
        assert sat.focus.files("pump", clock()) == [PUMP]
        assert sat.focus.files("zebra", clock()) == []

    at_desk(tmp_path, clock, work)


def test_a_folder_that_cannot_be_written_is_a_problem_and_not_an_end(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "memory").write_text("in the way")

    async def work(sat: Desk) -> None:
        assert (await sat.work(PUMP)).written
        assert "cannot write" in str(sat.focus.problem)

    at_desk(tmp_path, clock, work)


def test_chatter_leaves_no_trace(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        exchange = Exchange("s", "thanks!", "You are welcome.", clock())
        assert await sat.focus.tag(exchange, exchange_id=1) == Tagged(None)
        assert sat.focus.all() == []

    at_desk(tmp_path, clock, work)


async def pieces(file: Path, *texts: str, pause: float) -> None:
    """Save in place, as many editors do: cut the file to nothing, write, with pauses."""
    with file.open("w") as saving:
        for text in texts:
            saving.write(text)
            saving.flush()
            await asyncio.sleep(pause)


def test_an_edit_that_is_saved_in_place_is_neither_rejected_nor_written_over(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        edited = sat.file.read_text().replace("**garden**", "**orchard**")
        saving = asyncio.create_task(pieces(sat.file, "", edited, pause=2 * SETTLE))
        await asyncio.sleep(0)
        await sat.focus.put("auth")
        await saving
        await sat.focus.write_file()
        assert set(sat.names()) == {"orchard", "auth"}
        assert "**orchard**" in sat.file.read_text()
        assert "**auth**" in sat.file.read_text()
        assert not sat.file.with_name("RECENT_FOCUS.md.rejected").exists()

    at_desk(tmp_path, clock, work)


def test_a_file_that_is_cut_at_the_end_of_a_line_while_it_is_saved_removes_nothing(
    tmp_path: Path, clock: FakeClock
) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        await sat.focus.put("auth", file_paths=[AUTH])
        clock.pass_time(days=3)
        text = sat.file.read_text()
        cut = text.index("\n\n- **garden**")
        saving = asyncio.create_task(pieces(sat.file, text[:cut] + "\n", text[cut + 1 :], pause=1.4 * SETTLE))
        await asyncio.sleep(0)
        await sat.focus.read_file()
        await saving
        await sat.focus.read_file()
        assert {round(topic.last_touched_at) for topic in sat.focus.all()} == {round(clock() - 3 * 86_400)}
        history = await sat.db.read(lambda db: events.of(db, "garden"))
        assert [event.kind for event in history] == ["topic.added"]

    at_desk(tmp_path, clock, work)


def test_a_file_that_is_still_open_is_not_taken_for_cut(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        await sat.focus.put("auth", file_paths=[AUTH])
        text = sat.file.read_text()
        cut = text.index("\n\n- **garden**")
        saving = asyncio.create_task(pieces(sat.file, text[:cut] + "\n", text[cut + 1 :], pause=4 * SETTLE))
        await asyncio.sleep(0)
        await sat.focus.read_file()
        await saving
        assert set(sat.names()) == {"garden", "auth"}
        history = await sat.db.read(lambda db: events.of(db, "garden"))
        assert [event.kind for event in history] == ["topic.added"]

    at_desk(tmp_path, clock, work)


def test_a_save_from_an_editor_that_opened_an_older_text_removes_nothing_that_came_since(
    tmp_path: Path, clock: FakeClock
) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        await sat.focus.put("auth", file_paths=[AUTH])
        opened = sat.file.read_text()
        for name in ("beekeeping", "kitchen"):
            clock.pass_time(minutes=10)
            await sat.focus.put(name)
        saved = sat.file.with_name("saved")
        saved.write_text(opened.replace("**garden**", "**orchard**") + "\nask Ana\n")
        saved.replace(sat.file)
        await sat.focus.read_file()
        assert set(sat.names()) == {"orchard", "auth", "beekeeping", "kitchen"}
        saved.write_text(opened.replace("**auth**", "**login**").replace("**garden**", "**orchard**"))
        saved.replace(sat.file)
        await sat.focus.read_file()
        assert set(sat.names()) == {"orchard", "login", "beekeeping", "kitchen"}
        await sat.focus.write_file()
        assert all(f"**{name}**" in sat.file.read_text() for name in sat.names())
        assert "ask Ana" not in sat.file.read_text(), "taken out by the second save"

    at_desk(tmp_path, clock, work)


def test_topics_that_the_file_has_no_room_for_are_not_taken_for_removed(tmp_path: Path, clock: FakeClock) -> None:
    async def first(sat: Desk) -> None:
        names = [f"subject-{letter}{other}" for letter in "abcdefghij" for other in "klmnopqrst"]
        known = [Topic(name, 0.0, clock() - n) for n, name in enumerate(names)]
        for topic in known:
            sat.db.write(partial(rows.save, topic=topic))

    async def second(sat: Desk) -> None:
        assert sat.file.read_text().count("- **") == MAX_ACTIVE
        sat.edit(("- **subject-ak**", "- **first**"), ("- **subject-am**", "<!-- not now -->\n- **subject-am**"))
        await sat.focus.read_file()
        await sat.focus.put("subject-jt")
        assert len(sat.names()) == 100
        assert {"first", "subject-jt", "subject-js"} <= set(sat.names())
        assert "**subject-jt**" in sat.file.read_text()
        assert "more topics are not shown" in sat.file.read_text()

    at_desk(tmp_path, clock, first)
    at_desk(tmp_path, clock, second)


def test_without_a_text_that_both_had_nothing_is_removed(tmp_path: Path, clock: FakeClock) -> None:
    async def first(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        await sat.focus.put("auth", file_paths=[AUTH])

    async def second(sat: Desk) -> None:
        assert set(sat.names()) == {"garden", "auth", "kitchen"}
        assert sat.focus.get("garden").file_paths == (PUMP, "valve.py")

    at_desk(tmp_path, clock, first)
    with closing(sqlite3.connect(tmp_path / "m.db")) as db, db:
        db.execute("delete from state where key = 'focus file'")
    (tmp_path / "memory" / "RECENT_FOCUS.md").write_text("# Recent Focus\n\n- garden\n  files: valve.py\n- kitchen\n")
    at_desk(tmp_path, clock, second)


def test_the_notes_of_a_topic_go_with_it_when_it_is_renamed(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden")
        sat.edit(("- **garden**", "- **garden** ask Ana"))
        await sat.focus.read_file()
        await sat.focus.rename("garden", "orchard")
        assert "- **orchard** | 1 session | last: just now | strength: 1.00\n  ask Ana\n" in sat.file.read_text()

    at_desk(tmp_path, clock, work)


def test_a_stop_leaves_a_file_alone_that_is_being_saved(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        saving = asyncio.create_task(pieces(sat.file, *"# Recent Focus by hand" * 5, pause=SETTLE / 2))
        await asyncio.sleep(0)
        await sat.focus.put("auth")
        began = asyncio.get_running_loop().time()
        await sat.focus.close()
        assert asyncio.get_running_loop().time() - began < 4 * PATIENCE * SETTLE
        assert "auth" not in sat.file.read_text()
        saving.cancel()

    at_desk(tmp_path, clock, work)


def test_a_cancelled_writing_does_not_make_our_text_a_hand_edit(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        for milliseconds in range(12):
            await sat.focus.put("garden")
            dropping = asyncio.create_task(sat.focus.drop("garden"))
            await asyncio.sleep(milliseconds / 1_000)
            dropping.cancel()
            await asyncio.wait([dropping])
            await sat.focus.put("garden")
            assert sat.names() == ["garden"], "that it was missing from the file was no wish of the user's"

    at_desk(tmp_path, clock, work)


def test_nothing_is_read_or_written_before_the_start(tmp_path: Path, clock: FakeClock) -> None:
    async def main() -> None:
        db = await Database.open(tmp_path / "m.db", now=clock())
        tagger = EvidenceTagger(load_patterns(Config().file("topics.toml")))
        focus = RecentFocus(db, tmp_path / "FOCUS.md", tagger=tagger, clock=clock)
        await focus.read_file()
        await focus.write_file()
        await focus.end_sessions(["s"])
        assert not (tmp_path / "FOCUS.md").exists()
        await focus.close()
        await db.close()

    asyncio.run(main())


def test_sessions_that_end_together_write_the_file_once(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.work(PUMP, session="a")
        await sat.work(AUTH, session="b")
        await sat.focus.end_sessions(["a", "b"])
        assert all(f"**{name}**" in sat.file.read_text() for name in sat.names())
        written = sat.file.stat()
        clock.pass_time(days=1)
        await sat.focus.end_sessions([])
        assert sat.file.stat().st_mtime_ns == written.st_mtime_ns

    at_desk(tmp_path, clock, work)


DEDUP = "/srv/app/src/memory/dedup.py"


def test_a_renamed_topic_keeps_its_name_when_work_goes_on(tmp_path: Path, clock: FakeClock) -> None:
    async def by_file(sat: Desk) -> None:
        assert (await sat.work(DEDUP)).topic == "memory"
        sat.edit(("**memory**", "**brain**"))
        await sat.focus.read_file()
        assert (await sat.work(DEDUP, message="dedup the memory")).topic == "brain"
        assert sat.names() == ["brain"]

    async def after_a_restart(sat: Desk) -> None:
        assert (await sat.work("/srv/app/src/memory/other.py", session="u")).topic == "brain"
        await sat.focus.rename("brain", "mind")
        assert (await sat.work(DEDUP, session="u")).topic == "mind"
        await sat.focus.put("memory", file_paths=[DEDUP])
        assert (await sat.work(DEDUP, session="u", message="dedup the memory")).topic == "memory"

    at_desk(tmp_path, clock, by_file)
    at_desk(tmp_path, clock, after_a_restart)


class Slow(EvidenceTagger):
    """Lets something happen while it thinks."""

    async def meanwhile(self) -> None: ...

    async def tag(self, *args: Any, **kwargs: Any) -> Tag:
        tag = await super().tag(*args, **kwargs)
        await self.meanwhile()
        return tag


def test_a_rename_while_an_exchange_is_tagged_is_kept(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        async def rename() -> None:
            await sat.focus.rename("memory", "brain")

        await sat.work(DEDUP)
        slow = Slow(load_patterns(Config().file("topics.toml")))
        sat.focus.work.tagger, slow.meanwhile = slow, rename  # type: ignore[method-assign]
        assert (await sat.work("/srv/app/src/memory/other.py")).topic == "brain"
        assert sat.names() == ["brain"]

    at_desk(tmp_path, clock, work)


def test_a_topic_with_far_too_many_files_is_cut_to_the_newest(tmp_path: Path, clock: FakeClock) -> None:
    many = [*(f"/a{i}/b/x.py" for i in range(20_000)), "", "  ", "/z/bad\nname.py", "/z/" + "y" * 5_000]

    async def work(sat: Desk) -> None:
        topic = await sat.focus.put("big", file_paths=many, directories=[f"/a{i}/" for i in range(5_000)])
        assert (len(topic.file_paths), len(topic.directories)) == (topics.MAX_FILES, topics.MAX_DIRECTORIES)
        assert topic.file_paths[-2:] == ("/a19999/b/x.py", "/z/badname.py")
        await sat.db.write(lambda db: rows.save(db, replace(topic, file_paths=tuple(many))))

    async def later(sat: Desk) -> None:
        assert len(sat.focus.get("big").file_paths) == topics.MAX_FILES

    at_desk(tmp_path, clock, work)
    at_desk(tmp_path, clock, later)


@pytest.mark.parametrize("unset", [0.0, 1_700_000_000.0])
def test_what_is_done_before_the_clock_is_set_has_not_faded_when_it_is(
    tmp_path: Path, clock: FakeClock, unset: float
) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden")
        clock.now, right = unset, clock.now + 3_600
        auth = (await sat.work(AUTH)).topic
        await sat.focus.put("kitchen")
        assert await sat.focus.fade() == 0
        clock.now = right
        assert set(sat.names()) == {"garden", "kitchen", auth}
        assert all(right - 3_600 <= topic.last_touched_at <= right for topic in sat.focus.all())

    at_desk(tmp_path, clock, work)


def test_a_topic_of_a_clock_that_was_ahead_is_put_right_by_work_on_it(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        now = clock()
        clock.pass_time(days=900)
        await sat.work(AUTH)
        clock.now = now + 60
        await sat.work(AUTH, session="t")
        assert [topic.last_touched_at for topic in sat.focus.all()] == [now + 60]

    at_desk(tmp_path, clock, work)


def test_a_touch_from_the_future_counts_as_now(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        now = clock()
        clock.pass_time(days=3_000)
        exchange = Exchange("s", f"change {PUMP}", "done", clock())
        clock.now = now
        number = await sat.db.write(lambda db: exchanges.add(db, exchange))
        await sat.focus.tag(exchange, exchange_id=number)
        assert [topic.last_touched_at for topic in sat.focus.all()] == [now]

    at_desk(tmp_path, clock, work)


def test_a_session_is_not_idle_while_something_is_said_in_it(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.work(PUMP)
        clock.pass_time(minutes=50)
        assert not (await sat.work(PUMP)).written
        assert sat.focus.idle_sessions(clock() - 60) == []
        clock.pass_time(minutes=50)
        await sat.focus.tag(Exchange("s", "thanks!", "You are welcome.", clock()), exchange_id=9)
        assert sat.focus.idle_sessions(clock() - 60) == []
        assert sat.focus.idle_sessions(clock() + 60) == ["s"]

    at_desk(tmp_path, clock, work)


def test_an_edit_that_is_saved_to_the_file_we_have_replaced_is_taken_in(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        await sat.focus.put("auth", file_paths=[AUTH])
        edited = sat.file.read_text().replace("**garden**", "**orchard**")
        with sat.file.open("r+") as editor:
            await sat.focus.put("new")
            editor.truncate()
            editor.write(edited)
        await sat.focus.read_file()
        assert set(sat.names()) == {"orchard", "auth", "new"}
        assert all(f"**{name}**" in sat.file.read_text() for name in sat.names())

    at_desk(tmp_path, clock, work)
