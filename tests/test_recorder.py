"""What is worked on is found and recorded once, by whatever clock."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pi_memory.decay import DAY
from pi_memory.focus.recorder import Tagged
from pi_memory.store import exchanges
from pi_memory.store import topics as rows
from pi_memory.topics import names
from pi_memory.types import Exchange, Tag
from tests.desk import AUTH, PUMP, Desk, at_desk
from tests.fakes import FakeClock


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


def test_chatter_leaves_no_trace(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        exchange = Exchange("s", "thanks!", "You are welcome.", clock())
        assert await sat.focus.tag(exchange, exchange_id=1) == Tagged(None)
        assert sat.focus.all() == []

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


def test_a_rename_while_an_exchange_is_tagged_is_kept(tmp_path: Path, clock: FakeClock) -> None:
    async def work(sat: Desk) -> None:
        async def rename() -> None:
            await sat.focus.rename("memory", "brain")

        await sat.work(DEDUP)
        by_rules = sat.tagger.tag

        async def slow(*args: Any, **kwargs: Any) -> Tag:
            tag = await by_rules(*args, **kwargs)
            await rename()
            return tag

        sat.tagger.tag = slow  # type: ignore[method-assign]
        assert (await sat.work("/srv/app/src/memory/other.py")).topic == "brain"
        assert sat.names() == ["brain"]

    at_desk(tmp_path, clock, work)


def test_a_topic_with_far_too_many_files_is_cut_to_the_newest(tmp_path: Path, clock: FakeClock) -> None:
    many = [*(f"/a{i}/b/x.py" for i in range(20_000)), "", "  ", "/z/bad\nname.py", "/z/" + "y" * 5_000]

    async def work(sat: Desk) -> None:
        topic = await sat.focus.put("big", file_paths=many, directories=[f"/a{i}/" for i in range(5_000)])
        assert (len(topic.file_paths), len(topic.directories)) == (names.MAX_FILES, names.MAX_DIRECTORIES)
        assert topic.file_paths[-2:] == ("/a19999/b/x.py", "/z/badname.py")
        await sat.db.write(lambda db: rows.save(db, replace(topic, file_paths=tuple(many))))

    async def later(sat: Desk) -> None:
        assert len(sat.focus.get("big").file_paths) == names.MAX_FILES

    at_desk(tmp_path, clock, work)
    at_desk(tmp_path, clock, later)


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


class Running(FakeClock):
    """Goes on between two looks at it, as clocks do."""

    def __call__(self) -> float:
        self.pass_time(seconds=0.001)
        return self.now


def test_an_exchange_has_its_own_date(tmp_path: Path) -> None:
    async def work(sat: Desk) -> None:
        exchange = Exchange("s", f"change {PUMP}", "done", sat.clock.now - DAY)
        await sat.focus.tag(exchange, exchange_id=1)
        assert [topic.last_touched_at for topic in sat.focus.all()] == [exchange.at]

    at_desk(tmp_path, Running(), work)
