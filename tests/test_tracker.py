"""Attention as a whole: it follows the work of each session, over pauses and jumps of the clock."""

from pathlib import Path

import pytest

from pi_memory.attention.sessions import IDLE
from pi_memory.errors import NotFound
from tests.fakes import FakeClock
from tests.mind import Mind, thinking


def test_attention_follows_what_is_worked_on(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("authentication", "/a/login.py")
        assert user.weights() == {
            "authentication": 0.95, "security": 0.3, "session": 0.25, "middleware": 0.2, "cookies": 0.15,
        }  # fmt: skip
        await user.work("garden")
        assert user.weights()["authentication"] == 0.665
        assert user.weights()["garden"] == 0.95
        known = user.attention.session("s")
        assert (known.topic, known.since, known.files) == ("garden", clock(), ())

    thinking(tmp_path, clock, work)


def test_a_child_brings_what_is_related_to_its_area(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("auth/login")
        assert user.weights()["security"] == 0.3

    thinking(tmp_path, clock, work)


def test_chatter_and_the_same_topic_leave_the_weights_alone(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("garden", "/g/a.py")
        before = user.weights()
        clock.pass_time(minutes=1)
        await user.work(None)
        await user.work("garden", "/g/b.py", "/g/a.py")
        known = user.attention.session("s")
        assert (user.weights(), known.since) == (before, clock() - 60)
        assert known.files == ("/g/b.py", "/g/a.py")

    thinking(tmp_path, clock, work)


def test_every_ten_minutes_of_active_work_the_others_wane(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("shop")
        await user.work("garden")
        for _ in range(4):
            clock.pass_time(minutes=4)
            await user.work("garden")
        assert user.weights() == {"shop": round(0.95 * 0.7 * 0.95, 4), "garden": 0.95}, "16 minutes"
        clock.pass_time(minutes=4)
        await user.work(None)
        assert user.weights()["shop"] == round(0.95 * 0.7 * 0.95 * 0.95, 4), "20 minutes"

    thinking(tmp_path, clock, work)


def test_a_pause_is_no_work(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("shop")
        await user.work("garden")
        before = user.weights()
        for _ in range(20):
            clock.pass_time(seconds=IDLE + 1)
            await user.work("garden")
        assert user.weights() == before

    thinking(tmp_path, clock, work)


def test_a_clock_that_jumps_back_changes_nothing_and_does_not_stop_time(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("shop")
        await user.work("garden")
        before = user.weights()
        clock.pass_time(days=-400)
        await user.work("garden", session="s")
        assert user.weights() == before
        clock.pass_time(minutes=10)
        await user.work("garden")
        assert user.weights()["shop"] == pytest.approx(before["shop"] * 0.95, abs=1e-4)
        await user.work("auth")
        (entry,) = [e for e in await user.attention.entries(user.attention.session("s")) if e.topic == "garden"]
        assert entry.seconds == 0

    thinking(tmp_path, clock, work)


def test_the_session_that_was_active_last_is_meant_also_after_the_clock_went_back(
    tmp_path: Path, clock: FakeClock
) -> None:
    async def work(user: Mind) -> None:
        await user.work("shop", session="a")
        clock.pass_time(days=-2)
        await user.work("garden", session="b")
        assert user.attention.session().session == "b"
        await user.work("shop", session="a")
        assert user.attention.session().session == "a"

    thinking(tmp_path, clock, work)


def test_topics_of_the_same_sessions_come_to_mind_together(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.worked_together("garden", "shop", sessions=2)
        await user.work("garden")
        assert "shop" not in user.weights()
        await user.worked_together("garden", "shop", "auth", sessions=3)
        await user.work("garden", session="t")
        assert user.weights("t") == {"garden": 0.95, "shop": 0.3, "auth": 0.24}

    thinking(tmp_path, clock, work)


def test_a_session_begins_with_the_stack_of_its_project(tmp_path: Path, clock: FakeClock) -> None:
    project = tmp_path / "app"
    project.mkdir()
    (project / "go.mod").write_text("module app")

    async def work(user: Mind) -> None:
        await user.work("garden")
        await user.work("garden", project=str(project))
        assert user.weights() == {"go": 0.3, "garden": 0.95}
        await user.work(None, session="t", project="app")
        assert user.weights("t") == {}
        begun = await user.attention.begin("s", project="app", directory=str(project))
        assert (begun.topic, user.weights()) == (None, {"go": 0.3})

    thinking(tmp_path, clock, work)


def test_an_unknown_session_has_no_attention(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        assert user.attention.boost("nobody", "the garden")(["garden"]) > 0, "the question names it"
        assert user.attention.boost(None)(["garden"]) == 0
        assert await user.attention.topics("nobody") == ()
        for act in (
            user.attention.focus(None, "x", ()),
            user.attention.decide("n", "x"),
            user.attention.apply("n", 1, ""),
        ):
            with pytest.raises(NotFound):
                await act
        with pytest.raises(NotFound):
            await user.attention.application(99)

    thinking(tmp_path, clock, work)


def test_a_question_that_names_another_topic_turns_to_it(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("shop")
        here, there = (user.attention.boost("s", q) for q in ("how do we deploy?", "how do we deploy the garden?"))
        assert here(["shop"]) > here(["garden"]) == 0
        assert there(["garden"]) > there(["shop"]) > 0

    thinking(tmp_path, clock, work)


def test_what_is_learned_is_filed_under_what_has_attention(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("auth")
        assert await user.attention.topics("s") == ("auth",)
        await user.work("garden")
        assert await user.attention.topics("s") == ("garden", "auth")
        await user.work("shop")
        assert await user.attention.topics("s") == ("shop", "garden")
        assert await user.attention.topics("s", "The SQL migrations run at night.") == ("database", "shop", "garden")
        assert await user.attention.topics(text="Passwords, JWT and sign-in: see the docs.") == ("auth", "docs")

    thinking(tmp_path, clock, work)


def test_the_project_has_attention_like_the_focus(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("auth", project="/home/me/Web Shop/")
        await user.work("auth", session="t", project="/")
        assert "web-shop" not in user.weights()
        assert await user.attention.topics("s") == ("web-shop", "auth")
        assert user.attention.boost("s")(["web-shop"]) == pytest.approx(0.475)
        assert user.attention.boost("s", "in the garden")(["web-shop"]) == pytest.approx(0.3325)
        assert await user.attention.topics("t") == ("auth",)
        await user.work("garden", session="u", project="orchard")
        assert user.attention.boost("u", "as in the web shop")(["web-shop"]) == pytest.approx(0.475)

    thinking(tmp_path, clock, work)


def test_a_renamed_topic_is_the_topic_it_was(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("garden")
        assert user.attention.boost("s")(["yard"]) == user.attention.boost("s")(["garden"]) > 0
        since = user.attention.session("s").since
        clock.pass_time(minutes=1)
        await user.work("yard")
        assert user.attention.session("s").since == since

    thinking(tmp_path, clock, work)


def test_related_topics_cost_no_more_after_years(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        def years(db) -> None:  # type: ignore[no-untyped-def]
            db.conn.executemany(
                "insert into sessions (name, source, started_at) values (?, 'activity', 0)",
                [(f"x{n}",) for n in range(5_000)],
            )
            db.conn.executemany(
                "insert into topics (name, first_seen_at, last_touched_at) values (?, 0, 0)",
                [(f"t{n}",) for n in range(10_000)],
            )
            db.conn.executemany(
                "insert into topic_sessions select ?, id from topics where name in (?, ?, ?)",
                [(n + 1, f"t{n % 9_000}", f"t{n % 9_000 + 1}", f"t{n % 7}") for n in range(5_000)],
            )

        await user.db.write(years)
        steps = 0

        def count() -> None:
            nonlocal steps
            steps += 1

        await user.db.read(lambda db: db.conn.set_progress_handler(count, 1_000))
        await user.work("t4900")
        assert 0 < steps < 400, "thousands of the virtual machine's steps: only the newest sessions are looked at"

    thinking(tmp_path, clock, work)
