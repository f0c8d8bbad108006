"""Decode and prefill of our model against a bare llama_decode loop of the same settings, in turns."""

import argparse
import asyncio
import random
import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks import _engine as bench
from pi_memory.model.library import library, open_model
from pi_memory.model.llama_context import ContextSize, LlamaContext
from pi_memory.model.local import LocalModel
from pi_memory.types import Message, Usage

CONTEXT = 2048


class Bare:
    """Nothing but llama_decode, in a context of its own on a model of its own: no sampling, no text, no bookkeeping."""

    def __init__(self, path: Path) -> None:
        self._llama = library()
        self._context = LlamaContext(
            self._llama, open_model(path), ContextSize(context_tokens=CONTEXT, sequences=ContextSize().sequences + 1)
        )
        self._batch = self._llama.llama_batch_init(self._context.batch, 0, 1)

    def seconds(self, prompt: list[int], generated: list[int]) -> tuple[float, float]:
        """Of evaluating a prompt as quickly as the context's batch allows, and of as many single tokens."""
        self._context.clear(0)
        size, start = self._context.batch, time.perf_counter()
        for first in range(0, len(prompt), size):
            self._decode(prompt[first : first + size], first)
        self._llama.llama_synchronize(self._context.pointer)
        between = time.perf_counter()
        for index, token in enumerate(generated):
            self._decode([token], len(prompt) + index)
        self._llama.llama_synchronize(self._context.pointer)
        return between - start, time.perf_counter() - between

    def _decode(self, tokens: list[int], position: int) -> None:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index], batch.pos[index], batch.n_seq_id[index] = token, position + index, 1
            batch.seq_id[index][0], batch.logits[index] = 0, index == len(tokens) - 1
        assert self._llama.llama_decode(self._context.pointer, batch) == 0


class Pieces:
    """Counts the calls that turn a token into text."""

    def __init__(self) -> None:
        self.calls = 0
        self._real: Any = library().llama_token_to_piece
        library().llama_token_to_piece = self._counted

    def _counted(self, *arguments: Any) -> Any:
        self.calls += 1
        return self._real(*arguments)


async def ours(model: LocalModel, text: str, most: int) -> tuple[Usage, float, float]:
    """The usage of a reply, and the seconds up to its first piece and from there to its end."""
    start = time.perf_counter()
    first = None
    async for item in model.generate([Message("user", text)], max_tokens=most):
        first = first or time.perf_counter()
        if isinstance(item, Usage):
            return item, first - start, time.perf_counter() - first
    raise AssertionError("a reply ends with its usage")


async def measured(options: argparse.Namespace) -> bench.Figures:
    path = bench.model_file(options)
    words, most, rounds = (200, 16, 2) if options.quick else (240, 24, options.rounds)
    bare, pieces = Bare(path), Pieces()
    model = LocalModel.open(path, context_tokens=CONTEXT, temperature=0)
    chance = random.Random(0)
    times, called, made = list[tuple[float, float, float, float]](), 0, 0
    for number in range(rounds + 1):
        text, before = bench.said(chance, words), pieces.calls
        usage, before_first, rest = await ours(model, text, most)
        calls = pieces.calls - before
        # As many tokens as ours evaluated; the first piece came after one sampling, the others after one decode each.
        told = bare.seconds([300] * usage.evaluated_tokens, [300] * (usage.completion_tokens - 1))
        if not number:
            continue  # warms up
        read, written = usage.evaluated_tokens, usage.completion_tokens - 1
        times.append((before_first / read, told[0] / read, rest / written, told[1] / written))
        called, made = called + calls, made + usage.completion_tokens
    await model.close()
    reading, reading_bare, writing, writing_bare = map(min, zip(*times, strict=True))
    return {
        "shape": options.shape,
        "rounds": rounds,
        # Whatever else runs only adds time: the quickest round of each tells what they take by themselves.
        "prefill_ratio": reading_bare / reading,
        "decode_ratio": writing_bare / writing,
        "prefill_ratio_median_round": statistics.median(bare / ours for ours, bare, *_ in times),
        "decode_ratio_median_round": statistics.median(bare / ours for *_, ours, bare in times),
        "pieces_per_token": called / made,
        "bare_decode_tokens_per_second": 1 / writing_bare,
    }


def main() -> None:
    options = bench.parser(__doc__, shape="qwen2.5-0.5b")
    options.add_argument("--rounds", type=int, default=30)
    given = options.parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
