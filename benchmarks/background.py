"""A chat with and without memory work in the background: the same tokens, and how much slower."""

import argparse
import asyncio
import contextlib
import random
import statistics
import time
from collections.abc import AsyncIterator

from benchmarks import _engine as bench
from pi_memory.model.local import LocalModel
from pi_memory.types import AnswerForm, Message

CONTEXT, WORDS, REPLY = 2048, 60, 32
SUMMARY = "Summarise what was decided, what is open, and what comes next, in a few words."
GRAMMAR = "root ::= [a-z ]+"


class Side:
    """One of two models that have the same chat."""

    def __init__(self, model: LocalModel) -> None:
        self.model = model
        self.messages: list[Message] = []
        self.seconds: list[float] = []

    async def turn(self, message: Message) -> None:
        self.messages.append(message)
        start = time.perf_counter()
        text, _ = await bench.reply(self.model, self.messages, most=REPLY)
        self.seconds.append(time.perf_counter() - start)
        self.messages.append(Message("assistant", text))

    def tokens(self) -> list[int]:
        """The whole chat, replies with the ids they were generated with."""
        return self.model.prompt_tokens.prompt(self.messages)  # compared, not used: the model gives no ids away


class Work:
    """Memory's questions, without a pause: about the chat itself, and about another conversation."""

    def __init__(self, side: Side) -> None:
        self._side = side
        chance = self._chance = random.Random(9)
        self._other = [bench.message(chance, 200), Message("assistant", bench.said(chance, 40))]
        self.asked = 0

    @contextlib.asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self._choose()), asyncio.create_task(self._write())]
        await self._answered()
        await asyncio.sleep(self._chance.uniform(0, 0.2))  # so that the chat finds it in the middle of something
        try:
            yield
            await self._answered()  # it goes on afterwards
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled():
                    task.result()

    async def _answered(self) -> None:
        """Wait for two answers more."""
        wanted = self.asked + 2
        while self.asked < wanted:  # noqa: ASYNC110 - a look now and then disturbs less than an event for each
            await asyncio.sleep(0.01)

    async def _choose(self) -> None:
        while True:
            for messages in (self._other, self._side.messages[:-1]):
                await self._side.model.choose(messages, bench.INSTRUCTION, bench.LABELS)
                self.asked += 1

    async def _write(self) -> None:
        while True:
            await self._side.model.write(self._other, SUMMARY, form=AnswerForm(GRAMMAR), cap=20)
            self.asked += 1


async def measured(options: argparse.Namespace) -> bench.Figures:
    path, turns = bench.model_file(options), 3 if options.quick else options.turns
    quiet, busy = (Side(LocalModel.open(path, context_tokens=CONTEXT, temperature=0)) for _ in range(2))
    work, chance = Work(busy), random.Random(0)
    for _ in range(turns):
        message = bench.message(chance, WORDS)
        await quiet.turn(message)
        async with work.going_on():
            await busy.turn(message)
    same, counts = quiet.tokens() == busy.tokens(), busy.model.counts
    for side in (quiet, busy):
        await side.model.close()
    slower = [b / q for b, q in zip(busy.seconds[1:], quiet.seconds[1:], strict=True)]  # the first turn warms up
    return {
        "shape": options.shape,
        "turns": turns,
        "identical": same,
        "chat_slowdown": sum(busy.seconds[1:]) / sum(quiet.seconds[1:]),
        "chat_slowdown_median_turn": statistics.median(slower),
        "background_answers": work.asked,
        "background_tokens": sum(counts[name].evaluated for name in ("choose", "write")),
        "chat_tokens_evaluated_more": counts["chat"].evaluated - quiet.model.counts["chat"].evaluated,
    }


def main() -> None:
    options = bench.parser(__doc__, shape="qwen2.5-0.5b")
    options.add_argument("--turns", type=int, default=7)
    given = options.parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
