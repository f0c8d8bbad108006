"""Fit the adapter with which the embedder reads one sentence: whether it states a fact that is worth keeping, and
whether it asks for what only its user can have told.

A vector says what a sentence is about, and `the key is in the shed` is about the same as `the key is in my hand, wait`.
The model with an adapter of its own, and a number for each question above it, tells them apart. It learns on all of
`fit_heads.sentences` and of what is asked. `scripts/fit-sentences` runs it, in a quarter of an hour of two cores that
multiply bfloat16, in an hour of others; `--further AUTHOR ...` goes on from what there is, with what some new authors
wrote and a share of the rest, in minutes.
"""

import argparse
import importlib
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fit_embedder import ADAPTER, AT_ONCE, Adapted, Steps
from benchmarks.fit_heads import HEADS, Labelled, is_left, questions, report, save_reading, sentences
from pi_memory.judges import heads

torch: Any = importlib.import_module("torch")

ROUNDS, TEXTS = 3, 32
"""How often each text is read, and texts of a step."""
ALIKE = 16
"""Steps whose texts are sorted by length, so that little of a step is padding."""
OFTEN = 100
"""Steps between two lines that tell how far it is."""
SURENESS = {"worth": 0.55, "asked": 0.65}
"""What is left of the log-odds: on authors left out they are surer than right and hold by these (`--report`)."""
OFTENER = {"worth": 0.0, "asked": 0.6}
"""What is added to the log-odds: in chats more is asked of one's own than in the texts. Of 27 people who were looked at
0.021 of what is general and 0.979 of what is their own is likelier their own than not; with 0.4 0.021 and 0.977.
"""
BIDS = (
    "remind me {}", "remind me, {}", "{}, remind me", "can you remind me {}", "tell me {}", "look up {}",
    "look up {} for me", "get me {}", "find me {}", "{} please", "quick, {}", "in short, {}", "I need to know {}",
    "do you know {}", "{} again",
)  # fmt: skip
"""How somebody bids rather than asks, of what is their own and of what is not."""
AGAIN, SHARE = 2, 0.2
"""How often what new authors wrote is read when it goes on, and the share of the rest that is read once."""
ONE_BIDS = 4
"""One question in so many is there once more as somebody bids."""


class Reading:
    """A model that learns to answer several questions about a text, each with a `torch.nn.Linear` of its own; it begins
    with the adapter of the file `start` and what was saved with it, if there is one.
    """

    def __init__(self, names: Sequence[str], start: Path | None = None) -> None:
        self.model = Adapted(start)
        self.heads = {name: torch.nn.Linear(self.model.dimensions, 1) for name in names}
        for name, head in self.heads.items() if start else ():
            kept, scale = heads.Reading.load(HEADS / f"{name}-read.json"), SURENESS[name]
            head.weight.data.copy_(torch.tensor(kept.weights / scale))
            head.bias.data.fill_((kept.bias - OFTENER[name]) / scale)

    def odds(self, name: str, texts: Sequence[str]) -> Any:
        """Log-odds that the answer is yes for each, shape (len(texts),)."""
        return self.heads[name](self.model.means([self.model.ids(text) for text in texts]))[:, 0]

    def fit(self, given: Mapping[str, Sequence[Labelled]], *, rounds: int, chance: random.Random) -> None:
        weights = [weight for head in self.heads.values() for weight in head.parameters()]
        steps = Steps([*self.model.parameters, *weights], sum(rounds * len(each) // TEXTS for each in given.values()))
        self.model.learning(is_on=True)
        losses: list[float] = []
        for _ in range(rounds):
            of_all = [(name, *step) for name, each in given.items() for step in _of_steps(each, chance)]
            for name, texts, labels in chance.sample(of_all, len(of_all)):
                odds = self.odds(name, texts)
                loss = torch.nn.functional.binary_cross_entropy_with_logits(odds, torch.tensor(labels))
                steps.take(loss)
                losses.append(loss.item())
                if len(losses) % OFTEN == 0:
                    print(f"{len(losses)} of {steps.count} steps, loss {sum(losses[-OFTEN:]) / OFTEN:.3f}", flush=True)

    def read(self, name: str, texts: Sequence[str]) -> Any:
        """As `odds`, without learning from it; an array."""
        self.model.learning(is_on=False)
        with torch.no_grad():
            found = [self.odds(name, texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)]
        return torch.cat(found).numpy()


def _of_steps(given: Sequence[Labelled], chance: random.Random) -> Iterator[tuple[list[str], list[float]]]:
    """All of it once, in steps of texts of about one length."""
    order = chance.sample(given, len(given))
    few = ALIKE * TEXTS
    order = [each for at in range(0, len(order), few) for each in sorted(order[at : at + few], key=_length)]
    for at in range(0, len(order) - TEXTS + 1, TEXTS):
        step = order[at : at + TEXTS]
        yield [text for text, _, _ in step], [float(label) for _, label, _ in step]


def _length(given: Labelled) -> int:
    return len(given[0])


def asked() -> list[Labelled]:
    """The questions, and some of them as bids, so that how one bids says nothing of what it is about."""
    given, chance = questions(), random.Random(2)
    asking = [each for each in given if not each[2].startswith("remarks")]
    bidding = [
        (chance.choice(BIDS).format(text[:1].lower() + text[1:].rstrip("?. ")), label, author)
        for text, label, author in chance.sample(asking, len(asking) // ONE_BIDS)
    ]
    return given + bidding


def further(given: Sequence[Labelled], authors: Sequence[str], chance: random.Random) -> list[Labelled]:
    """What some authors wrote, as often as it is read again, and a share of the rest."""
    new = [each for each in given if each[2] in authors]
    rest = [each for each in given if each[2] not in authors]
    return AGAIN * new + chance.sample(rest, int(SHARE * len(rest)))


def held(odds: Any, labels: Any) -> float:
    """The factor by which log-odds are likeliest, in twentieths."""
    factors = np.arange(1, 31) / 20
    return float(min(factors, key=lambda each: np.mean(np.logaddexp(0, (1 - 2 * labels) * each * odds))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true", help="write nothing: leave one author in three out, and tell")
    parser.add_argument("--further", nargs="+", metavar="AUTHOR", help="go on from what there is, with these authors")
    options = parser.parse_args()
    torch.manual_seed(0)
    given, chance = {"worth": sentences(), "asked": asked()}, random.Random(0)
    known = {name: [e for e in each if not (options.report and is_left(e[2]))] for name, each in given.items()}
    if options.further:
        known = {name: further(each, options.further, chance) for name, each in known.items()}
    reading = Reading([*given], ADAPTER.with_stem("sentences") if options.further else None)
    reading.fit(known, rounds=1 if options.further else ROUNDS, chance=chance)
    for name, each in given.items():
        if options.report:
            texts, labels, _ = zip(*(e for e in each if is_left(e[2])), strict=True)
            odds, are = reading.read(name, texts), np.array(labels, np.float64)
            report(f"{name}, read", 1 / (1 + np.exp(-SURENESS[name] * odds)), are)
            print(f"{name}, read: log-odds hold by a factor of {held(odds, are):.2f}")
        else:
            save_reading(HEADS / f"{name}-read.json", reading.heads[name], scale=SURENESS[name], more=OFTENER[name])
    if not options.report:
        reading.model.write(ADAPTER.with_stem("sentences"))


if __name__ == "__main__":
    main()
