"""A chat of many turns through the daemon's own parts, in this process: turn, inbox, tagger, compaction, idle prefill.

What is new is counted beside what the model evaluates. New is text that stood in no prompt before: each message with
what was recalled for it and the markers around it, each reply, each question that memory asks and what it writes, each
summary, and what new conversations will begin with, as far as it has changed. Not new is what a compaction keeps: it
stands at another place, and is evaluated again.

Random weights know no topics: what is asked about them costs what it costs, and the script gives the answers.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import _engine as bench
from benchmarks import _measure as measure
from pi_memory.daemon import running
from pi_memory.embedding.none import NoEmbedder
from pi_memory.model.local import LocalModel
from pi_memory.model.offload import common
from pi_memory.parts import Parts
from pi_memory.settings import build
from pi_memory.tagging import llm_tagger
from pi_memory.types import AnswerForm, Count, Done, Exchange, Message, Purpose, Tag, Turn

CONTEXT, BATCH = 8192, 128
WORDS, RECALLED, REPLY = 50, 3, 112
NAME = "conversation"
TOPICS = ("irrigation", "billing", "weather", "sensor", "house", "invoice", "configuration", "memory")
TOPIC_TURNS = 3
"""Turns that each of `TOPICS` is talked about before the next one."""
BEGAN, TURN_SECONDS = 1_767_225_600.0, 60.0
"""The same in every run, as the first message tells the date."""


@dataclass
class Asked:
    """One prompt of the chat: how many of its tokens were never in a prompt before, and were evaluated for it."""

    messages: Sequence[Message]
    new: int
    evaluated: int


@dataclass
class Run:
    asked: list[Asked] = field(default_factory=list)
    generated: int = 0
    instructions: int = 0
    summaries: int = 0
    beginnings: int = 0
    kept: int = 0
    """Tokens of exchanges known before, evaluated again at their new place after a compaction."""
    compactions: int = 0
    counts: dict[Purpose, Count] = field(default_factory=dict)
    tags: list[Tag] = field(default_factory=list)

    @property
    def new(self) -> int:
        asked = sum(a.new for a in self.asked) + self.instructions
        return asked + self.generated + self.counts["write"].generated + self.summaries + self.beginnings

    def clock(self) -> float:
        return BEGAN + TURN_SECONDS * len(self.asked)

    @property
    def evaluated(self) -> int:
        return sum(count.evaluated for count in self.counts.values())


class Chat:
    """The daemon's own turns, with lines of recalled memories put where a focus edit is told."""

    def __init__(self, parts: Parts, model: "Counting", run: Run) -> None:
        self._parts = parts
        self._model = model
        self._chance = random.Random(1)
        self._replied = 0
        self._summary = ""
        self.run = run

    async def turn(self, *, edit: bool) -> None:
        self._model.topic = TOPICS[len(self.run.asked) // TOPIC_TURNS % len(TOPICS)]
        message = bench.message(self._chance, WORDS, recalled=RECALLED)
        if edit:
            await self._edit()
        elif self.run.asked:
            self._parts.windows.mention(message.context)
        *_, done = [event async for event in self._parts.streams.start(Turn(message.content, NAME))]
        assert isinstance(done, Done)
        self._note(done)
        await self._parts.inbox.drain()
        await self._parts.reflection.drain()
        await bench.settle(self._model)
        self._note_compaction()

    def _note(self, done: Done) -> None:
        messages = self._messages()
        whole = self._model.count_prompt(messages[:-1])
        known = self._model.count_prompt(messages[:-3]) + self._replied if len(messages) > 3 else 0
        self.run.asked.append(Asked(messages[:-1], whole - known, done.usage.evaluated_tokens))
        self._replied = done.usage.completion_tokens
        self.run.generated += self._replied

    def _note_compaction(self) -> None:
        found = self._parts.windows.last(NAME)
        assert found
        if found.summary == self._summary:
            return
        self._summary = found.summary
        self.run.compactions += 1
        ledger = self._model.prompt_tokens  # counted, not used: the model gives no ids away
        standing = Message("system", found.standing.text if found.standing else "")
        all_of_it, system, known = (ledger.prefix(m) for m in (found.messages, found.messages[:1], [standing]))
        self.run.summaries += len(system) - common(system, known)
        self.run.kept += len(all_of_it) - len(system)

    async def _edit(self) -> None:
        """Edit the focus file by hand, as an editor would save it."""
        path = self._parts.settings.focus_file
        path.parent.mkdir(parents=True, exist_ok=True)
        old = path.read_text() if path.exists() else "# Recent Focus\n"
        path.write_text(f"{old}\n## Active\n\n### garden/irrigation\n- Files: valves.py\n")
        await self._parts.focus.read_file()

    def _messages(self) -> list[Message]:
        found = self._parts.windows.last(NAME)
        assert found
        return list(found.messages)


class Counting(LocalModel):
    """Counts the tokens of what memory asks: those of the prompt behind the conversation's own. Knows the topic."""

    run: Run
    topic = ""
    beginning: list[int] | None = None

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        self._count(messages, instruction)
        await super().choose(messages, instruction, labels)
        return self.topic if self.topic in labels else llm_tagger.OTHER

    async def write(self, messages: Sequence[Message], instruction: str, *, form: AnswerForm, cap: int) -> str:
        self._count(messages, instruction)
        written = await super().write(messages, instruction, form=form, cap=cap)
        return self.topic if instruction == llm_tagger.NAME else written

    def prepare(self, messages: Sequence[Message]) -> None:
        super().prepare(messages)
        if len(messages) == 1:
            tokens = self.prompt_tokens.prefix(messages)
            # The first one is that of the conversation, and counted with its first message.
            self.run.beginnings += len(tokens) - common(self.beginning, tokens) if self.beginning is not None else 0
            self.beginning = tokens

    def _count(self, messages: Sequence[Message], instruction: str) -> None:
        asked = self.prompt_tokens.prompt([*messages, Message("user", instruction)])
        said = self.prompt_tokens.prompt(messages[:-1])
        reply = self.prompt_tokens.count(messages[-1].text)
        self.run.instructions += len(asked) - len(said) - reply


class Recorded:
    """A tagger's tags, kept for a run that gets the same ones without asking for them."""

    def __init__(self, tag: Any) -> None:
        self._tag = tag
        self.tags: list[Tag] = []

    async def tag(self, exchange: Exchange, **scene: Any) -> Tag:
        self.tags.append(await self._tag(exchange, **scene))
        return self.tags[-1]


class Played:
    """Tags that were recorded."""

    def __init__(self, tags: Sequence[Tag]) -> None:
        self._tags = iter(tags)

    async def tag(self, exchange: Exchange, **scene: Any) -> Tag:
        return next(self._tags)


async def chat(path: Path, turns: int, *, window: int, tags: Sequence[Tag] | None = None) -> Run:
    """With a hand edit of the focus file halfway. The model is asked for the topic of each exchange, unless the `tags`
    are given."""
    values: dict[str, object] = {"MEMORY_MAX_TURNS": window, "PI_MEMORY_MAX_TOKENS": REPLY, "CTX_TOKENS": CONTEXT}
    values["PI_MEMORY_TAGGER"] = "model" if tags is None else "rules"
    with measure.folder() as folder:
        settings = build({"PI_MEMORY_DATA_DIR": folder / "data", **values}, environ={})
        made = Counting.open(path, context_tokens=CONTEXT, temperature=0)
        made.run = Run()
        async with running(settings, model=made, embedder=NoEmbedder(), clock=made.run.clock) as parts:
            await parts.model.ready()
            while tags is None and not isinstance(parts.tagger.now.tagger, llm_tagger.LlmTagger):  # noqa: ASYNC110 - when it comes
                await asyncio.sleep(0.01)
            await bench.settle(made)
            tagger: Any = parts.tagger.now.tagger
            recorded = Recorded(tagger.tag)
            tagger.tag = recorded.tag if tags is None else Played(tags).tag
            script = Chat(parts, made, made.run)
            for turn in range(turns):
                await script.turn(edit=turn == turns // 2)
            made.run.counts, made.run.tags = dict(made.counts), recorded.tags
        return made.run
