"""Fit the adapter with which the embedder reads a question and a statement as one: whether the statement answers it.

Vectors say that `The server is in the cupboard` and `What is the server called?` are about the same. A model that reads
both at once sees that the one does not answer the other (Nogueira and Cho, 2019, "Passage re-ranking with BERT"). Each
question of the households of `fit_embedder` has to choose its answer among the nearest statements of its household, or
none of them where it is about what nobody told. `scripts/fit-answers` runs it, in forty minutes of two cores, after
`scripts/fit-embedder`, as what is nearest comes from there; then with `--further`, in as long again: it goes on with
the people of `everyday` that are not held out, whose remarks in passing answer nothing, beside a share of the rest.
"""

import argparse
import asyncio
import importlib
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from benchmarks.everyday import seen
from benchmarks.fit_embedder import (
    ADAPTER,
    AT_ONCE,
    Adapted,
    Household,
    Steps,
    households,
    people,
    rows,
)
from benchmarks.fit_heads import ADAPTERS, EMBEDDER, HEADS, is_left, load_reading, save_reading
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.types import Vectors

torch: Any = importlib.import_module("torch")

ROUNDS, QUESTIONS = 1, 8
"""How often each question is read, and questions of a step."""
OF_FACT, OF_FACT_OF_PEOPLE = 2, 3
"""Questions to a fact that are read."""
NEAREST, ANY = 4, 1
"""Statements that a question is read with besides its answer: the nearest of its household, and any."""
NOTHING, NOTHING_OF_PEOPLE = 3, 1
"""How often a question is read that nothing answers: there are few."""
SHARE = 0.15
"""Of the households, those that are read again beside the people."""
OFTEN = 50
"""Steps between two lines that tell how far it is."""


class Choice(Struct, frozen=True):
    """A question with statements, the first of which answers it, if `is_answered`."""

    question: str
    statements: list[str]
    is_answered: bool


