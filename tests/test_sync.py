"""RECENT_FOCUS.md and the topics in step while editors save it, in the ways that they do. Real files."""

import asyncio
from pathlib import Path

import pytest

from pi_memory.config import Config
from pi_memory.embedding.worker import Worker
from pi_memory.focus.patterns import load_patterns
from pi_memory.focus.recent import RecentFocus
from pi_memory.focus.settling import PATIENCE
from pi_memory.focus.tagger import EvidenceTagger
from pi_memory.store import events
from pi_memory.store.database import Database
from tests.desk import AUTH, PUMP, SETTLE, Desk, at_desk
from tests.fakes import FakeClock


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
        tagger = EvidenceTagger(load_patterns(Config().file("topics.toml")), worker=Worker("compute"))
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


def test_a_folder_that_cannot_be_written_is_a_problem_and_not_an_end(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "memory").write_text("in the way")

    async def work(sat: Desk) -> None:
        assert (await sat.work(PUMP)).written
        assert "cannot write" in str(sat.focus.problem)

    at_desk(tmp_path, clock, work)
