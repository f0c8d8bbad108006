"""Tokens evaluated for each new one in a chat of 50 turns: ours, and the same script on llama_cpp.Llama."""

import argparse
import asyncio
from pathlib import Path

from benchmarks import _engine as bench
from benchmarks import _stock as stock
from benchmarks._chat import BATCH, CONTEXT, REPLY, Run, chat


def ratio(run: Run) -> float:
    return run.evaluated / run.new


def undisturbed(run: Run) -> float:
    """Share of turns for which nobody waited until something was evaluated again; the reply's last token is new."""
    return sum(a.evaluated <= a.new + 1 for a in run.asked) / len(run.asked)


def stock_ratio(path: Path, run: Run, *, apart: bool) -> float:
    """The same words, recalled lines, compactions, and a tag after each turn; its own replies. No summaries are asked
    of it. `apart`: tags in prompts of their own.
    """
    said = []
    for index, asked in enumerate(run.asked):
        first = index - (len(asked.messages) - 2) // 2
        said.append(stock.Said(asked.messages[0].content, first, asked.messages[-1].text))
    costs = stock.run(stock.Script(str(path), CONTEXT, BATCH, REPLY, bench.INSTRUCTION, apart, said))
    evaluated = sum(cost.evaluated + cost.tag_evaluated for cost in costs)
    told = sum(asked.new for asked in run.asked) + run.generated + run.summaries
    return evaluated / (told + sum(cost.tag_new + cost.tag_generated for cost in costs))


async def measured(options: argparse.Namespace) -> bench.Figures:
    path, turns = bench.model_file(options), 6 if options.quick else options.turns
    run = await chat(path, turns, window=turns)
    unasked = await chat(path, turns, window=turns, tags=run.tags)
    short = await chat(path, turns, window=8)
    chats = [r.counts["chat"].evaluated + r.counts["idle"].evaluated for r in (run, unasked)]
    return {
        "shape": options.shape,
        "turns": turns,
        "ratio": ratio(run),
        # As if a summary were nothing new in the prompt: it may have been written by the model before.
        "ratio_if_summaries_are_not_new": run.evaluated / (run.new - run.summaries),
        "stock_ratio": stock_ratio(path, run, apart=False),
        "stock_ratio_tags_apart": stock_ratio(path, run, apart=True),
        "turns_without_reprefill": undisturbed(run),
        "reevaluated_by_background": chats[0] - chats[1],
        "compactions": run.compactions,
        "kept_by_compactions": run.kept,
        "tokens_of_summaries": run.summaries,
        "tokens_of_instructions": run.instructions,
        "evaluated_by_tags_and_summaries": sum(run.counts[name].evaluated for name in ("choose", "write")),
        "new_tokens": run.new,
        "evaluated_tokens": run.evaluated,
        "evaluated_while_nobody_waits": run.counts["idle"].evaluated,
        "ratio_at_window_of_8": ratio(short),
        "turns_without_reprefill_at_window_of_8": undisturbed(short),
        "compactions_at_window_of_8": short.compactions,
    }


def main() -> None:
    options = bench.parser(__doc__, shape="tiny")
    options.add_argument("--turns", type=int, default=50)
    given = options.parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
