"""A scheduler with one thread: it steps all jobs, the most urgent one first.

A job is a generator that yields wherever another one may run. A job that waits in the middle keeps its state and
resumes from there.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from enum import IntEnum
from typing import Any, Generic, TypeVar

from pi_memory.errors import ModelError

T = TypeVar("T")
Steps = Generator[None, None, T]


class Rank(IntEnum):
    """How urgent a job is. Jobs of one rank follow each other."""

    CHAT = 0
    MEMORY = 1
    IDLE = 2


class Left(Exception):
    """The job was left before its end."""


class Job(Generic[T]):
    """`done` resolves to its result, or to what it raised, or to `Left`."""

    def __init__(self, steps: Steps[T], rank: Rank) -> None:
        self.steps = steps
        self.rank = rank
        self.done: Future[T] = Future()
        self.done.set_running_or_notify_cancel()  # so that nobody can cancel it behind the scheduler's back
        self.left = False


class Scheduler:
    """`interrupt` (from any thread) ends the step under way early; `proceed` is called before each step."""

    def __init__(self, *, interrupt: Callable[[], None], proceed: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._proceed = proceed
        self._waiting: dict[Rank, deque[Job[Any]]] = {rank: deque() for rank in Rank}
        self._changed = threading.Condition()
        self._current: Job[Any] | None = None
        self._closed = False
        self._steps = 0
        self.ended: Future[None] = Future()
        threading.Thread(target=self._run, name="model", daemon=True).start()

    def start(self, steps: Steps[T], rank: Rank) -> Job[T]:
        """Queue a job. A less urgent one pauses at once. Raises `ModelError` when the scheduler is closed."""
        job = Job(steps, rank)
        with self._changed:
            if self._closed:
                raise closed()
            self._waiting[rank].append(job)
            current = self._current
            # A chat does not wait for a batch of something else: that batch is evaluated again later.
            if rank is Rank.CHAT and current is not None and current.rank is not Rank.CHAT:
                self._interrupt()
            self._changed.notify()
        return job

    def leave(self, job: Job[Any]) -> None:
        """Stop a job, running or waiting. Does nothing to other jobs or to a finished one."""
        with self._changed:
            job.left = True
            if self._current is job:
                self._interrupt()
            self._changed.notify()

    def close(self) -> None:
        """Stop all jobs. `ended` is called when the last has stopped. Idempotent."""
        with self._changed:
            self._closed = True
            for jobs in self._waiting.values():
                for job in jobs:
                    job.left = True
            if self._current is not None:
                self._interrupt()
            self._changed.notify()

    @property
    def steps(self) -> int | None:
        """Steps done so far; None while there is no job."""
        return self._steps if any(self._waiting.values()) else None

    def _run(self) -> None:
        while (job := self._next()) is not None:
            ended = self._step(job)
            with self._changed:
                self._current = None
                self._steps += 1
                if ended is not None:
                    self._waiting[job.rank].remove(job)
            if ended is not None:
                ended()
        self.ended.set_result(None)

    def _next(self) -> Job[Any] | None:
        """The next job to step; waits for one. None when the scheduler is closed and all jobs have ended."""
        with self._changed:
            while (job := self._first()) is None and not self._closed:
                self._changed.wait()
            self._current = job
            self._proceed()
            return job

    def _first(self) -> Job[Any] | None:
        return next((jobs[0] for jobs in self._waiting.values() if jobs), None)

    def _step(self, job: Job[Any]) -> Callable[[], None] | None:
        """Step a job. None while it has not ended; else the function that reports its end."""
        try:
            if job.left:
                job.steps.close()
                raise Left
            next(job.steps)
        except StopIteration as end:
            result = end.value
            return lambda: job.done.set_result(result)
        except Exception as error:  # noqa: BLE001 - whatever a job raises is its caller's; the thread goes on
            reason = error
            return lambda: job.done.set_exception(reason)
        return None


def closed() -> ModelError:
    return ModelError("The model is closed", hint="The daemon is stopping; start it again.")
