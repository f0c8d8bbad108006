"""Tokens that the model computes for memory, in each turn: a tag after every one, a summary now and then."""

import argparse
import asyncio
import random

from benchmarks import _engine as bench
from pi_memory.errors import Unprocessable
from pi_memory.model.local import LocalModel
from pi_memory.turn import Message

CONTEXT, WORDS, RECALLED, REPLY = 8192, 36, 3, 64
SUMMARIES, SUMMARY_TOKENS = 2, 205
"""Of at most `max(200, 2.5 % of the context)` tokens each."""
SUMMARY = (
    "Summarise what was said so far: decisions and why, what succeeded and failed, open questions, current state. "
    "No file contents, no tool output, no repeated failures."
)
GRAMMAR = "root ::= [a-z ]+"
MISSING = (
    "the daemon has no compaction yet, and its tagger does not ask the model: "
    "by_fork is what the same questions cost when asked by the interface that is there for them"
)


async def measured(options: argparse.Namespace) -> bench.Figures:
    turns = 10 if options.quick else options.turns
    model = LocalModel.open(bench.model_file(options), context_tokens=CONTEXT, temperature=0)
    chance, messages, without_room = random.Random(0), list[Message](), 0
    for turn in range(1, turns + 1):
        messages.append(bench.message(chance, WORDS, recalled=RECALLED))
        text, _ = await bench.reply(model, messages, most=REPLY)
        messages.append(Message("assistant", text))
        model.prepare(messages)
        try:
            await model.choose(messages, bench.INSTRUCTION, bench.LABELS)
            if turn % (turns // SUMMARIES) == 0:
                written = await model.write(messages, SUMMARY, grammar=GRAMMAR, cap=SUMMARY_TOKENS)
                messages = [Message("system", written), *messages[-8:]]  # a compaction as it will be
        except Unprocessable:
            without_room += 1
        await bench.settle(model)
    counts = model.counts
    await model.close()
    tags, texts = counts["choose"], counts["write"]
    return {
        "shape": options.shape,
        "turns": turns,
        "llm_tokens_per_turn": None,
        "llm_tokens_per_turn_missing": MISSING,
        "llm_tokens_per_turn_by_fork": (tags.evaluated + texts.evaluated) / turns,
        "tag_tokens_per_turn": tags.evaluated / turns,
        "tag_steps_generated": tags.generated,
        "tokens_of_a_summary": texts.evaluated / SUMMARIES,
        "submitted_per_turn": (tags.submitted + texts.submitted) / turns,
        "questions_without_room": without_room,
    }


def main() -> None:
    options = bench.parser(__doc__, shape="tiny")
    options.add_argument("--turns", type=int, default=50)
    given = options.parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
