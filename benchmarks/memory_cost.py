"""Tokens that the model computes for memory in each turn of a chat with the daemon: tags and compactions."""

import argparse
import asyncio

from benchmarks import _engine as bench
from benchmarks._chat import chat


async def measured(options: argparse.Namespace) -> bench.Figures:
    turns = 8 if options.quick else options.turns
    run = await chat(bench.model_file(options), turns, window=turns)
    chosen, written = run.counts["choose"], run.counts["write"]
    spent = chosen.evaluated + written.evaluated
    return {
        "shape": options.shape,
        "turns": turns,
        "compactions": run.compactions,
        "llm_tokens_per_turn": spent / turns,
        "chosen_per_turn": chosen.evaluated / turns,
        "written_per_turn": written.evaluated / turns,
        "generated_per_turn": (chosen.generated + written.generated) / turns,
        "instructions_per_turn": run.instructions / turns,
        "submitted_per_turn": (chosen.submitted + written.submitted) / turns,
        # And what the chat's prompt costs for a compaction, evaluated while nobody waits: once more what it keeps.
        "summaries_in_the_prompt_per_turn": run.summaries / turns,
        "kept_by_compactions_per_turn": run.kept / turns,
    }


def main() -> None:
    options = bench.parser(__doc__, shape="tiny")
    options.add_argument("--turns", type=int, default=50)
    given = options.parse_args()
    bench.show(asyncio.run(measured(given)), as_json=given.json)


if __name__ == "__main__":
    main()
