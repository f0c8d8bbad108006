"""Memory of our model over its file, at 2,048 tokens of context; of 16 conversations over what is counted for them."""

import argparse
import asyncio
import json
import logging
import os
import random
import re
import subprocess
import sys
from pathlib import Path

from benchmarks import _engine as bench
from benchmarks import _measure as measure
from pi_memory.model.library import library
from pi_memory.model.local import LocalModel
from pi_memory.types import Message

CONTEXT, CONVERSATIONS, TURNS = 2048, 16, 2
CHILD = "benchmarks.model_ram"


class Accounted(logging.Handler):
    """Adds up the buffers that llama.cpp says it allocates (`CPU model buffer size = 333.84 MiB`)."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        if found := re.search(r"buffer size\s*=\s*([\d.]+) MiB", record.getMessage()):
            self.bytes += float(found[1]) * (1 << 20)


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def talk(model: LocalModel, conversations: int, words: int) -> None:
    """So many conversations in turn, each come back to after all others."""
    chance = random.Random(0)
    windows: list[list[Message]] = [[] for _ in range(conversations)]
    for _ in range(TURNS):
        for window in windows:
            window.append(bench.message(chance, words))
            text, _ = await bench.reply(model, window, most=8)
            window.append(Message("assistant", text))


def vocabulary(path: Path) -> int:
    """Bytes that the model's tokeniser takes: llama.cpp does not tell them, so it is loaded alone."""
    llama = library()
    before, parameters = resident(), llama.llama_model_default_params()
    parameters.vocab_only = True
    model = llama.llama_model_load_from_file(os.fsencode(path), parameters)
    assert llama.llama_model_get_vocab(model)
    return resident() - before


async def child(path: Path) -> dict[str, float]:
    accounted = Accounted()
    logging.getLogger("pi_memory.model.library").addHandler(accounted)
    logging.getLogger("pi_memory.model.library").setLevel(logging.DEBUG)
    library()
    before = resident()
    model = LocalModel.open(path, context_tokens=CONTEXT, temperature=0)
    await bench.reply(model, [bench.message(random.Random(1), CONTEXT - 100)], most=8)
    one = resident()
    await talk(model, CONVERSATIONS, 30)
    held, parked = resident(), model.engine.parked_bytes  # counted, not used
    await model.close()
    known = accounted.bytes + parked
    return {"grown": one - before, "held": held - before, "after_one": held - one, "accounted": known, "parked": parked}


def in_child(what: str, path: Path) -> dict[str, float]:
    """Measured in a process of its own, which holds nothing else."""
    command = [sys.executable, "-m", CHILD, what, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        measure.not_possible(f"The model could not be run: {done.stderr[-300:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measured(options: argparse.Namespace) -> bench.Figures:
    path = bench.model_file(options)
    found, file = in_child("--child", path), path.stat().st_size
    accounted = found["accounted"] + in_child("--vocabulary", path)["vocabulary"]
    return {
        "shape": options.shape,
        "context_tokens": CONTEXT,
        "conversations": CONVERSATIONS,
        "file_mb": file / 1e6,
        "grown_mb": found["grown"] / 1e6,
        "growth_over_file": found["grown"] / file,
        # What the 16 take besides the context's cells, which the one before them has filled.
        "held_over_accounted": found["after_one"] / found["parked"],
        "held_mb": found["after_one"] / 1e6,
        "put_away_mb": found["parked"] / 1e6,
        # All of it, over what llama.cpp logs as its buffers, the tokeniser, and what is put away.
        "process_over_accounted": found["held"] / accounted,
        "process_mb": found["held"] / 1e6,
        "process_accounted_mb": accounted / 1e6,
        "weights_repacked": "no: AMX is switched off" if _amx() else "yes",
    }


def _amx() -> bool:
    """Whether the daemon opens models without llama.cpp's extra buffers here."""
    return b"AMX_INT8 = 1" in library().llama_print_system_info()


def main() -> None:
    options = bench.parser(__doc__, shape="qwen2.5-0.5b")
    options.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--vocabulary", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.vocabulary:
        print(json.dumps({"vocabulary": vocabulary(given.vocabulary)}))
        return
    if given.child:
        print(json.dumps(asyncio.run(child(given.child))))
        return
    bench.show(measured(given), as_json=given.json)


if __name__ == "__main__":
    main()
