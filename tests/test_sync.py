"""RECENT_FOCUS.md and the topics in step while editors save it, in the ways that they do. Real files."""

import asyncio
from pathlib import Path

import pytest

from pi_memory.config import Config
from pi_memory.focus.recent_focus import RecentFocus
from pi_memory.focus_file import sync
from pi_memory.focus_file.stability import PATIENCE
from pi_memory.store import events
from pi_memory.store.database import Database
from pi_memory.tagging.tagger import EvidenceTagger, TaggerLoader
from pi_memory.tagging.topic_patterns import load_patterns
from pi_memory.worker import Worker
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


async def long_since(sat: Desk) -> str:
    """A text that an editor has had open for so long that nobody knows it any more."""
    await sat.focus.put("garden", file_paths=[PUMP])
    opened = sat.file.read_text()
    for name in (f"topic-{letter}{other}" for letter in "abcde" for other in "fghi"):
        clock = sat.clock
        assert isinstance(clock, FakeClock)
        clock.pass_time(minutes=1)
        await sat.focus.put(name)
    return opened


def test_a_save_of_a_text_that_nobody_knows_any_more_adds_and_renames_and_removes_nothing(
    tmp_path: Path, clock: FakeClock
) -> None:
    async def work(sat: Desk) -> None:
        opened = await long_since(sat)
        before = set(sat.names())
        sat.file.write_text(opened.replace("**garden**", "**orchard**") + "- kitchen\n")
        await sat.focus.read_file()
        assert set(sat.names()) == before - {"garden"} | {"orchard", "kitchen"}
        sat.file.write_text(opened.replace("pump.py", "valve.py").replace("**garden**", "**orchard**"))
        await sat.focus.read_file()
        assert set(sat.focus.get("orchard").file_paths) == {"valve.py"}, "this text is known now"

    at_desk(tmp_path, clock, work)


def test_a_save_over_a_restart_removes_nothing(tmp_path: Path, clock: FakeClock) -> None:
    opened: list[str] = []

    async def first(sat: Desk) -> None:
        await sat.focus.put("garden")
        opened.append(sat.file.read_text())
        clock.pass_time(minutes=1)
        await sat.focus.put("auth", file_paths=[AUTH])

    async def second(sat: Desk) -> None:
        sat.file.write_text(f"{opened[0]}\nask Ana\n")
        await sat.focus.read_file()
        assert set(sat.names()) == {"garden", "auth"}
        assert sat.focus.get("auth").file_paths == (AUTH,)
        assert "ask Ana" in sat.file.read_text()

    at_desk(tmp_path, clock, first)
    at_desk(tmp_path, clock, second)


def test_an_old_text_brings_nothing_back_that_is_gone_since(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        opened = await long_since(sat)
        await sat.focus.rename("garden", "orchard")
        sat.file.write_text(f"{opened}- **kitchen**\n")
        await sat.focus.read_file()
        assert {"orchard", "kitchen"} <= set(sat.names())
        assert "garden" not in sat.names()

    at_desk(tmp_path, clock, work)


def test_notes_of_two_editors_are_both_kept(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        opened = await long_since(sat)
        sat.file.write_text(f"{sat.file.read_text()}\n## Mine\nask Ana\n")
        await sat.focus.read_file()
        sat.file.write_text(f"{opened}\n## Mine\nask Ben\n")
        await sat.focus.read_file()
        text = sat.file.read_text()
        assert ("ask Ana" in text, "ask Ben" in text) == (True, True)

    at_desk(tmp_path, clock, work)


def test_after_a_late_save_the_file_has_every_topic_again(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden", file_paths=[PUMP])
        opened = sat.file.read_text()
        clock.pass_time(minutes=10)
        await sat.focus.put("auth")
        sat.file.write_text(opened.replace("**garden**", "**orchard**"))
        await sat.focus.read_file()
        assert all(f"**{name}**" in sat.file.read_text() for name in ("orchard", "auth"))
        settled = sat.file.stat()
        await sat.focus.read_file()
        assert sat.file.stat() == settled

    at_desk(tmp_path, clock, work)


def test_an_edit_below_a_misspelt_heading_counts_and_the_heading_is_put_right(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        await sat.focus.put("garden")
        sat.edit(
            ("# Recent Focus", "# Recnet Fokus"), ("## Active", "## Actve\n- kitchen"), ("**garden**", "**orchard**")
        )
        await sat.focus.read_file()
        assert set(sat.names()) == {"orchard", "kitchen"}
        text = sat.file.read_text()
        assert text.startswith("# Recent Focus\n> Auto")
        assert ("## Active" in text, "Actve" in text) == (True, False)
        assert not sat.file.with_name("RECENT_FOCUS.md.rejected").exists()

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
        focus = RecentFocus(db, tmp_path / "FOCUS.md", tagger=TaggerLoader(tagger), clock=clock)
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


def test_a_file_that_could_not_be_written_is_written_when_that_is_possible_again(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "RETRY", 0.02)
    (tmp_path / "memory").write_text("in the way")

    async def work(sat: Desk) -> None:
        await sat.focus.put("garden")
        assert "cannot write" in str(sat.focus.problem)
        (tmp_path / "memory").unlink()
        for _ in range(3_000):
            if sat.focus.problem is None:
                break
            await asyncio.sleep(0.01)
        assert "**garden**" in sat.file.read_text()

    at_desk(tmp_path, clock, work)
