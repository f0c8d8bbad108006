"""Recall of evidence in long conversations (LoCoMo), through the running daemon: no language model takes part."""

import json
import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure

DATA = Path("../shared/data/locomo/locomo5.json")
EMBEDDER = Path(".venv/share/pi-memory/models/all-MiniLM-L6-v2-Q8_0.gguf")
DEPTHS = (5, 10, 20)
ADVERSARIAL = 5
"""The category of questions that have no answer."""


@dataclass(frozen=True)
class Asked:
    project: str
    question: str
    category: int
    evidence: frozenset[str]


def lines(samples: list[dict[str, Any]], *, named: bool) -> Iterator[dict[str, Any]]:
    """Each session as a conversation of its sample's project; the second speaker's messages are replies.

    `named` puts the speaker's name in front of each message.
    """
    for sample, talk in ((s["sample_id"], s["conversation"]) for s in samples):
        for number in range(1, 1 + sum(isinstance(value, list) for value in talk.values())):
            at = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            messages = [
                {
                    "role": "user" if turn["speaker"] == talk["speaker_a"] else "assistant",
                    "content": f"{turn['speaker']}: {turn['text']}" if named else turn["text"],
                    "at": at.timestamp() + 30 * row,
                    "ref": turn["dia_id"],
                }
                for row, turn in enumerate(talk[f"session_{number}"])
            ]
            yield {"conversation_id": f"{sample}-{number}", "project": sample, "messages": messages}


def questions(samples: list[dict[str, Any]]) -> list[Asked]:
    """Those that have evidence, without the adversarial ones."""
    asked = []
    for sample in samples:
        for qa in sample["qa"]:
            evidence = frozenset(re.findall(r"D\d+:\d+", " ".join(qa["evidence"])))
            if evidence and qa["category"] != ADVERSARIAL:
                asked.append(Asked(sample["sample_id"], qa["question"], qa["category"], evidence))
    return asked


def recall(client: httpx2.Client, asked: Asked, *, project: str | None = None) -> tuple[list[float], float]:
    """The share of the evidence among the first results, for each depth, and the milliseconds that took."""
    start = time.perf_counter()
    params: dict[str, Any] = {"q": asked.question, "k": max(DEPTHS), "project": project or asked.project}
    found = client.get("/memories/search", params=params).raise_for_status().json()["results"]
    took = (time.perf_counter() - start) * 1_000
    refs = [result.get("ref") for result in found]
    return [len(asked.evidence.intersection(refs[:depth])) / len(asked.evidence) for depth in DEPTHS], took


def told(client: httpx2.Client, number: int, asked: Asked, texts: dict[str, str]) -> tuple[bool, float]:
    """Whether a message that asks this is told any of the evidence, and in how many tokens, of four characters each."""
    body = {"session_id": f"asks-{number}", "message": asked.question, "project": asked.project}
    text = client.post("/context", json=body).raise_for_status().json()["text"]
    evidence = (texts.get(f"{asked.project} {ref}") for ref in asked.evidence)
    return any(longest_sentence(said) in text for said in evidence if said), len(text) / 4


def longest_sentence(text: str) -> str:
    """By which a message is known in what is told: short ones are left out when they have been told before."""
    return max(re.split(r"(?<=[.!?…])\s+", text), key=len)


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="a file of LoCoMo conversations")
    parser.add_argument("--unnamed", action="store_true", help="leave the speakers' names out of their messages")
    options = parser.parse_args()
    if not options.data.is_file() or not EMBEDDER.is_file():
        measure.not_possible(f"Needs {options.data} and the embedder that scripts/setup makes.")
    samples = json.loads(options.data.read_text())
    given = list(lines(samples, named=not options.unnamed))
    asked = questions(samples)
    settings: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "gguf"}
    settings["PI_MEMORY_EMBEDDER_MODEL"] = str(EMBEDDER.resolve())
    with measure.folder() as folder, measure.daemon(folder, **settings) as daemon, daemon.client() as client:
        daemon.wait_until_loaded()
        start = time.perf_counter()
        body = "\n".join(map(json.dumps, given)).encode()
        client.post("/import", content=body, timeout=1_800).raise_for_status()
        seconds = time.perf_counter() - start
        results = [recall(client, question) for question in asked]
        texts = {f"{g['project']} {m['ref']}": " ".join(m["content"].split()) for g in given for m in g["messages"]}
        in_turn = [told(client, number, question, texts) for number, question in enumerate(asked)]
        daemon.stop()
        size = sum(file.stat().st_size for file in folder.rglob("memory.db*") if "backups" not in file.parts)
    figures = _figures(asked, results, turns=sum(len(g["messages"]) for g in given), size=size, seconds=seconds)
    figures["told_hit"] = statistics.mean(hit for hit, _ in in_turn)
    figures["told_tokens"] = statistics.mean(tokens for _, tokens in in_turn)
    measure.show(figures, as_json=options.json)


def _figures(
    asked: list[Asked], results: list[tuple[list[float], float]], *, turns: int, size: int, seconds: float
) -> dict[str, float]:
    figures: dict[str, float] = {"questions": len(asked), "turns": turns}
    for place, depth in enumerate(DEPTHS):
        figures[f"recall_at_{depth}"] = statistics.mean(shares[place] for shares, _ in results)
        for category in sorted({a.category for a in asked}):
            of_it = [shares[place] for a, (shares, _) in zip(asked, results, strict=True) if a.category == category]
            figures[f"recall_at_{depth}_category_{category}"] = statistics.mean(of_it)
    figures["ms_per_query"] = statistics.median(took for _, took in results)
    figures["bytes_per_turn"] = size / turns
    figures["import_ms_per_turn"] = seconds * 1_000 / turns
    return figures


if __name__ == "__main__":
    main()
