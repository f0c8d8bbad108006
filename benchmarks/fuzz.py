"""Thousands of random conversations on a tiny model: does every reply equal that of a cold run on the same tokens?"""

import argparse
import asyncio
import time

from benchmarks import _engine as bench
from benchmarks import _measure as measure
from tests.gguf_files import write_llama
from tests.model_fuzz import NOISE, Fuzz


def measured(options: argparse.Namespace) -> bench.Figures:
    conversations, start = 40 if options.quick else options.conversations, time.monotonic()
    with measure.folder() as folder:
        fuzz = Fuzz(write_llama(folder / "tiny.gguf", context=512), folder / "state", seed=options.seed)
        # What is wrong by more than the order of sums ends it with an error.
        asyncio.run(fuzz.run(conversations))
        fuzz.close()
    return {
        "conversations": conversations,
        "seed": options.seed,
        "replies": fuzz.replies,
        "equal": fuzz.replies - len(fuzz.ties),
        "near_ties": len(fuzz.ties),
        "widest_tie_logit": max(fuzz.ties, default=0.0),
        "widest_noise_logit": fuzz.noise,
        "noise_allowed_logit": NOISE,
        "seconds": time.monotonic() - start,
    }


def main() -> None:
    options = measure.parser(__doc__)
    options.add_argument("--quick", action="store_true", help="a few seconds: does it run at all?")
    options.add_argument("--conversations", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    bench.show(measured(given), as_json=given.json)


if __name__ == "__main__":
    main()
