"""Cancel a reply while its prompt is evaluated and while it is generated: how soon, and what is left."""

import argparse
import ctypes
import random
import time
from collections.abc import Callable, Generator
from concurrent.futures import wait
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks import _engine as bench
from pi_memory.model.engine import Engine
from pi_memory.model.library import library
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.offload import common
from pi_memory.model.sampling import Sampling
from pi_memory.model.scheduler import Job, Rank, Scheduler

CONTEXT, BATCH, AFTERWARDS = 2048, 128, 16
SPOKEN, HISTORY, NEW = 0, 200, 1_024


class Bench:
    """An engine behind the daemon's own lane."""

    def __init__(self, path: Path, new: int) -> None:
        self.engine = Engine(path, ContextSize(context_tokens=CONTEXT, batch=BATCH))
        self.lane = Scheduler(interrupt=self.engine.cancel, proceed=self.engine.resume)
        chance = random.Random(0)
        self.prompt = self.engine.vocabulary.tokenise(bench.said(chance, HISTORY + new), special=False)
        self.history = self.prompt[:HISTORY]
        self.made: list[int] = []

    def run(self, steps: Callable[[], Generator[None, None, None]]) -> Job[None]:
        return self.lane.start(steps(), Rank.CHAT)

    def wait_for(self, steps: Callable[[], Generator[None, None, None]]) -> None:
        self.run(steps).done.result()

    def known(self) -> Generator[None, None, None]:
        """Start from the conversation as it was before."""
        self.engine.drop(SPOKEN)
        yield from self.engine.steps(SPOKEN, self.history)

    def prefill(self) -> Generator[None, None, None]:
        yield from self.engine.steps(SPOKEN, self.prompt)

    def generate(self) -> Generator[None, None, None]:
        self.made = []
        yield from self.engine.steps(SPOKEN, self.history)
        with closing(self.engine.generate(SPOKEN, Sampling(temperature=0), cap=200)) as tokens:
            for token in tokens:
                self.made.append(token)
                yield

    def batch_seconds(self) -> float:
        """One micro-batch at the depth of the prompt that is cancelled: the mean over its evaluation."""
        self.wait_for(self.known)
        start = time.perf_counter()
        self.wait_for(self.prefill)
        return (time.perf_counter() - start) * BATCH / (len(self.prompt) - HISTORY)

    def cancel(self, job: Job[None]) -> float:
        """Seconds until the scheduler is free."""
        start = time.perf_counter()
        self.lane.leave(job)
        wait([job.done])
        return time.perf_counter() - start

    def as_if_cold(self) -> tuple[bool, bool]:
        """Whether what is left is, to the byte, what an undisturbed evaluation gives; and speaks like it.

        The undisturbed one evaluates the same tokens in the same batches, in a context that holds nothing else.
        """
        engine, held = self.engine, self.engine.held(SPOKEN)
        if common(held, self.prompt) != len(held) or len(held) < len(self.history):
            return False, False
        state, spoken = self._state(), self._speak()
        engine.drop(SPOKEN)
        for tokens in (self.history, held):
            for _ in engine.steps(SPOKEN, tokens):
                pass
        return state == self._state(), spoken == self._speak()

    def _speak(self) -> list[int]:
        return list(self.engine.generate(SPOKEN, Sampling(temperature=0), cap=AFTERWARDS))

    def _state(self) -> bytes:
        llama, pointer = library(), self.engine._context.pointer  # compared, not used: the engine gives no state away
        size = llama.llama_state_seq_get_size(pointer, SPOKEN)
        buffer = (ctypes.c_uint8 * size)()
        llama.llama_state_seq_get_data(pointer, buffer, size, SPOKEN)
        return bytes(buffer)


def during_prefill(on: Bench, tries: int) -> dict[str, Any]:
    batch = on.batch_seconds()
    latencies, bytes_equal, speaks_equal, in_time = [], 0, 0, 0
    chance = random.Random(0)
    for _ in range(tries):
        on.wait_for(on.known)
        job = on.run(on.prefill)
        # By what has been evaluated, not by the clock: others may want the cores. Never in the last two batches.
        some = chance.randrange(HISTORY, len(on.prompt) - 2 * BATCH)
        while len(on.engine.held(SPOKEN)) < some and not job.done.done():
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.8) * batch)
        in_time += not job.done.done()
        latencies.append(on.cancel(job))
        on.engine.resume()  # the thread sleeps, and the engine is ours
        one, other = on.as_if_cold()
        bytes_equal, speaks_equal = bytes_equal + one, speaks_equal + other
    return {
        "cancelled_in_prefill": in_time,
        "latency_over_ubatch": max(latencies) / batch,
        "latency_over_ubatch_median": bench.quantile(latencies, 0.5) / batch,
        "ubatch_ms": batch * 1_000,
        "sequences_as_before": bytes_equal,
        "replies_as_before": speaks_equal,
        "sequences_compared": tries,
    }


def while_generating(on: Bench, tries: int) -> dict[str, Any]:
    after, in_time = [], 0
    for number in range(tries):
        on.wait_for(on.known)
        job = on.run(on.generate)
        while len(on.made) < 3 + number % 5 and not job.done.done():
            time.sleep(0.0005)
        in_time += not job.done.done()
        start = time.perf_counter()
        on.lane.leave(job)
        before = len(on.made)
        wait([job.done])
        after.append((len(on.made) - before, time.perf_counter() - start))
        on.engine.resume()
    return {
        "cancelled_in_reply": in_time,
        "tokens_after_cancel": max(tokens for tokens, _ in after),
        "latency_in_reply_ms": max(seconds for _, seconds in after) * 1_000,
    }


def measured(options: argparse.Namespace) -> bench.Figures:
    path = bench.model_file(options)
    tries = 4 if options.quick else options.tries
    on = Bench(path, NEW // 2 if options.quick else NEW)
    figures = {"shape": options.shape, **during_prefill(on, tries), **while_generating(on, tries)}
    on.lane.close()
    on.lane.ended.result()
    on.engine.close()
    return figures


def main() -> None:
    options = bench.parser(__doc__, shape="qwen2.5-0.5b")
    options.add_argument("--tries", type=int, default=8)
    given = options.parse_args()
    bench.show(measured(given), as_json=given.json)


if __name__ == "__main__":
    main()
