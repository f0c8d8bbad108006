"""What sessions are in the middle of is kept: over restarts and damaged rows, and not for ever."""

import asyncio
import contextlib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_memory.attention import sessions as module
from pi_memory.attention.sessions import MAX_DECISIONS, MAX_FILES
from pi_memory.attention.weights import LEAST, MOST
from pi_memory.errors import NotFound
from pi_memory.store import attention
from tests.fakes import FakeClock
from tests.mind import Mind, mind, thinking


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


def test_what_was_decided_before_there_was_a_focus_is_of_the_first_one(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        await user.work(None)
        await user.attention.decide("s", "drip valves")
        await user.work("garden")
        assert user.attention.session("s").decisions == ("drip valves",)

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


def test_a_session_is_shown_while_others_begin(tmp_path: Path, clock: FakeClock) -> None:
    async def work(user: Mind) -> None:
        for number in range(30):
            await user.work(f"t{number}", session=f"s{number}")
            clock.pass_time(minutes=1)
        showing = asyncio.create_task(user.attention.entries(user.attention.session("s29")))
        for number in range(5):
            await user.work("garden", session=f"new{number}")
        assert [e.topic for e in await showing] == [f"t{n}" for n in range(10, 30)]

    thinking(tmp_path, clock, work)


def test_the_record_does_not_grow_for_ever(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "KEPT_ENTRIES", 5)
    monkeypatch.setattr(attention, "KEPT_APPLICATIONS", 5)

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
        await user.db.write(partial(attention.rewrite, clean=clean), durable=True)
        user.attention.forget(clean)

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
