"""The same 20 turns through /chat, llama_cpp.Llama and llama-server: tokens evaluated, time to the first of a reply."""

import argparse
import json
import random
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _engine as bench
from benchmarks import _llama_server as llama_server
from benchmarks import _measure as measure
from benchmarks import _stock as stock
from benchmarks.warmboot import settled
from pi_memory.config import Config

CONTEXT, BATCH, WORDS, RECALLED, REPLY = 4096, 128, 40, 2, 24
NAME = "conversation"


@dataclass
class Cost:
    """Of a whole script: prompt tokens that were submitted, those that were evaluated, seconds to each first piece."""

    submitted: int
    evaluated: int
    seconds: list[float]

    def figures(self, name: str) -> dict[str, float | int]:
        return {
            f"{name}_prompt_tokens": self.submitted,
            f"{name}_evaluated": self.evaluated,
            f"{name}_first_token_ms": statistics.median(self.seconds[1:]) * 1_000,
        }


def script(turns: int) -> list[str]:
    """What the user says. Lines of recalled memories stand in the message itself, as all three can carry them there."""
    chance = random.Random(0)
    return [bench.message(chance, WORDS, recalled=RECALLED).text for _ in range(turns)]


def ours(path: Path, said: list[str]) -> tuple[Cost, int]:
    """The daemon's cost, with what it evaluates while nobody waits; and that part alone."""
    values: dict[str, Any] = {"PI_MEMORY_PROVIDER": "llama", "PI_MEMORY_MODEL": path, "PI_MEMORY_EMBEDDER": "none"}
    values |= {"PI_MEMORY_MAX_TOKENS": REPLY, "PI_MEMORY_TEMPERATURE": 0, "CTX_TOKENS": CONTEXT}
    cost = Cost(0, 0, [])
    with (
        measure.folder() as folder,
        measure.daemon(folder, MEMORY_MAX_TURNS=len(said), **values) as daemon,
        daemon.client() as client,
    ):
        daemon.wait_until_loaded()
        settled(client)
        for text in said:
            usage, seconds = _turn(client, text)
            cost.submitted += usage["prompt_tokens"]
            cost.evaluated += usage["evaluated_tokens"]
            cost.seconds.append(seconds)
            time.sleep(0.3)  # a person reads; the same for all three
        idle = settled(client)
        daemon.stop()
    cost.evaluated += idle
    return cost, idle


def _turn(client: httpx2.Client, text: str) -> tuple[dict[str, int], float]:
    start, seconds, usage = time.perf_counter(), 0.0, dict[str, int]()
    body = {"message": text, "conversation_id": NAME, "stream": True}
    with client.stream("POST", "/chat", json=body, headers={"Accept": "text/event-stream"}, timeout=300) as response:
        for line in response.iter_lines():
            if not line.startswith("data: "):
                continue
            seconds = seconds or time.perf_counter() - start
            usage = json.loads(line[6:]).get("usage", usage)
    return usage, seconds


def high_level(path: Path, said: list[str], system: str) -> Cost:
    turns = [stock.Said(system, 0, text) for text in said]
    costs = stock.run(stock.Script(str(path), CONTEXT, BATCH, REPLY, "", False, turns))
    # What it evaluates of the reply itself is no prompt: all but its last token.
    evaluated = sum(cost.evaluated - (REPLY - 1) for cost in costs)
    return Cost(sum(cost.prompt for cost in costs), evaluated, [cost.seconds for cost in costs])


def served(binary: Path, path: Path, said: list[str], system: str) -> Cost:
    cost, messages = Cost(0, 0, []), [{"role": "system", "content": system}]
    with llama_server.running(binary, path, context=CONTEXT, batch=BATCH) as server:
        for text in said:
            messages.append({"role": "user", "content": text})
            reply, seconds, timings = server.chat(messages, REPLY)
            messages.append({"role": "assistant", "content": reply})
            cost.submitted += timings["prompt_n"] + timings.get("cache_n", 0)
            cost.evaluated += timings["prompt_n"]
            cost.seconds.append(seconds)
            time.sleep(0.3)
    return cost


def measured(options: argparse.Namespace) -> bench.Figures:
    binary = llama_server.build(options.jobs) if options.build else llama_server.found()
    if binary is None:
        measure.not_possible(
            f"There is no llama-server: --build makes one in ten minutes, {llama_server.FOUND_BY} names one."
        )
    assert binary
    path, said = bench.model_file(options), script(4 if options.quick else options.turns)
    system = Config(None).personas()["general"]
    daemon, idle = ours(path, said)
    return {
        "shape": options.shape,
        "turns": len(said),
        **daemon.figures("ours"),
        "ours_evaluated_while_nobody_waits": idle,
        **high_level(path, said, system).figures("llama_cpp"),
        **served(binary, path, said, system).figures("llama_server"),
    }


def main() -> None:
    options = bench.parser(__doc__, shape="qwen2.5-0.5b")
    options.add_argument("--turns", type=int, default=20)
    options.add_argument("--build", action="store_true", help="build llama-server first, if it is not there")
    options.add_argument("--jobs", type=int, default=1, help="of that build")
    given = options.parse_args()
    bench.show(measured(given), as_json=given.json)


if __name__ == "__main__":
    main()
