import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait

import pytest

from pi_memory.errors import ModelError
from pi_memory.model.scheduler import Job, Left, Rank, Scheduler, Steps


class Flag:
    """Stands for the engine's abort flag."""

    def __init__(self) -> None:
        self.raised = threading.Event()
        self.reached = threading.Event()
        self.times = 0

    def hold(self) -> None:
        """For a step that goes on until it is interrupted."""
        self.reached.set()
        self.raised.wait(5)

    def interrupt(self) -> None:
        self.times += 1
        self.raised.set()


@pytest.fixture
def flag() -> Flag:
    return Flag()


@pytest.fixture
def lane(flag: Flag) -> Iterator[Scheduler]:
    lane = Scheduler(interrupt=flag.interrupt, proceed=flag.raised.clear)
    yield lane
    lane.close()
    lane.ended.result(5)


def steps(log: list[str], name: str, count: int = 3, before: Callable[[], object] = bool) -> Steps[str]:
    """A job that writes down each of its steps; `before` is called in the first one."""
    before()
    for number in range(count):
        log.append(f"{name}{number}")
        yield
    return name


def held_up(lane: Scheduler) -> tuple[Job[str], threading.Event]:
    """A chat that waits in its first step until the event is set."""
    go = threading.Event()
    return lane.start(steps([], "", 1, go.wait), Rank.CHAT), go


def test_a_job_returns_what_it_returns_and_raises_what_it_raises(lane: Scheduler) -> None:
    assert lane.start(steps([], "a"), Rank.IDLE).done.result(5) == "a"
    with pytest.raises(ZeroDivisionError):
        lane.start(steps([], "b", before=lambda: 1 / 0), Rank.CHAT).done.result(5)
    assert lane.start(steps([], "c"), Rank.CHAT).done.result(5) == "c"


def test_the_most_urgent_goes_first_and_equals_in_order(lane: Scheduler) -> None:
    log: list[str] = []
    _, go = held_up(lane)
    ranks = [("i", Rank.IDLE), ("m", Rank.MEMORY), ("c", Rank.CHAT), ("d", Rank.CHAT)]
    jobs = [lane.start(steps(log, name, 2), rank) for name, rank in ranks]
    go.set()
    wait([job.done for job in jobs], 5)
    assert log == ["c0", "c1", "d0", "d1", "m0", "m1", "i0", "i1"]


def test_a_job_pauses_for_a_chat_and_goes_on(lane: Scheduler, flag: Flag) -> None:
    log: list[str] = []
    work = lane.start(steps(log, "m", before=flag.hold), Rank.MEMORY)
    flag.reached.wait(5)
    chat = lane.start(steps(log, "c"), Rank.CHAT)
    assert (chat.done.result(5), work.done.result(5)) == ("c", "m")
    assert log == ["m0", "c0", "c1", "c2", "m1", "m2"]
    assert flag.times == 1


def test_a_chat_is_not_interrupted(lane: Scheduler, flag: Flag) -> None:
    chat, go = held_up(lane)
    others = [lane.start(steps([], "x"), rank) for rank in Rank]
    go.set()
    wait([job.done for job in (chat, *others)], 5)
    assert flag.times == 0


def test_leaving_stops_the_job_that_runs_and_no_other(lane: Scheduler, flag: Flag) -> None:
    log: list[str] = []
    running = lane.start(steps(log, "r", before=flag.hold), Rank.CHAT)
    waiting, other = (lane.start(steps(log, name), Rank.CHAT) for name in "wo")
    flag.reached.wait(5)
    lane.leave(waiting)
    lane.leave(running)
    for job in (running, waiting):
        with pytest.raises(Left):
            job.done.result(5)
    assert other.done.result(5) == "o"
    assert log == ["r0", "o0", "o1", "o2"]
    lane.leave(other)
    assert lane.start(steps(log, "n"), Rank.CHAT).done.result(5) == "n"


def test_close_stops_everything_and_takes_nothing_more(lane: Scheduler, flag: Flag) -> None:
    jobs = [lane.start(steps([], "x", before=flag.hold), rank) for rank in Rank]
    lane.close()
    lane.close()
    lane.ended.result(5)
    assert all(isinstance(job.done.exception(5), Left) for job in jobs)
    with pytest.raises(ModelError, match="closed"):
        lane.start(steps([], "y"), Rank.CHAT)


def test_steps_are_counted_while_there_is_a_job(lane: Scheduler, flag: Flag) -> None:
    def hold() -> Steps[None]:
        flag.hold()
        yield

    seen = [lane.steps]
    job = lane.start(hold(), Rank.CHAT)
    flag.reached.wait(5)
    seen.append(lane.steps)
    flag.interrupt()
    wait([job.done])
    assert seen == [None, 0]
