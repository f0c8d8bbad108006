"""Recall of sessions with an assistant that replies at length (LongMemEval), through the running daemon: no model."""

import contextlib
import gzip
import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure

DATA = Path("../shared/data/longmemeval/dev.json.gz")
EMBEDDER = Path(".venv/share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf")
DEPTHS = (1, 3, 5, 10)
MOST = 200
"""Results that are asked for: of one session there may be many."""


@dataclass(frozen=True)
class Case:
    """A question, the sessions that answer it, and the conversations among which they are, as `POST /import` takes
    them. Each case is a project of its own.
    """

    project: str
    kind: str
    question: str
    at: float
    answers: frozenset[str]
    given: Sequence[Mapping[str, Any]]


def cases(path: Path) -> list[Case]:
    """Those that have an answer."""
    with gzip.open(path) as file:
        return [_case(told) for told in json.load(file) if told["answer_sessions"]]


def _case(told: Mapping[str, Any]) -> Case:
    project = f"case-{told['id']}"
    return Case(
        project,
        told["type"],
        told["question"],
        _time(told["date"]),
        frozenset(_name(project, session) for session in told["answer_sessions"]),
        [_conversation(project, session) for session in told["sessions"]],
    )


def _conversation(project: str, session: Mapping[str, Any]) -> dict[str, Any]:
    at, name = _time(session["date"]), _name(project, session["id"])
    messages = [
        {"role": said["role"], "content": said["content"], "at": at + 30 * row}
        for row, said in enumerate(session["messages"])
    ]
    return {"conversation_id": name, "project": project, "messages": messages}


def _name(project: str, session: str) -> str:
    return f"{project}-{session}"


def _time(date: str) -> float:
    return datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC).timestamp()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[httpx2.Client]:
    """A client of a daemon with the embedder and without a model."""
    settings: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "gguf"}
    settings["PI_MEMORY_EMBEDDER_MODEL"] = str(EMBEDDER.resolve())
    with measure.daemon(folder, **settings) as daemon, daemon.client() as client:
        daemon.wait_until_loaded()
        yield client


def take_in(client: httpx2.Client, given: Sequence[Mapping[str, Any]]) -> None:
    body = "\n".join(map(json.dumps, given)).encode()
    client.post("/import", content=body, timeout=1_800).raise_for_status()


def ranked(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The conversations, each at the place of its best message."""
    yield from dict.fromkeys(r["conversation_id"] for r in results if "conversation_id" in r)


def recall(
    client: httpx2.Client, case: Case, *, project: str | None = None, suffix: str = ""
) -> tuple[list[float], float]:
    """The share of the answer's sessions among the first ones, for each depth, and the milliseconds that took.

    In another `project` conversations may have been given other names, by a `suffix`.
    """
    start = time.perf_counter()
    params: dict[str, Any] = {"q": case.question, "k": MOST, "project": project or case.project, "at": case.at}
    found = client.get("/memories/search", params=params).raise_for_status().json()["results"]
    took = (time.perf_counter() - start) * 1_000
    first, answers = list(ranked(found)), {f"{name}{suffix}" for name in case.answers}
    return [len(answers.intersection(first[:depth])) / len(case.answers) for depth in DEPTHS], took


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="a file of LongMemEval cases, gzipped JSON")
    parser.add_argument("--cases", type=int, help="only so many of them")
    options = parser.parse_args()
    if not options.data.is_file() or not EMBEDDER.is_file():
        measure.not_possible(f"Needs {options.data} and the embedder that scripts/setup makes.")
    asked = cases(options.data)[: options.cases]
    with measure.folder() as folder, served(folder) as client:
        start = time.perf_counter()
        for case in asked:
            take_in(client, case.given)
        seconds = time.perf_counter() - start
        results = [recall(client, case) for case in asked]
    measure.show(_figures(asked, results, seconds=seconds), as_json=options.json)


def _figures(
    asked: Sequence[Case], results: Sequence[tuple[list[float], float]], *, seconds: float
) -> dict[str, float]:
    messages = sum(len(given["messages"]) for case in asked for given in case.given)
    figures: dict[str, float] = {"questions": len(asked), "messages": messages}
    for place, depth in enumerate(DEPTHS):
        figures[f"recall_at_{depth}"] = statistics.mean(shares[place] for shares, _ in results)
        for kind in sorted({case.kind for case in asked}):
            of_it = [shares[place] for case, (shares, _) in zip(asked, results, strict=True) if case.kind == kind]
            figures[f"recall_at_{depth}_{kind.replace('-', '_')}"] = statistics.mean(of_it)
    figures["ms_per_query"] = statistics.median(took for _, took in results)
    figures["import_ms_per_message"] = seconds * 1_000 / messages
    return figures


if __name__ == "__main__":
    main()
