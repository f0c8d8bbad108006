"""How well topics and files are found: real exchanges of agents through /activity, against what people call them.

`--leave-out`: also without the sessions of each repository in turn, each time from an empty store. The constants were
chosen on all of them, so a figure that hangs on one repository falls without it.
"""

import argparse
import importlib.util
import json
import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2

from benchmarks import _measure as measure

DATA = Path(__file__).parents[2] / "shared" / "data" / "focus"
SESSION, STEP = timedelta(hours=1), timedelta(minutes=1)
"""How far apart undated sessions begin, and undated exchanges follow each other."""
BACKENDS = {
    "rules": {"PI_MEMORY_EMBEDDER": "none"},
    "embedding": {"PI_MEMORY_EMBEDDER": "gguf"},
    "model": {"PI_MEMORY_EMBEDDER": "auto"},
}
LEFT_OUT = ("exchanges", "chatter")
"""Counts among the scorer's measures."""
FIGURES = ("topic_hit", "focus_f1", "path_precision", "path_recall")
"""What is measured without each repository."""

Row = Mapping[str, Any]


def in_time_order(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    """The exchanges with an ISO date each, in order of time; sessions without dates come last, in their own order."""
    dated = [(_time(row["at"]), row) for row in rows if row.get("at")]
    at = max((time for time, _ in dated), default=datetime(2026, 1, 1, tzinfo=UTC))
    session = None
    for row in (row for row in rows if not row.get("at")):
        at += STEP if row["session"] == session else SESSION
        session = row["session"]
        dated.append((at, row))
    return [(time.isoformat(), row) for time, row in sorted(dated, key=lambda pair: pair[0])]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def replay(client: httpx2.Client, rows: Iterable[tuple[str, Row]]) -> tuple[list[dict[str, Any]], list[float]]:
    """What each exchange was tagged with, and the milliseconds of its request."""
    predictions, times = [], []
    for at, row in rows:
        body = {key: row[key] for key in ("user_message", "tool_calls", "assistant_response")}
        start = time.perf_counter()
        answer = client.post("/activity", params={"wait": 1}, json={"session_id": row["session"], "at": at, **body})
        times.append((time.perf_counter() - start) * 1_000)
        tagged = answer.raise_for_status().json()
        key = {"session": row["session"], "n": row["n"]}
        predictions.append({**key, "topic": tagged["topic"], "file_paths": tagged["file_paths"]})
    return predictions, times


def _scorer(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _options() -> argparse.Namespace:
    parser = measure.parser(__doc__)
    parser.add_argument("--backend", choices=list(BACKENDS), default="rules")
    parser.add_argument("--model", type=Path, help="GGUF for the back end `model`")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with dev.jsonl and score.py")
    parser.add_argument(
        "--leave-out", action="store_true", help="also without each repository in turn, which takes four times as long"
    )
    parser.add_argument("--predictions", type=Path, help="write what was found to this file, one JSON object a line")
    return parser.parse_args()


def _environment(options: argparse.Namespace) -> dict[str, Any]:
    values: dict[str, Any] = {"PI_MEMORY_TAGGER": options.backend, **BACKENDS[options.backend]}
    if options.backend != "model":
        return {**values, "PI_MEMORY_PROVIDER": "extractive"}
    if options.model is None or not options.model.is_file():
        measure.not_possible("The back end `model` needs a chat model: --model FILE.gguf")
    return {**values, "PI_MEMORY_PROVIDER": "llama", "PI_MEMORY_MODEL": options.model.absolute()}


def _needs_part(client: httpx2.Client, backend: str) -> None:
    part = {"rules": None, "embedding": "embedder", "model": "model"}[backend]
    state = client.get("/healthz").json()["parts"].get(part or "", {})
    if part and state.get("status") != "ok":
        measure.not_possible(f"The back end `{backend}` lacks its {part}: {state}")


def _wait_until_idle(daemon: measure.Daemon) -> None:
    """The tagger by embeddings is made ready once the embedder is loaded, and takes the place of the rules then."""
    before = -1.0
    while before != (before := daemon.cpu_seconds()):
        time.sleep(0.5)


@dataclass(frozen=True)
class Replay:
    """What each exchange was tagged with, the milliseconds of each request and of a mean tag, and how many topics there
    were in the end.
    """

    predictions: list[dict[str, Any]]
    times: list[float]
    ms_per_tag: float
    topics: int


def replayed(options: argparse.Namespace, rows: Sequence[Row]) -> Replay:
    """By a daemon that knows nothing yet."""
    with measure.folder() as folder, measure.daemon(folder, **_environment(options)) as daemon:
        daemon.wait_until_loaded()
        _wait_until_idle(daemon)
        with daemon.client() as client:
            _needs_part(client, options.backend)
            predictions, times = replay(client, in_time_order(rows))
            found = re.search(r'step_seconds_total\{step="tag"\} (\S+)', client.get("/metrics").text)
            topics = client.get("/focus", params={"all": 1}).json()["topics"]
        daemon.stop()
    assert found is not None
    return Replay(predictions, times, float(found[1]) / len(rows) * 1_000, len(topics))


def without_each(options: argparse.Namespace, rows: Sequence[Row], score: Callable[..., Any]) -> dict[str, float]:
    """The figures without each repository, as if its sessions had never been, and the lowest of each."""
    names = sorted({repository(row) for row in rows})
    if len(names) < 2:
        return {}
    found = {}
    for name in names:
        others = [row for row in rows if repository(row) != name]
        found[name] = score(others, replayed(options, others).predictions)
    each = {f"{figure}_without_{name}": found[name][figure] for figure in FIGURES for name in names}
    return each | {f"{figure}_left_out": min(found[name][figure] for name in names) for figure in FIGURES}


def repository(row: Row) -> str:
    """The first part of a session's name: `api-3` is the third one of `api`."""
    return str(row["session"]).partition("-")[0]


def main() -> None:
    options = _options()
    data, scorer = options.data / "dev.jsonl", options.data / "score.py"
    if not data.is_file() or not scorer.is_file():
        measure.not_possible(f"There is no {data} with a score.py beside it; --data names another folder.")
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
    done = replayed(options, rows)
    if options.predictions:
        options.predictions.write_text("".join(f"{json.dumps(p)}\n" for p in done.predictions), encoding="utf-8")
    score = _scorer(scorer).score
    measures = score(rows, done.predictions)
    figures: dict[str, float | int | str] = {"backend": options.backend, "exchanges": len(rows), "topics": done.topics}
    figures |= {name: value for name, value in measures.items() if name not in LEFT_OUT}
    figures |= {"ms_per_tag": done.ms_per_tag, "ms_per_exchange": statistics.mean(done.times)}
    figures |= {"ms_per_exchange_p95": statistics.quantiles(done.times, n=20)[-1]}
    if options.leave_out:
        figures |= without_each(options, rows, score)
    measure.show(figures, as_json=options.json)


if __name__ == "__main__":
    main()
