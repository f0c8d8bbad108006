"""Recent focus as a whole: tags come in, the file goes out, hand edits come back. Real database, real file."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pi_memory.errors import Conflict, NotFound
from pi_memory.focus_file.document import MAX_ACTIVE
from pi_memory.store import events
from pi_memory.store import topics as rows
from pi_memory.types import Topic
from tests.desk import AUTH, PUMP, Desk, at_desk
from tests.fakes import FakeClock


def test_work_appears_in_the_file(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        tagged = await sat.work(PUMP)
        assert tagged.written
        assert tagged.file_paths == (PUMP,)
        text = sat.file.read_text()
        assert f"- **{tagged.topic}** | 1 session | last: just now | strength: 1.00" in text
        assert "  files: pump.py\n  dirs: /home/me/garden/" in text

    at_desk(tmp_path, clock, work)


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
        assert len(sat.announced) == 1
        assert "irrigation" in sat.announced[0]

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


def test_a_rename_to_the_same_name_changes_nothing(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        topic = await sat.focus.put("garden")
        assert await sat.focus.rename("garden", "garden") == topic
        assert sat.names() == ["garden"]

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
        assert sat.focus.files("PMUP", clock()) == [PUMP], "with a typo in four characters"
        assert sat.focus.files("zebra", clock()) == []

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