class Reading:
    """A model that learns to read questions with statements."""

    def __init__(self, *, further: bool) -> None:
        start = ADAPTER.with_stem("answers") if further else ADAPTER  # which learns it sooner than the bare model
        self.model = Adapted(start)
        self.head = torch.nn.Linear(self.model.dimensions, 1)
        if further:
            load_reading(HEADS / "answers.json", self.head)

    def odds(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """Log-odds that the second text of each answers the first, shape (len(pairs),)."""
        ids = [[*self.model.ids(asked), *self.model.ids(said)[1:]] for asked, said in pairs]
        return self.head(self.model.means(ids))[:, 0]

    def fit(self, given: Sequence[Choice], *, chance: random.Random) -> None:
        steps = Steps([*self.model.parameters, *self.head.parameters()], ROUNDS * len(given) // QUESTIONS)
        self.model.learning(is_on=True)
        losses: list[float] = []
        for _ in range(ROUNDS):
            order = chance.sample(given, len(given))
            for at in range(0, len(order) - QUESTIONS + 1, QUESTIONS):
                loss = self._loss(order[at : at + QUESTIONS])
                steps.take(loss)
                losses.append(loss.item())
                if len(losses) % OFTEN == 0:
                    print(f"{len(losses)} of {steps.count} steps, loss {sum(losses[-OFTEN:]) / OFTEN:.3f}", flush=True)

    def _loss(self, step: Sequence[Choice]) -> Any:
        """The statements of each question, and at odds of even that none of them answers."""
        odds = self.odds([(each.question, said) for each in step for said in each.statements])
        of_each = torch.split(odds, [len(each.statements) for each in step])
        choices = [torch.cat([one, torch.zeros(1)]) for one in of_each]
        targets = [0 if each.is_answered else len(each.statements) for each in step]
        losses = [
            torch.nn.functional.cross_entropy(odds[None], torch.tensor([target]))
            for odds, target in zip(choices, targets, strict=True)
        ]
        return sum(losses) / len(losses)

    def read(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """As `odds`, without learning from it; an array."""
        self.model.learning(is_on=False)
        with torch.no_grad():
            found = [self.odds(pairs[at : at + AT_ONCE]) for at in range(0, len(pairs), AT_ONCE)]
        return torch.cat(found).numpy()


def never() -> dict[str, list[str]]:
    """By household, the questions about what nobody told there."""
    found: dict[str, list[str]] = {}
    for row in (*rows("questions.jsonl"), *rows("worlds.jsonl")):
        if "never" in row:
            found.setdefault(row["world"], []).append(row["never"])
    return found


async def embedded(texts: Sequence[str]) -> dict[str, Vectors]:
    embedder = GgufEmbedder.open(EMBEDDER, adapters=ADAPTERS, threads=2)
    found = dict(zip(texts, await embedder.embed(texts), strict=True))
    await embedder.close()
    return found


def choices(
    known: Sequence[Household],
    of_none: Mapping[str, Sequence[str]],
    vectors: Mapping[str, Vectors],
    *,
    of_fact: int = OF_FACT,
    nothing: int = NOTHING,
) -> Iterator[Choice]:
    chance = random.Random(1)
    for each in known:
        facts = np.array([vectors[text] for text in each.facts])
        for question, answer in _some(each.questions, of_fact, chance):
            order = [int(place) for place in np.argsort(-(facts @ vectors[question])) if place != answer]
            chosen = [*order[:NEAREST], *chance.sample(order[NEAREST:], min(ANY, len(order[NEAREST:])))]
            yield Choice(question, [each.facts[answer], *(each.facts[place] for place in chosen)], is_answered=True)
        for question in of_none.get(each.name, []):
            order = [int(place) for place in np.argsort(-(facts @ vectors[question]))]
            for _ in range(nothing):
                yield Choice(question, [each.facts[place] for place in order[: NEAREST + 1]], is_answered=False)


def _some(questions: Sequence[tuple[str, int]], count: int, chance: random.Random) -> Iterator[tuple[str, int]]:
    """So many questions to each fact."""
    of: defaultdict[int, list[str]] = defaultdict(list)
    for question, answer in questions:
        of[answer].append(question)
    for answer, texts in of.items():
        yield from ((text, answer) for text in chance.sample(texts, min(count, len(texts))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true", help="write nothing: leave one author in three out, and tell")
    parser.add_argument("--further", action="store_true", help="go on from the adapter that there is, with the people")
    options = parser.parse_args()
    torch.manual_seed(0)
    known, of_none = households(), never()
    persons = people() if options.further else []
    asked_besides = {each["name"]: each["follow_ups"] for each in seen()} if options.further else {}
    if options.further:
        known = random.Random(3).sample(known, int(SHARE * len(known)))
    every, without = [*known, *persons], [*of_none.values(), *asked_besides.values()]
    asked = [text for each in every for text, _ in each.questions]
    texts = [*asked, *(text for each in every for text in each.facts), *(text for each in without for text in each)]
    vectors = asyncio.run(embedded([*dict.fromkeys(texts)]))

    def chosen(*, left: bool) -> list[Choice]:
        some, others = ([each for each in of if is_left(each.author) is left] for of in (known, persons))
        more = choices(others, asked_besides, vectors, of_fact=OF_FACT_OF_PEOPLE, nothing=NOTHING_OF_PEOPLE)
        return [*choices(some, of_none, vectors), *more]

    fitted = chosen(left=False) if options.report else [*chosen(left=False), *chosen(left=True)]
    reading = Reading(further=options.further)
    reading.fit(fitted, chance=random.Random(0))
    if options.report:
        left = chosen(left=True)
        odds = [reading.read([(each.question, said) for said in each.statements]) for each in left]
        first = [float(found.argmax() == 0) for each, found in zip(left, odds, strict=True) if each.is_answered]
        print(f"of {len(first)} questions the answer is first for {np.mean(first):.3f}")
        return
    reading.model.write(ADAPTER.with_stem("answers"))
    save_reading(HEADS / "answers.json", reading.head)


if __name__ == "__main__":
    main()
