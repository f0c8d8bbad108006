"""Tokens evaluated for each new one in a chat of 50 turns: ours, and the same script on llama_cpp.Llama."""

import argparse
import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import _engine as bench
from benchmarks import _measure as measure
from benchmarks import _stock as stock
from pi_memory.app import running
from pi_memory.embedding.none import NoEmbedder
from pi_memory.errors import Unprocessable
from pi_memory.http.parts import Parts
from pi_memory.model.local import LocalModel
from pi_memory.settings import build
from pi_memory.turn import Count, Done, Message, Purpose, Turn

CONTEXT, BATCH = 8192, 128
WORDS, RECALLED, REPLY = 50, 3, 128
NAME = "conversation"
CUTS = "window cuts stand for the two compactions: there is no compaction yet"


@dataclass
class Asked:
    """One prompt of the chat: how many of its tokens were never in a prompt before, and were evaluated for it."""

    messages: Sequence[Message]
    new: int
    evaluated: int
    cut: bool


@dataclass
class Run:
    asked: list[Asked] = field(default_factory=list)
    generated: int = 0
    instructions: int = 0
    untagged: int = 0
    moved: int = 0
    """Tokens known before that stood at another place after a cut, and so had to be evaluated once more."""
    counts: dict[Purpose, Count] = field(default_factory=dict)

    @property
    def new(self) -> int:
        return sum(a.new for a in self.asked) + self.generated + self.instructions

    @property
    def evaluated(self) -> int:
        return sum(count.evaluated for count in self.counts.values())


class Chat:
    """The daemon's own turns in this process, with lines of recalled memories put where a focus edit is told."""

    def __init__(self, parts: Parts, model: LocalModel, *, tags: bool) -> None:
        self._parts = parts
        self._model = model
        self._tags = tags
        self._chance = random.Random(1)
        self._replied = 0
        self.run = Run()

    async def turn(self, *, edit: bool) -> None:
        message = bench.message(self._chance, WORDS, recalled=RECALLED)
        if edit:
            await self._edit()
        elif self.run.asked:
            self._parts.memory.mention(message.context)
        *_, done = [event async for event in self._parts.turns.start(Turn(message.content, NAME))]
        assert isinstance(done, Done)
        messages = self._messages()
        self._note(messages[:-1], done, cut=done.receipt.exchanges_left_out > 0)
        if self._tags:
            await self._tag(messages)
        await bench.settle(self._model)

    async def _tag(self, messages: list[Message]) -> None:
        try:
            await self._model.choose(messages, bench.INSTRUCTION, bench.LABELS)
        except Unprocessable:
            self.run.untagged += 1  # prompt and reply have filled the context
            return
        asked = [*messages, Message("user", bench.INSTRUCTION)]
        whole, before = self._model.count_prompt(asked), self._model.count_prompt(messages[:-1])
        self.run.instructions += whole - before - self._replied

    def _note(self, messages: list[Message], done: Done, *, cut: bool) -> None:
        """What is new: the message, and the markers around it. What a cut moved is not new."""
        whole = self._model.count_prompt(messages)
        known = self._model.count_prompt(messages[:-2]) + self._replied if self.run.asked else 0
        slid = bool(self.run.asked) and len(messages) <= len(self.run.asked[-1].messages)
        if cut or slid:
            self.run.moved += max(0, known - len(self._model._ledger.prefix(messages[:1])))
        self.run.asked.append(Asked(messages, whole - known, done.usage.evaluated_tokens, cut or slid))
        self._replied = done.usage.completion_tokens
        self.run.generated += self._replied

    async def _edit(self) -> None:
        """Edit the focus file by hand, as an editor would save it."""
        path = self._parts.settings.focus_file
        path.parent.mkdir(parents=True, exist_ok=True)
        old = path.read_text() if path.exists() else "# Recent Focus\n"
        path.write_text(f"{old}\n## Active\n\n### garden/irrigation\n- Files: valves.py\n")
        await self._parts.focus.read_file()

    def _messages(self) -> list[Message]:
        found = self._parts.memory.get(NAME, self._parts.clock())
        assert found
        assert found.standing
        said = [m for e in found.exchanges for m in (Message("user", e.user, e.context), Message("assistant", e.reply))]
        return [Message("system", found.standing.text), *said]


async def chat(path: Path, turns: int, *, tags: bool, window: int) -> Run:
    values = {"PI_MEMORY_MAX_TOKENS": REPLY, "MEMORY_MAX_TURNS": window, "CTX_TOKENS": CONTEXT}
    with measure.folder() as folder:
        settings = build({"PI_MEMORY_DATA_DIR": folder / "data", **values}, environ={})
        model = LocalModel.open(path, context_tokens=CONTEXT, temperature=0)
        async with running(settings, model=model, embedder=NoEmbedder()) as parts:
            await parts.model.ready()
            await asyncio.sleep(0.1)
            await bench.settle(model)
            script = Chat(parts, model, tags=tags)
            for turn in range(turns):
                await script.turn(edit=turn == turns // 2)
            script.run.counts = dict(model.counts)
        return script.run


def ratio(run: Run) -> float:
    return run.evaluated / run.new


def undisturbed(run: Run) -> float:
    """Share of turns for which nobody waited until something was evaluated again; the reply's last token is new."""
    return sum(a.evaluated <= a.new + 1 for a in run.asked) / len(run.asked)


def stock_ratio(path: Path, run: Run, *, apart: bool) -> float:
    """The same words, recalled lines, cuts and tags; its own replies. `apart`: tags in prompts of their own."""
    said = []
    for index, asked in enumerate(run.asked):
        first = index - (len(asked.messages) - 2) // 2
        said.append(stock.Said(asked.messages[0].content, first, asked.messages[-1].text))
    costs = stock.run(stock.Script(str(path), CONTEXT, BATCH, REPLY, bench.INSTRUCTION, apart, said))
    evaluated = sum(cost.evaluated + cost.tag_evaluated for cost in costs)
    return evaluated / (run.new + sum(cost.tag_generated for cost in costs))


async def measured(options: argparse.Namespace) -> bench.Figures:
    path, turns = bench.model_file(options), 6 if options.quick else options.turns
    run = await chat(path, turns, tags=True, window=turns)
    untagged = await chat(path, turns, tags=False, window=turns)
    short = await chat(path, turns, tags=True, window=8)
    chats = [r.counts["chat"].evaluated + r.counts["idle"].evaluated for r in (run, untagged)]
    return {
        "shape": options.shape,
        "turns": turns,
        "ratio": ratio(run),
        "ratio_but_for_cuts": (run.evaluated - run.moved) / run.new,
        "stock_ratio": stock_ratio(path, run, apart=False),
        "stock_ratio_tags_apart": stock_ratio(path, run, apart=True),
        "turns_without_reprefill": undisturbed(run),
        "reevaluated_by_background": chats[0] - chats[1],
        "evaluated_by_tags": run.counts["choose"].evaluated,
        "tokens_of_instructions": run.instructions,
        "tags_without_room": run.untagged,
        "new_tokens": run.new,
        "evaluated_tokens": run.evaluated,
        "evaluated_while_nobody_waits": run.counts["idle"].evaluated,
        "window_cuts": sum(a.cut for a in run.asked),
        "compactions": None,
        "compactions_missing": CUTS,
        "ratio_at_window_of_8": ratio(short),
        "turns_without_reprefill_at_window_of_8": undisturbed(short),
        "window_cuts_at_window_of_8": sum(a.cut for a in short.asked),
    }


def main() -> None:
    options = bench.parser(__doc__, shape="tiny")
    options.add_argument("--turns", type=int, default=50)
    given = options.parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
