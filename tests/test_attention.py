"""Attention as a whole: what sessions are in the middle of, over restarts, jumps of the clock and damaged rows."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_memory.config import Config
from pi_memory.errors import NotFound
from pi_memory.focus import contexts as module
from pi_memory.focus.attention import Attention
from pi_memory.focus.context import IDLE, MAX_DECISIONS, MAX_FILES
from pi_memory.focus.patterns import load_patterns
from pi_memory.focus.tagging import Tagged
from pi_memory.focus.weights import LEAST, MOST
from pi_memory.store import contexts, exchanges, topics
from pi_memory.store.database import Database
from pi_memory.turn import Exchange, Topic
from tests.fakes import FakeClock

PATTERNS = load_patterns(Config().file("topics.toml"))
KNOWN = {"garden", "auth", "shop"}


@dataclass
class Mind:
    """The attention of one user, its clock and its database."""

    attention: Attention
    db: Database
    clock: FakeClock

    async def work(self, topic: str | None, *files: str, session: str = "s", project: str | None = None) -> None:
        exchange = Exchange(session, "change it", "done", self.clock(), project=project, source="activity")
        await self.attention.attend(exchange, Tagged(topic, files))

    def weights(self, session: str = "s") -> dict[str, float]:
        return {name: round(w, 4) for name, w in self.attention.session(session).weights.items()}

    async def worked_together(self, *names: str, sessions: int) -> None:
        """Some earlier sessions in which these topics were worked on."""
        for number in range(sessions):
            exchange = Exchange(f"{names}-{number}", "x", "y", self.clock(), source="activity")
            await self.db.write(lambda db, e=exchange: exchanges.add(db, e))  # type: ignore[misc]
            for name in names:
                topic = Topic(name, self.clock(), self.clock())
                await self.db.write(lambda db, t=topic: topics.save(db, t))  # type: ignore[misc]
                await self.db.write(
                    lambda db, n=name, s=exchange.conversation_id: topics.join_session(db, n, s)  # type: ignore[misc]
                )


@contextlib.asynccontextmanager
async def mind(folder: Path, clock: FakeClock, *, crash: bool = False) -> AsyncIterator[Mind]:
    db = await Database.open(folder / "m.db", now=clock())
    attention = Attention(
        db, PATTERNS, knows=KNOWN.__contains__, called=lambda name: "garden" if name == "yard" else name, clock=clock
    )
    await attention.start()
    yield Mind(attention, db, clock)
    if not crash:
        await attention.close()
    await db.close()


def thinking(folder: Path, clock: FakeClock, *works: Callable[[Mind], Awaitable[None]], crash: bool = False) -> None:
    """Run each of `works`, with a restart in between; with `crash` not a clean one."""

    async def main() -> None:
        for work in works:
            async with mind(folder, clock, crash=crash) as user:
                await work(user)

    asyncio.run(main())


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


@pytest.mark.parametrize("crash", [False, True])
def test_the_session_survives_a_restart(tmp_path: Path, clock: FakeClock, crash: bool) -> None:
    seen: list[object] = []

    async def first(user: Mind) -> None:
        await user.work("shop", session="old")
        clock.pass_time(minutes=9)
        await user.work("auth", "/a.py")
        await user.attention.decide("s", "cookies, not tokens")
        await user.attention.apply("s", 7, "logging in")
        seen.append(user.attention.session())

    async def second(user: Mind) -> None:
        assert user.attention.session() == seen[0]
        assert [a.memory_id for a in await user.attention.applications(user.attention.session())] == [7]
        assert user.attention.boost("s")(["auth"]) == pytest.approx(0.475)

    thinking(tmp_path, clock, first, second, crash=crash)


def test_what_was_not_worth_a_write_goes_along_with_a_clean_stop(tmp_path: Path, clock: FakeClock) -> None:
    async def first(user: Mind) -> None:
        await user.work("garden", "/g/a.py")
        clock.pass_time(minutes=6)
        await user.work("garden", "/g/b.py")

    async def second(user: Mind) -> None:
        known = user.attention.session()
        assert (known.last_at, known.worked, known.files) == (clock(), 360, ("/g/a.py", "/g/b.py"))

    thinking(tmp_path, clock, first, second)


def test_a_turn_that_changes_nothing_writes_nothing(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("garden", "/g/a.py")
        changes = await user.db.read(lambda db: db.conn.total_changes)
        for number in range(9):
            clock.pass_time(minutes=1)
            await user.work("garden" if number % 2 else None, f"/g/{number}.py")
        assert await user.db.read(lambda db: db.conn.total_changes) == changes

    thinking(tmp_path, clock, work)


def test_a_focus_that_is_over_becomes_an_entry_with_its_outcome(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("shop", session="other")
        clock.pass_time(minutes=5)
        await user.work("garden")
        await user.attention.decide(None, "drip valves")
        await user.attention.decide(None, "at night")
        for memory in (4, 4, 5):
            await user.attention.apply("s", memory, "")
        clock.pass_time(minutes=45)
        await user.work("auth")
        entries = await user.attention.entries(user.attention.session("s"))
        assert [(e.topic, e.seconds, e.outcome, e.memories) for e in entries] == [
            ("shop", 0, None, 0),
            ("garden", 2_700, "at night", 2),
            ("auth", None, None, 0),
        ]
        assert user.attention.session("s").decisions == ()

    thinking(tmp_path, clock, work)


def test_only_the_last_entries_files_and_decisions_are_kept(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        for number in range(60):
            await user.work(f"t{number}", *(f"/{number}/{n}.py" for n in range(30)))
            clock.pass_time(minutes=1)
        for number in range(30):
            await user.attention.decide("s", f"decision {number}")
        known = user.attention.session("s")
        assert (len(known.files), len(known.decisions)) == (MAX_FILES, MAX_DECISIONS)
        assert known.decisions[-1] == "decision 29"
        assert [e.topic for e in await user.attention.entries(known)] == [f"t{n}" for n in range(40, 60)]

    thinking(tmp_path, clock, work)


def test_the_record_does_not_grow_for_ever(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "KEPT_ENTRIES", 5)
    monkeypatch.setattr(contexts, "KEPT_APPLICATIONS", 5)

    async def work(user: Mind) -> None:
        for number in range(12):
            await user.work(f"t{number}")
            await user.attention.apply("s", number, "")
            clock.pass_time(minutes=1)
        known = user.attention.session("s")
        assert [e.topic for e in await user.attention.entries(known)] == [f"t{n}" for n in range(6, 12)]
        assert [a.memory_id for a in await user.attention.applications(known)] == [7, 8, 9, 10, 11]

    thinking(tmp_path, clock, work)


def test_sessions_that_are_too_many_give_way(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)

    async def work(user: Mind) -> None:
        for number in range(6):
            await user.work("garden", session=f"s{number}")
            await user.attention.apply(f"s{number}", number, "")
            clock.pass_time(minutes=1)
        with pytest.raises(NotFound):
            user.attention.session("s2")

    async def later(user: Mind) -> None:
        assert user.attention.session("s3").topic == "garden"
        with pytest.raises(NotFound):
            user.attention.session("s2")
        assert await user.db.read(lambda db: db.execute("select count(*) from applications").fetchone()[0]) == 3

    thinking(tmp_path, clock, work, later)


@pytest.mark.parametrize(
    "damage",
    [
        "weights = 'no json'", "weights = '[1]'", "weights = '{\"a\": \"b\"}'", "files = x'ff'", "decisions = '[1]'",
        "since = 9e999", "last_at = -9e999", "started_at = 'yesterday'", "topic = 5", "last_at = 1e18",
    ],
)  # fmt: skip
def test_a_damaged_row_is_a_session_that_begins_anew(tmp_path: Path, clock: FakeClock, damage: str) -> None:
    async def first(user: Mind) -> None:
        await user.work("shop", session="whole")
        await user.work("garden")
        await user.db.write(lambda db: db.execute(f"update session_contexts set {damage} where name = 's'"))

    async def second(user: Mind) -> None:
        assert user.attention.session().session == "whole"
        await user.work("auth")
        assert user.weights()["auth"] == 0.95

    async def third(user: Mind) -> None:
        assert user.attention.session("s").topic == "auth"

    thinking(tmp_path, clock, first, second, third)


def test_weights_out_of_their_range_are_taken_into_it(tmp_path: Path, clock: FakeClock) -> None:
    async def first(user: Mind) -> None:
        await user.work("garden")
        text = '{"garden": 40, "shop": -1}'
        await user.db.write(lambda db: db.execute("update session_contexts set weights = ?", (text,)))

    async def second(user: Mind) -> None:
        assert user.weights() == {"garden": 1.0, "shop": 0.05}

    thinking(tmp_path, clock, first, second)


def test_an_unknown_session_has_no_attention(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        assert user.attention.boost("nobody", "the garden")(["garden"]) > 0, "the question names it"
        assert user.attention.boost(None)(["garden"]) == 0
        assert user.attention.topics("nobody") == ()
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
        assert user.attention.topics("s") == ("auth",)
        await user.work("garden")
        assert user.attention.topics("s") == ("garden", "auth")
        await user.work("shop")
        assert user.attention.topics("s") == ("shop", "garden")
        assert user.attention.topics("s", "The SQL migrations run at night.") == ("database", "shop", "garden")
        assert user.attention.topics(text="Passwords, JWT and sign-in: see the docs.") == ("auth", "docs")

    thinking(tmp_path, clock, work)


def test_the_project_has_attention_like_the_focus(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("auth", project="/home/me/Web Shop/")
        await user.work("auth", session="t", project="/")
        assert "web-shop" not in user.weights()
        assert user.attention.topics("s") == ("web-shop", "auth")
        assert user.attention.boost("s")(["web-shop"]) == pytest.approx(0.475)
        assert user.attention.boost("s", "in the garden")(["web-shop"]) == pytest.approx(0.3325)
        assert user.attention.topics("t") == ("auth",)
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


def test_what_is_forgotten_is_in_no_note(tmp_path: Path, clock: FakeClock) -> None:
    def clean(text: str) -> str:
        return text.replace("the code is 4711", "").strip()

    async def work(user: Mind) -> None:
        await user.work("garden")
        await user.attention.decide("s", "the code is 4711")
        await user.work("shop")
        for decision in ("the code is 4711", "use it"):
            await user.attention.decide("s", decision)
        await user.attention.apply("s", 7, "door: the code is 4711")
        await user.attention.forget(clean)

    async def later(user: Mind) -> None:
        known = user.attention.session("s")
        assert known.decisions == ("use it",)
        assert [entry.outcome for entry in await user.attention.entries(known)] == ["", None]
        assert [used.context for used in await user.attention.applications(known)] == ["door:"]

    thinking(tmp_path, clock, work, later, crash=True)


def test_a_judgement_is_kept(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work("garden")
        used = await user.attention.apply(None, 7, "watering")
        assert await user.attention.application(used.id) == used
        assert (await user.attention.judge(used, helpful=False)).helpful is False
        (found,) = await user.attention.applications(user.attention.session())
        assert (found.memory_id, found.context, found.helpful) == (7, "watering", False)

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


happened = st.lists(
    st.tuples(st.sampled_from(["work", "chatter", "restart"]), st.sampled_from(["auth", "api", "garden", "a/b"]),
              st.integers(-3_000, 3_000)),
    max_size=15,
)  # fmt: skip


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(happened)
def test_weights_stay_in_range_over_any_changes_pauses_and_restarts(
    tmp_path_factory: pytest.TempPathFactory, happened: list[tuple[str, str, int]]
) -> None:
    clock, folder = FakeClock(), tmp_path_factory.mktemp("mind")

    async def main() -> None:
        begun: bool = False
        stack = contextlib.AsyncExitStack()
        user = await stack.enter_async_context(mind(folder, clock))
        for kind, topic, seconds in happened:
            clock.pass_time(seconds=seconds)
            if kind == "restart":
                before = dict(user.attention.session("s").weights) if begun else {}
                await stack.aclose()
                user = await stack.enter_async_context(mind(folder, clock))
                assert (user.attention.session("s").weights if begun else {}) == pytest.approx(before, abs=1e-5)
            else:
                begun = True
                await user.work(topic if kind == "work" else None)
                weights = user.attention.session("s").weights
                assert all(LEAST <= weight <= MOST for weight in weights.values())
                assert kind == "chatter" or weights[topic] >= 0.95
        await stack.aclose()

    asyncio.run(main())
