"""A clock that is wrong for a while, and what it must not do to what is remembered."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pi_memory import clock as clocks
from pi_memory.clock import ASK_SECONDS, STOOD_SECONDS, Moved, SteadyClock
from pi_memory.decay import DAY
from tests.conftest import Client, Daemon
from tests.fakes import FakeClock
from tests.test_inbox import Held
from tests.waiting import eventually

NOW = FakeClock().now
YEARS = 20 * 365 * DAY


@dataclass
class Machine:
    """A computer: its clock may be set and be wrong, its time since boot only passes."""

    now: float = NOW
    ran: float = 0.0
    synchronised: bool = False
    moves: list[Moved] = field(default_factory=list)

    def steady(self) -> SteadyClock:
        made = SteadyClock(lambda: self.now, elapsed=lambda: self.ran, vouched=lambda now: self.synchronised)
        made.follow(self.moves.append)
        return made

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.ran += seconds

    def set(self, now: float, *, synchronised: bool = False) -> None:
        self.now, self.synchronised = now, synchronised


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_time_passes_as_the_system_says(machine: Machine) -> None:
    clock = machine.steady()
    clock.resume(NOW - 60)
    for _ in range(100):
        machine.work(DAY)
        assert clock() == machine.now
    assert machine.moves == []


@pytest.mark.parametrize("wrong", [0.0, NOW - YEARS, NOW + 2 * DAY, NOW + YEARS])
def test_a_time_that_cannot_be_does_not_count(machine: Machine, wrong: float) -> None:
    clock = machine.steady()
    clock.resume(NOW)
    machine.set(wrong)
    machine.work(30)
    assert clock() == NOW + 30
    assert "timedatectl" in str(clock.problem)
    machine.set(NOW + 40)
    machine.ran += 10
    assert (clock(), clock.problem, machine.moves) == (NOW + 40, None, [])


@pytest.mark.parametrize("right", [NOW - YEARS, NOW + YEARS])
def test_a_time_that_the_system_vouches_for_counts_at_once(machine: Machine, right: float) -> None:
    clock = machine.steady()
    clock.resume(NOW)
    machine.set(right, synchronised=True)
    assert clock() == right
    assert clock.is_sure


def test_a_time_that_has_stood_for_hours_counts(machine: Machine) -> None:
    clock = machine.steady()
    clock.resume(NOW)
    machine.set(NOW + 60 * DAY)
    assert clock() == NOW
    machine.work(STOOD_SECONDS - 1)
    assert clock() == NOW + STOOD_SECONDS - 1
    machine.work(1)
    assert clock() == machine.now
    assert not clock.is_sure


def test_a_clock_that_changes_its_mind_has_not_stood(machine: Machine) -> None:
    clock = machine.steady()
    clock.resume(NOW)
    for years in range(1, 9):
        machine.set(NOW + years * 365 * DAY)
        clock()
        machine.work(STOOD_SECONDS / 2)
        assert clock() == NOW + years * STOOD_SECONDS / 2


def test_months_in_a_drawer_are_months_once_the_network_says_so(machine: Machine) -> None:
    clock = machine.steady()
    clock.resume(NOW - 90 * DAY)
    assert clock() < NOW - 89 * DAY
    machine.synchronised = True
    machine.work(ASK_SECONDS)
    assert clock() == machine.now


def test_the_system_is_not_asked_at_every_look(machine: Machine) -> None:
    asked = []

    def vouched(now: float) -> bool:
        asked.append(now)
        return False

    clock = SteadyClock(lambda: machine.now, elapsed=lambda: machine.ran, vouched=vouched)
    clock.resume(NOW)
    for _ in range(100):
        machine.work(0.1)
        clock()
    assert len(asked) <= 3


def test_the_first_start_of_all_believes_what_can_be(machine: Machine) -> None:
    clock = machine.steady()
    clock.resume(None)
    assert clock() == NOW


def test_what_was_stamped_before_the_clock_was_set_moves_along(machine: Machine) -> None:
    clock = machine.steady()
    machine.set(0.0)
    clock.resume(NOW - 60 * DAY)
    machine.work(30)
    stamped = clock()
    machine.work(30)
    machine.set(NOW, synchronised=True)
    clock()
    (moved,) = machine.moves
    assert moved.right(stamped) == NOW - 30
    assert moved.right(NOW - 60 * DAY) == NOW - 60 * DAY, "that was the run before"


def test_what_was_stamped_by_a_clock_that_was_sure_stays(machine: Machine) -> None:
    clock = machine.steady()
    machine.synchronised = True
    clock.resume(NOW - 1)
    stamped = clock()
    machine.set(NOW + 40 * DAY, synchronised=True)
    clock()
    assert machine.moves[0].right(stamped) == stamped


def test_nothing_is_from_the_future_once_the_clock_is_right() -> None:
    moved = Moved(NOW + YEARS, -YEARS, NOW + 60)
    assert moved.right(NOW + YEARS + 30) == NOW + 30
    assert moved.right(NOW + YEARS - 30) == NOW + 60


def test_timesyncd_vouches_for_the_time_that_it_has_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "synchronized"
    monkeypatch.setattr(clocks, "TIMESYNC", mark)
    monkeypatch.setattr(clocks, "_kernel_is_synchronised", lambda: False)
    assert not clocks.synchronised(NOW)
    mark.touch()
    at = mark.stat().st_mtime
    assert clocks.synchronised(at + 60)
    assert not clocks.synchronised(at + YEARS)


def test_the_kernel_answers() -> None:
    assert clocks._kernel_is_synchronised() in (True, False)


# The whole daemon.


def daily(client: Client) -> None:
    assert client.portal is not None
    client.portal.call(client.parts.housekeeping.daily)
    client.portal.call(client.parts.housekeeping.sweep)


def known(client: Client) -> tuple[list[str], list[str], list[str]]:
    """Topics, memories and what was said."""
    client.settle()
    topics = [topic["topic"] for topic in client.get("/focus").json()["topics"]]
    memories = [memory["content"] for memory in client.get("/memories").json()["memories"]]
    said = client.get("/conversations/c").json().get("exchanges", [])
    return topics, memories, [exchange["user"] for exchange in said]


def fill(client: Client, *, name: str = "garden") -> None:
    client.put(f"/focus/{name}", json={}).raise_for_status()
    client.post("/memories", json={"content": f"The {name} is green."}).raise_for_status()
    client.post("/chat", json={"message": f"hello {name}", "conversation_id": "c"}).raise_for_status()
    client.settle()


@pytest.mark.parametrize("wrong", [0.0, NOW + YEARS])
def test_half_a_minute_of_a_wrong_clock_costs_nothing(daemon: Daemon, machine: Machine, wrong: float) -> None:
    client = daemon(clock=machine.steady())
    fill(client)
    machine.set(wrong)
    for _ in range(3):
        machine.work(10)
        daily(client)
    fill(client, name="kitchen")
    machine.set(NOW + 30)
    daily(client)
    topics, memories, said = known(client)
    assert set(topics) == {"garden", "kitchen"}
    assert len(memories) == 2
    assert said == ["hello garden", "hello kitchen"]
    assert all(topic["strength"] > 0.999 for topic in client.get("/focus").json()["topics"])


def test_a_wrong_clock_at_the_start_is_reported_and_costs_nothing(daemon: Daemon, machine: Machine) -> None:
    first = daemon(clock=machine.steady())
    fill(first)
    before = known(first)
    first.stop()
    machine.set(NOW + YEARS)
    second = daemon(clock=machine.steady())
    daily(second)
    health = second.get("/healthz").json()
    assert health["status"] == "degraded"
    assert "timedatectl" in health["parts"]["clock"]["todo"]
    assert known(second) == before
    second.stop()
    machine.set(NOW + 60)
    third = daemon(clock=machine.steady())
    daily(third)
    assert known(third) == before
    assert "clock" not in third.get("/healthz").json()["parts"]


def test_health_is_ok_again_as_soon_as_the_clock_is_right(
    daemon: Daemon, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    client = daemon(clock=machine.steady())
    machine.set(NOW + YEARS)
    assert client.get("/healthz").json()["status"] == "degraded"
    machine.set(NOW + 60)
    assert client.get("/healthz").json()["status"] == "ok"
    assert [record.getMessage()[:18] for record in caplog.records if record.name == clocks.__name__] == [
        "the clock says 204",
        "The clock is right",
    ]


def test_what_is_said_before_the_clock_is_set_is_as_fresh_as_it_is(daemon: Daemon, machine: Machine) -> None:
    first = daemon(clock=machine.steady())
    fill(first)
    first.stop()
    machine.set(0.0)
    second = daemon(clock=machine.steady())
    fill(second, name="kitchen")
    machine.work(30)
    machine.set(NOW + 90 * DAY, synchronised=True)
    daily(second)
    topics, memories, said = known(second)
    assert (topics, memories) == (["kitchen"], ["The kitchen is green."]), "the rest has faded in 90 days"
    assert said[-1] == "hello kitchen"


def test_what_waits_to_be_tagged_when_the_clock_is_set_is_fresh_too(daemon: Daemon, machine: Machine) -> None:
    first = daemon(clock=machine.steady())
    fill(first)
    first.stop()
    machine.set(0.0)
    client = daemon(clock=machine.steady())
    held = Held(client)
    for name in ("billing", "irrigation"):
        path = f"/home/ada/src/{name}/main.py"
        client.post("/activity", json={"session_id": name, "user_message": f"change {path}"}).raise_for_status()
    machine.set(NOW + 90 * DAY, synchronised=True)
    client.get("/focus")
    held.open()
    daily(client)
    assert "irrigation" in known(client)[0]


def test_what_an_earlier_run_stamped_in_the_future_is_put_right(daemon: Daemon, machine: Machine) -> None:
    machine.set(NOW + YEARS, synchronised=True)
    first = daemon(clock=machine.steady())
    fill(first)
    first.stop()
    machine.set(NOW, synchronised=True)
    second = daemon(clock=machine.steady())
    daily(second)
    (topic,) = second.get("/focus").json()["topics"]
    assert topic["last_touched_at"].startswith("2026-02-22")
    machine.work(40 * DAY)
    daily(second)
    assert known(second)[0] == [], "it fades like any other"
    assert second.get("/metrics").text.count(f"uptime_seconds {40 * DAY:.0f}\n") == 1


def test_what_a_wrong_clock_did_after_all_is_taken_back(daemon: Daemon, machine: Machine) -> None:
    machine.set(NOW, synchronised=True)
    client = daemon(clock=machine.steady(), MEMORY_TTL_MIN=0)
    fill(client)
    before = known(client)
    machine.set(NOW + YEARS)
    client.get("/focus")
    machine.work(STOOD_SECONDS)
    daily(client)
    assert known(client) == ([], [], before[2]), "it stood for hours: all has faded, nothing is erased"
    machine.set(NOW + STOOD_SECONDS, synchronised=True)
    daily(client)
    eventually(lambda: known(client) == before)
    assert client.portal is not None
    stamped = client.portal.call(lambda: read(client, "select max(at) from (select at from events)"))
    assert stamped <= machine.now


async def read(client: Client, query: str) -> float:
    return float(await client.parts.db.read(lambda db: db.execute(query).fetchone()[0]))
