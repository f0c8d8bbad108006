"""Conversations between people and with an assistant in one store: what recall of each loses against each alone."""

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure
from benchmarks import locomo, longmemeval
from benchmarks.locomo import Asked
from benchmarks.longmemeval import Case

Conversations = Sequence[Mapping[str, Any]]
MIXED = "mixed-{}"


def mixtures(cases: Sequence[Case], samples: Sequence[Mapping[str, Any]], people: Conversations) -> list[Conversations]:
    """Each case together with one of the samples, in turn, as a project of its own."""
    mixed: list[Conversations] = []
    for number, case in enumerate(cases):
        sample = samples[number % len(samples)]["sample_id"]
        together = [*case.given, *(talk for talk in people if talk["project"] == sample)]
        project = MIXED.format(number)
        mixed.append([{**t, "project": project, "conversation_id": f"{t['conversation_id']}-x"} for t in together])
    return mixed


def with_people(client: httpx2.Client, asked: Sequence[Asked], projects: Mapping[str, str]) -> list[float]:
    results = [locomo.recall(client, question, project=projects[question.project])[0] for question in asked]
    return [statistics.mean(shares) for shares in zip(*results, strict=True)]


def with_assistant(client: httpx2.Client, cases: Sequence[Case], *, mixed: bool) -> list[float]:
    results = []
    for number, case in enumerate(cases):
        project, suffix = (MIXED.format(number), "-x") if mixed else (case.project, "")
        results.append(longmemeval.recall(client, case, project=project, suffix=suffix)[0])
    return [statistics.mean(shares) for shares in zip(*results, strict=True)]


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--locomo", type=Path, default=locomo.DATA, help="a file of LoCoMo conversations")
    parser.add_argument("--longmemeval", type=Path, default=longmemeval.DATA, help="a file of LongMemEval cases")
    parser.add_argument("--cases", type=int, default=10, help="so many of these, at least one for each conversation")
    options = parser.parse_args()
    if not (options.locomo.is_file() and options.longmemeval.is_file() and longmemeval.EMBEDDER.is_file()):
        measure.not_possible(
            f"Needs {options.locomo}, {options.longmemeval} and the embedder that scripts/setup makes."
        )
    samples = json.loads(options.locomo.read_text())
    people, asked = list(locomo.lines(samples, named=True)), locomo.questions(samples)
    cases = longmemeval.cases(options.longmemeval)[: max(options.cases, len(samples))]
    alone = {sample["sample_id"]: sample["sample_id"] for sample in samples}
    together = {name: MIXED.format(number) for number, name in enumerate(alone)}
    with measure.folder() as folder, longmemeval.served(folder) as client:
        for given in (people, *(case.given for case in cases), *mixtures(cases, samples, people)):
            longmemeval.take_in(client, given)
        figures = {
            "locomo": (locomo.DEPTHS, with_people(client, asked, alone), with_people(client, asked, together)),
            "longmemeval": (
                longmemeval.DEPTHS,
                with_assistant(client, cases, mixed=False),
                with_assistant(client, cases, mixed=True),
            ),
        }
    shown: dict[str, float] = {"questions": len(asked) + len(cases)}
    for name, (depths, before, after) in figures.items():
        for depth, apart, mixed in zip(depths, before, after, strict=True):
            shown[f"{name}_recall_at_{depth}_alone"], shown[f"{name}_recall_at_{depth}_mixed"] = apart, mixed
    shown["largest_loss"] = max(
        a - m for _, before, after in figures.values() for a, m in zip(before, after, strict=True)
    )
    measure.show(shown, as_json=options.json)


if __name__ == "__main__":
    main()
