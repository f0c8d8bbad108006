"""Fit the small judges of learning on `benchmarks/texts/`; prints how they do on authors they were not fitted on.

`scripts/fit-heads` writes `config/heads/*.json`.
"""

import argparse
import asyncio
import json
import random
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.everyday import seen
from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.judges.asked import Asked
from pi_memory.judges.heads import VECTOR_SCALE
from pi_memory.judges.pair_signs import Said, pair_vector
from pi_memory.judges.replacement import READ, Replacement
from pi_memory.judges.worth import Worth
from pi_memory.text.sentences import is_question
from pi_memory.types import Vectors

ROOT = Path(__file__).parents[1]
TEXTS, HEADS, ADAPTERS = ROOT / "benchmarks" / "texts", ROOT / "config" / "heads", ROOT / "config" / "adapters"
EMBEDDER = Path(sys.prefix) / "share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf"
Floats = npt.NDArray[np.float64]
STEPS = 12
FIRST = 1
"""Facts of a place before one is held against them."""
BESIDE, NEAREST = 24, 12
"""Older statements beside a pair's, and the most that a statement is held against."""
MISLEADING = 0.3
"""How much a statement counts that was written to be mistaken for a correction."""
OF_AUTHOR, SHORT = 100, 6
"""Questions of an author, about what people told, and words of remarks that may look like some."""
HURRIED = 0.5
"""How much of what is asked and told without a mark is typed in a hurry."""
ASKING, FURTHER, AT_ONCE = 10_000, 2_000, 256
"""Most texts that ask, how many of them with more around them, and how many are read at once."""
WANTED = (
    "need the {}", "i need {}", "want {} please", "tell her {}", "{} im at the till", "{}, I'm stood outside",
    "{} shes on the phone", "im late {}", "at the gate now {}", "the man's waiting for {}", "{} quick",
    "someone wants {}",
)  # fmt: skip
"""How somebody wants to know what they name, and where they are."""
SIZES = (1, 2, 4, 8, 16, 50, 50)
"""Memories that a store has."""


