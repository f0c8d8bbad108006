"""What the benchmarks of the model share: a file of a real shape, options, things to say, figures that may lack."""

import argparse
import asyncio
import json
import os
import platform
import random
from collections.abc import Mapping
from pathlib import Path

from benchmarks import _measure as measure
from benchmarks._words import WORDS
from benchmarks.synthetic_gguf import SHAPES, cached
from pi_memory.model import openmp
from pi_memory.model.local import LocalModel
from pi_memory.types import Message, Usage

Figures = Mapping[str, float | int | str | bool | None]
"""None: could not be measured; `NAME_missing` says why."""

LABELS = ("garden/irrigation", "house/weather", "shop/billing", "project/memory", "chatter")
INSTRUCTION = "Which project topic fits what was said? Answer with one of: " + ", ".join(LABELS)


def parser(doc: str | None, *, shape: str) -> argparse.ArgumentParser:
    made = measure.parser(doc)
    made.add_argument("--quick", action="store_true", help="a few seconds on a tiny model: does it run at all?")
    made.add_argument("--shape", choices=SHAPES, default=shape, help="of the synthetic model")
    return made


def model_file(options: argparse.Namespace) -> Path:
    """Of the shape that is asked for. What is loaded then waits as in the daemon."""
    os.environ.update(openmp.variables("auto", platform.machine(), os.environ))
    if options.quick:
        options.shape = "tiny"
    return cached(options.shape)


def show(figures: Figures, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures))
        return
    measure.show({name: "-" if value is None else value for name, value in figures.items()}, as_json=False)


def said(chance: random.Random, words: int) -> str:
    """Something to say: `words` words, about one token each."""
    return " ".join(chance.choices(WORDS, k=words))


def message(chance: random.Random, words: int, *, recalled: int = 0) -> Message:
    """A user's message, with lines of recalled memories in front, as they stand in a prompt."""
    lines = [f"- the user said: {said(chance, 10)}" for _ in range(recalled)]
    return Message("user", said(chance, words), "\n".join(lines))


async def reply(model: LocalModel, messages: list[Message], *, most: int) -> tuple[str, Usage]:
    # To its very end: only then the model knows the reply's ids.
    *pieces, usage = [item async for item in model.generate(messages, max_tokens=most)]
    assert isinstance(usage, Usage)
    return "".join(map(str, pieces)), usage


async def settle(model: LocalModel) -> None:
    """Wait until nothing is under way that nobody waits for."""
    # No part of the daemon needs to know this, so that there is nothing to wait for but a look now and then.
    while model.steps is not None:  # noqa: ASYNC110
        await asyncio.sleep(0.005)


def quantile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` of all do not pass."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
