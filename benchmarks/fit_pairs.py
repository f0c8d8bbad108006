"""Fit the adapter with which the embedder reads two statements as one: whether the newer makes the older untrue.

Vectors of two statements say what each is about, not how one bears on the other; a model that reads both at once
attends from the words of one to those of the other (arXiv 1901.04085). It learns on the cases of `fit_heads`, each held
against the nearest of what was said before, by two authors in three: on the third the judges are fitted, which have to
know how well it reads voices that are new to it.

It goes on from the adapter that there is; for one from the bare model, remove that first; with `--further NAME ...` on
what some authors wrote, whose names begin so (`people`: those of `everyday`), and a share of the rest.
`scripts/fit-pairs` runs it, in an hour of two cores, after `scripts/fit-embedder`, as what is nearest comes from there;
then `scripts/fit-heads`.
"""

import argparse
import asyncio
import importlib
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fit_embedder import ADAPTER, Adapted, Steps
from benchmarks.fit_heads import ADAPTERS, EMBEDDER, HEADS, Case, cases, is_left, load_reading, save_reading
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.types import Vectors

torch: Any = importlib.import_module("torch")

ROUNDS, FURTHER_ROUNDS, CASES = 2, 1, 10
"""Rounds from the bare model, and from the adapter that there is, and cases of a step."""
SHARE = 0.25
"""Of what is known, that is read again beside new authors."""
NEAR, NEAR_PLAIN, FAR = 4, 3, 1
"""What a case is held against: the nearest, fewer if it is about none of them, and any others."""
OFTEN = 50
"""Steps between two lines that tell how far it is."""


class Reading:
    """A model that learns to read pairs; `start` is the adapter from which it goes on, and `head` its weights."""

    def __init__(self, start: Path, head: Path) -> None:
        self.model = Adapted(start)
        self.head = torch.nn.Linear(self.model.dimensions, 1)
        self._rounds = FURTHER_ROUNDS if self.model.is_adapted else ROUNDS
        if self.model.is_adapted:
            load_reading(head, self.head)

    def odds(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """Log-odds that the first text of each makes the second untrue, shape (len(pairs),)."""
        ids = [[*self.model.ids(new), *self.model.ids(old)[1:]] for new, old in pairs]
        return self.head(self.model.means(ids))[:, 0]

    def fit(self, given: Sequence[Case], vectors: Mapping[str, Vectors], *, chance: random.Random) -> None:
        steps = Steps([*self.model.parameters, *self.head.parameters()], self._rounds * len(given) // CASES)
        self.model.learning(is_on=True)
        losses: list[float] = []
        for _ in range(self._rounds):
            order = chance.sample(given, len(given))
            for at in range(0, len(order) - CASES + 1, CASES):
                of_step = [each for case in order[at : at + CASES] for each in _beside(case, vectors, chance)]
                pairs, ended = zip(*of_step, strict=True)
                loss = torch.nn.functional.binary_cross_entropy_with_logits(self.odds(pairs), torch.tensor(ended))
                steps.take(loss)
                losses.append(loss.item())
                if len(losses) % OFTEN == 0:
                    print(f"{len(losses)} of {steps.count} steps, loss {sum(losses[-OFTEN:]) / OFTEN:.3f}", flush=True)


def _beside(
    case: Case, vectors: Mapping[str, Vectors], chance: random.Random
) -> Iterator[tuple[tuple[str, str], float]]:
    """A case beside some older statements, and whether it ends each, 1.0 or 0.0."""
    nearest = sorted(case.olds, key=lambda text: -float(vectors[case.new] @ vectors[text]))
    near = nearest[: NEAR if case.about else NEAR_PLAIN]
    far = chance.sample(case.olds, min(FAR, len(case.olds)))
    for old in dict.fromkeys([*([case.about] if case.about else []), *near, *far]):
        yield (case.new, old), float(old == case.ends)


async def _embedded(given: Sequence[Case]) -> dict[str, Vectors]:
    embedder = GgufEmbedder.open(EMBEDDER, adapters=ADAPTERS, threads=2)
    texts = [*dict.fromkeys(text for case in given for text in (case.new, *case.olds))]
    found = dict(zip(texts, await embedder.embed(texts), strict=True))
    await embedder.close()
    return found


def further(given: Sequence[Case], names: Sequence[str], chance: random.Random) -> list[Case]:
    """What authors wrote whose names begin so, and a share of the rest."""
    chosen = [case for case in given if case.author.startswith(tuple(names))]
    rest = [case for case in given if not case.author.startswith(tuple(names))]
    return chosen + chance.sample(rest, int(SHARE * len(rest)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--further", nargs="+", metavar="NAME", help="go on with authors called so, and some of the rest"
    )
    options = parser.parse_args()
    torch.manual_seed(0)
    given = [case for case in cases() if not is_left(case.author)]
    if options.further:
        given = further(given, options.further, random.Random(1))
    adapter, head = ADAPTER.with_stem("pairs"), HEADS / "pairs.json"
    reading = Reading(adapter, head)
    reading.fit(given, asyncio.run(_embedded(given)), chance=random.Random(0))
    reading.model.write(adapter)
    save_reading(head, reading.head)
    print(adapter, head)


if __name__ == "__main__":
    main()