def fit(rows: Floats, labels: Floats, *, penalty: float, counts: Floats | None = None) -> Floats:
    """Weights and, last, the bias of a logistic regression with an L2 penalty, by Newton's method. `counts` says how
    much each row counts.
    """
    counts = np.ones(len(labels)) if counts is None else counts
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    weights, ridge = np.zeros(rows.shape[1]), np.full(rows.shape[1], penalty)
    ridge[-1] = 1e-6
    for _ in range(STEPS):
        chances = _chances(rows, weights)
        curvature = (rows * (counts * chances * (1 - chances))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(curvature, rows.T @ (counts * (chances - labels)) + ridge * weights)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def held_out(
    rows: Floats, labels: Floats, groups: Sequence[str], *, penalty: float, counts: Floats | None = None
) -> Floats:
    """The chance of each row by weights that were fitted without its group."""
    counts = np.ones(len(labels)) if counts is None else counts
    found, group_of = np.zeros(len(labels)), np.array(groups)
    for group in sorted(set(groups)):
        of_it = group_of == group
        weights = fit(rows[~of_it], labels[~of_it], penalty=penalty, counts=counts[~of_it])
        found[of_it] = _chances(np.hstack([rows[of_it], np.ones((int(of_it.sum()), 1))]), weights)
    return found


def _chances(rows: Floats, weights: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
    return found


def report(name: str, chances: Floats, labels: Floats) -> None:
    wrong = np.sort(chances[labels == 0])[::-1]
    for share in (0.02, 0.05, 0.1):
        threshold = wrong[int(share * len(wrong))]
        kept = np.mean(chances[labels == 1] > threshold)
        print(f"{name:28} kept {kept:.3f} at {share:.2f} false (from {threshold:.2f})")


def save(path: Path, sample: "Sample", *, penalty: float, space: str) -> None:
    mean, deviation = sample.scale()
    alone = fit((sample.plain - mean) / deviation, sample.labels, penalty=penalty, counts=sample.counts)
    kept: dict[str, str | float | Floats] = {
        "mean": mean, "deviation": deviation, "signs": alone[:-1], "signs_bias": alone[-1],
    }  # fmt: skip
    if isinstance(sample, Corrections):
        both, count = fit(sample.both(), sample.labels, penalty=penalty, counts=sample.counts), len(mean)
        kept |= {
            "space": space, "both_signs": both[:count], "both_vector": both[count:-1], "both_bias": both[-1],
        }  # fmt: skip
    lines = (f"{json.dumps(name)}: {written(value)}" for name, value in kept.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def save_reading(path: Path, head: Any, *, scale: float = 1.0, more: float = 0.0) -> None:
    """Write the weights of a `torch.nn.Linear` with one output, times `scale`; to its bias `more` is added."""
    weights, bias = (scale * each.detach().numpy().ravel() for each in head.parameters())
    write_reading(path, weights, float(bias[0]) + more)


def load_reading(path: Path, head: Any) -> None:
    """Give a `torch.nn.Linear` with one output the weights that `save_reading` wrote."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    head.weight.data[0], head.bias.data[0] = head.weight.new_tensor(kept["weights"]), kept["bias"]


def write_reading(path: Path, weights: Floats, bias: float) -> None:
    path.write_text(f'{{\n"weights": {written(weights)},\n"bias": {bias:.9g}\n}}\n', encoding="utf-8")


def written(value: "str | float | Floats") -> str:
    """JSON, of arrays with as many digits as a float32 has."""
    return json.dumps([float(f"{x:.9g}") for x in value] if isinstance(value, np.ndarray) else value)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TEXTS / name).read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Sample:
    """What a judge is fitted on: signs and labels of its rows, and who wrote each, or where."""

    signs: Floats
    labels: Floats
    authors: list[str]
    counts: Floats | None = None
    """How much each row counts, 1 if None."""

    @property
    def plain(self) -> Floats:
        """The signs where there is no embedder."""
        return self.signs

    def scale(self) -> tuple[Floats, Floats]:
        return self.signs.mean(0), self.signs.std(0) + 1e-6

    def report(self, name: str, *, penalty: float) -> None:
        mean, deviation = self.scale()
        found = held_out((self.plain - mean) / deviation, self.labels, self.authors, penalty=penalty)
        report(f"{name}, signs alone", found, self.labels)


Labelled = tuple[str, bool, str]
"""A text, its label and its author."""


def sentences() -> list[Labelled]:
    """Sentences, whether each is a fact, and who wrote it."""
    given = [(row["text"], row["label"] == "fact", row["voice"].partition(":")[0]) for row in rows("sentences.jsonl")]
    for row in rows("worlds.jsonl"):
        if "near" not in row:  # what corrects a fact is one
            author = f"worlds of {row['world'].partition('-')[0]}"
            given.append((row.get("says") or row["remark"], "remark" not in row, author))
    return given


def of_sentences() -> Sample:
    texts, are_facts, authors = zip(*sentences(), strict=True)
    signs = Worth(HEADS).signs(texts).astype(np.float64)
    return Sample(signs, np.array(are_facts, np.float64), list(authors))


def questions() -> list[Labelled]:
    """Questions about what people told, and what needs nothing of it: `messages.jsonl` has both, `sentences.jsonl`
    remarks.
    """
    given = [(row["says"], row["own"], row["author"].partition("-")[0]) for row in rows("messages.jsonl")]
    given += [
        (row["text"], False, f"remarks of {row['voice'].partition(':')[0]}")
        for row in rows("sentences.jsonl")
        if row["label"] == "other" and len(row["text"].split()) <= SHORT and not is_question(row["text"])
    ]
    of: defaultdict[str, list[str]] = defaultdict(list)
    chance = random.Random(1)
    for row in (*rows("questions.jsonl"), *rows("worlds.jsonl")):
        if "questions" in row:
            of[f"questions of {row['world'].partition('-')[0]}"] += [*row["questions"], row["spoken"]]
    for author, asked in of.items():
        given += [(question, True, author) for question in chance.sample(asked, min(OF_AUTHOR, len(asked)))]
    return given


def of_questions() -> Sample:
    texts, are_own, authors = zip(*questions(), strict=True)
    signs = Asked(HEADS).signs(texts).astype(np.float64)
    return Sample(signs, np.array(are_own, np.float64), list(authors))


def hurried(text: str, chance: random.Random) -> str:
    """A text without its last mark, some as it is typed in a hurry: in lower case, without apostrophes or commas."""
    text = text.rstrip(" ?.!")
    text = text.lower() if chance.random() < HURRIED else text
    return re.sub(r"['’,]", "", text) if chance.random() < HURRIED else text


def asking() -> list[Labelled]:
    """What people told, remarks, and what they ask for of it without a mark, some in a few words or with where they
    are; and whether it asks.
    """
    chance = random.Random(3)
    stating = [(text, author) for text, _, author in sentences() if not is_question(text)]
    of: defaultdict[str, list[str]] = defaultdict(list)
    for row in (*rows("questions.jsonl"), *rows("worlds.jsonl")):
        if "questions" in row:
            of[f"questions of {row['world'].partition('-')[0]}"] += [*row["questions"], row["spoken"], row["spoken"]]
    given = [(hurried(text, chance), True, author) for author, asked in of.items() for text in asked]
    alone = [each for each in given if len(each[0].split()) <= SHORT]
    given += [(chance.choice(WANTED).format(text), True, author) for text, _, author in chance.sample(alone, FURTHER)]
    given = chance.sample(given, min(ASKING, len(given)))
    given += [(text, False, author) for text, author in stating]
    return given + [
        (hurried(text, chance), False, author) for text, author in chance.sample(stating, len(stating) // 2)
    ]


async def of_asking(embedder: GgufEmbedder) -> Sample:
    texts, ask, authors = zip(*asking(), strict=True)
    read = []
    for at in range(0, len(texts), AT_ONCE):
        found = await embedder.read([(text,) for text in texts[at : at + AT_ONCE]], "sentences")
        assert found is not None
        read.append(found)
    return Sample(np.vstack(read).astype(np.float64), np.array(ask, np.float64), list(authors))


def save_sample(path: Path, sample: Sample, *, penalty: float) -> None:
    """Write the weights of what an embedder reads, as `Reading` has them."""
    mean, deviation = sample.scale()
    *weights, bias = fit((sample.signs - mean) / deviation, sample.labels, penalty=penalty)
    scaled = np.array(weights) / deviation
    write_reading(path, scaled, bias - float(scaled @ mean))


@dataclass(frozen=True)
class Case:
    """A statement, those that were made before it, and which of them it makes untrue, if any.

    `about` is the one that is about the same, whether it ends it or not.
    """

    author: str
    new: str
    olds: list[str]
    ends: str | None = None
    about: str | None = None


def of_places(given: Sequence[dict[str, Any]]) -> Iterator[Case]:
    """Facts of a place against those before; then each of its corrections against all facts."""
    for place in sorted({row["place"] for row in given}):
        facts = [row for row in given if row["place"] == place and not row["corrects"]]
        texts = [row["text"] for row in facts]
        for number, text in enumerate(texts[FIRST:], FIRST):
            yield Case(place, text, texts[:number])
        for row in given:
            if row["place"] == place and row["corrects"]:
                ended = next(fact["text"] for fact in facts if fact["fact"] == row["fact"])
                yield Case(place, row["text"], texts, ended, ended)


def of_changes(given: Sequence[dict[str, Any]]) -> Iterator[Case]:
    """Facts of a place against those before; then, against all of them, what corrects one and what only seems to."""
    for place in dict.fromkeys(row["place"] for row in given):
        told = [row for row in given if row["place"] == place]
        facts = {row["fact"]: row["text"] for row in told if not row["corrects"] and "fact" in row}
        texts, author = [*facts.values()], f"changes of {place.partition('-')[0]}"
        for number, text in enumerate(texts[FIRST:], FIRST):
            yield Case(author, text, texts[:number])
        for row in told:
            if row["corrects"]:
                yield Case(author, row["text"], texts, facts[row["fact"]], facts[row["fact"]])
            elif "near" in row:
                yield Case(author, row["text"], texts, about=facts[row["near"]])


def of_worlds(given: Sequence[dict[str, Any]]) -> Iterator[Case]:
    """As `of_changes`."""
    for world in dict.fromkeys(row["world"] for row in given):
        told = [row for row in given if row["world"] == world]
        facts = {row["fact"]: row["says"] for row in told if "fact" in row}
        texts, author = [*facts.values()], f"worlds of {world.partition('-')[0]}"
        for number, text in enumerate(texts[FIRST:], FIRST):
            yield Case(author, text, texts[:number])
        for row in told:
            if "corrects" in row:
                yield Case(author, row["says"], texts, facts[row["corrects"]], facts[row["corrects"]])
            elif "near" in row:
                yield Case(author, row["says"], texts, about=facts[row["near"]])


def of_pairs(given: Sequence[dict[str, Any]]) -> Iterator[Case]:
    """Each pair among older statements of its author. What only says the same again may end it or not."""
    for number, row in enumerate(given):
        others = [other for other in given if other["author"] == row["author"] and other["label"] != "same"]
        beside = [others[(number * 7 + step * 11) % len(others)]["old"] for step in range(BESIDE)]
        if row["label"] != "same":
            ended = row["old"] if row["label"] == "replaces" else None
            olds = [*dict.fromkeys([row["old"], *beside])]
            yield Case(f"pairs of {row['author']}", row["new"], olds, ended, row["old"])


def of_people(given: Sequence[dict[str, Any]]) -> Iterator[Case]:
    """Facts of the people of `everyday` against those before; then, against all of them, corrections and remarks."""
    for person in given:
        author, said = f"people {person['name']}", [each["messages"] for each in person["conversations"]]
        facts = {each["id"]: said[each["conversation"]][each["message"]] for each in person["facts"]}
        texts = [*dict.fromkeys(facts.values())]
        for number, text in enumerate(texts[FIRST:], FIRST):
            yield Case(author, text, texts[:number])
        for row in person["corrections"]:
            yield Case(author, row["says"], texts, facts[row["fact"]], facts[row["fact"]])
        for remark in person["remarks"]:
            yield Case(author, remark, texts)


def _company(case: Case, vectors: Mapping[str, Vectors], chance: random.Random) -> list[str]:
    """The nearest of what a case is held against, out of a store that may be small."""
    few = chance.sample(case.olds, min(len(case.olds), chance.choice(SIZES)))
    known = dict.fromkeys([*few, *([case.about] if case.about else [])])
    return sorted(known, key=lambda text: -float(vectors[case.new] @ vectors[text]))[:NEAREST]


def cases() -> list[Case]:
    return [
        *of_places(rows("corrections.jsonl")),
        *of_pairs(rows("pairs.jsonl")),
        *of_changes(rows("changes.jsonl")),
        *of_worlds(rows("worlds.jsonl")),
        *of_people(seen()),
    ]


def is_left(author: str) -> bool:
    """Whether the adapter that reads pairs is not fitted on an author: one in three, on whom the judge is, as it has to
    know how well statements are read that nobody fitted.
    """
    return zlib.crc32(author.encode()) % 3 == 0


@dataclass(frozen=True)
class Corrections(Sample):
    """Rows of a judge of `judged` cases in their order, each with what it was held against. `vectors` are those of the
    rows, and `alone` their signs where there is no embedder.
    """

    vectors: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    alone: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    judge: Replacement = field(default_factory=lambda: Replacement(HEADS))
    judged: Sequence[tuple[Case, Said, list[Said]]] = ()

    @property
    def plain(self) -> Floats:
        return self.alone

    def both(self) -> Floats:
        """The signs and the vectors of each row."""
        mean, deviation = self.scale()
        return np.hstack([(self.signs - mean) / deviation, VECTOR_SCALE * self.vectors])

    def report(self, name: str, *, penalty: float) -> None:
        super().report(name, penalty=penalty)
        found, at = held_out(self.both(), self.labels, self.authors, penalty=penalty, counts=self.counts), 0
        report(f"{name}, with vectors", found, self.labels)
        ended: dict[str, list[float]] = {"corrected": [], "misleading": [], "plain": []}
        for case, new, said in self.judged:
            of_it = slice(at, at := at + len(said))
            signs, of_case = self.signs[of_it].astype(np.float32), found[of_it].astype(np.float32)
            chances = self.judge.tempered(of_case, signs, new, said)
            is_right = not case.ends or bool(self.labels[of_it][int(chances.argmax())])
            what = "corrected" if case.ends else "misleading" if case.about else "plain"
            ended[what].append(float(chances.max()) if is_right else 0.0)
        for least in (0.35, 0.4, 0.5, 0.6, 0.7):
            shares = (f"{what} {np.mean(np.array(chances) >= least):.3f}" for what, chances in ended.items())
            print(f"{name}, ended from {least:.2f}: {', '.join(shares)}")


async def of_corrections(embedder: GgufEmbedder) -> Corrections:
    given = [case for case in cases() if is_left(case.author)]
    judge, made, judged, chance = Replacement(HEADS), [], [], random.Random(1)
    claims = {old: judge.claims(old) for case in given for old in case.olds}
    texts = [*dict.fromkeys(text for case in given for old in case.olds for text in (case.new, old, *claims[old]))]
    vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
    for case in given:
        olds = _company(case, vectors, chance)
        new = Said(case.new, vectors[case.new])
        # Of a text that says several things, that which is nearest.
        nearest = [max(claims[old], key=lambda text: float(vectors[case.new] @ vectors[text])) for old in olds]
        said = [Said(text, vectors[text]) for text in nearest]
        pairs = [(case.new, text) for text in nearest[:READ]]
        found = await embedder.read(pairs, "pairs")
        assert found is not None
        read = {text: vector for (_, text), vector in zip(pairs, found, strict=True)}
        signs, alone = judge.signs(new, said, read), judge.signs(Said(case.new), [Said(text) for text in olds], {})
        count = MISLEADING if case.about and not case.ends else 1.0
        judged.append((case, new, said))
        for number, text in enumerate(olds):
            vector = pair_vector(vectors[case.new], vectors[nearest[number]])
            made.append((signs[number], vector, text == case.ends, alone[number], count, case.author))
    *columns, authors = zip(*made, strict=True)
    signs_of, between, ended, plain, counts = (np.array(column, np.float64) for column in columns)
    return Corrections(signs_of, ended, list(authors), counts, between, plain, judge, judged)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print the figures, write nothing")
    parser.add_argument("--only", choices=["worth", "asked", "asks", "replacement"], help="one judge")
    parser.add_argument("--quick", action="store_true", help="write the weights, print no figures")
    options = parser.parse_args()
    embedder = GgufEmbedder.open(EMBEDDER, adapters=ADAPTERS, threads=2)
    space = embedder.id.rpartition("-")[0]  # whatever its weights are quantised to
    for name, penalty in {"worth": 10, "asked": 10, "asks": 10, "replacement": 5}.items():
        if options.only not in (None, name):
            continue
        match name:
            case "worth":
                sample = of_sentences()
            case "asked":
                sample = of_questions()
            case "asks":
                sample = await of_asking(embedder)
            case _:
                sample = await of_corrections(embedder)
        if not options.quick:
            sample.report(name, penalty=penalty)
        if name == "asks" and not options.dry_run:
            save_sample(HEADS / "asks-read.json", sample, penalty=penalty)
        elif not options.dry_run:
            save(HEADS / f"{name}.json", sample, penalty=penalty, space=space)
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
