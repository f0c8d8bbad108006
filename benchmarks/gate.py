"""Small talk recalls nothing, questions recall what answers them, also the third time: 500 memories, no model."""

import time
from collections.abc import Sequence
from typing import Any

import httpx2

from benchmarks import _measure as measure
from benchmarks._facts import facts
from benchmarks._gate_lists import ASKED, SMALL_TALK, is_held_out

MEMORIES = 500
TIMES = 3
"""How often each message is said, in a conversation of its own each time."""


def told(client: httpx2.Client, message: str, number: str) -> list[dict[str, Any]]:
    """What a message of a new conversation is told, as its receipt says."""
    body = {"message": message, "conversation_id": f"gate-{number}", "explain": True}
    found: list[dict[str, Any]] = client.post("/chat", json=body).raise_for_status().json()["receipt"]["recalled"]
    return found


def remember(client: httpx2.Client, content: str) -> int:
    number: int = (
        client.post("/memories", json={"content": content, "namespace": "user"}).raise_for_status().json()["id"]
    )
    return number


def wait_for_vectors(client: httpx2.Client, last: str) -> None:
    """They are made in the background, in the order of the memories: until the last one is found by its meaning."""
    for _ in range(600):
        params: dict[str, str | int] = {"q": last, "kind": "memory", "k": 1, "explain": 1}
        (found,) = client.get("/memories/search", params=params).raise_for_status().json()["results"]
        if found["cosine"] > 0.99:
            return
        time.sleep(0.2)
    measure.not_possible("The memories have no vectors after two minutes.")


def _has(results: Sequence[dict[str, Any]], number: int) -> bool:
    return any(result["kind"] == "memory" and result["id"] == number for result in results)


def share(hits: Sequence[bool], *, held_out: bool | None = None) -> float:
    """Of all, or of those held out, or of the others."""
    chosen = [hit for number, hit in enumerate(hits) if held_out in (None, is_held_out(number))]
    return sum(chosen) / len(chosen)


def run(client: httpx2.Client, *, verbose: bool) -> measure.Figures:
    ids = [remember(client, fact) for fact, _ in ASKED]
    others = facts(MEMORIES - len(ASKED))
    for fact in others:
        remember(client, fact)
    wait_for_vectors(client, others[-1])
    found = [[told(client, question, f"asked-{n}-{t}") for t in range(TIMES)] for n, (_, question) in enumerate(ASKED)]
    right = [all(_has(results, ids[n]) for results in each) for n, each in enumerate(found)]
    idle = [[told(client, text, f"idle-{n}-{t}") for t in range(TIMES)] for n, text in enumerate(SMALL_TALK)]
    nothing = [not any(each) for each in idle]
    if verbose:
        for number, (_, question) in enumerate(ASKED):
            if not right[number] and not is_held_out(number):
                print(f"missed: {question}")
        for number, each in enumerate(idle):
            if any(each) and not is_held_out(number):
                print(f"told: {SMALL_TALK[number]!r}: {max(each, key=len)[0]['content']!r}")
    return {
        "memories": MEMORIES,
        "recalled_nothing": share(nothing),
        "recalled_nothing_seen": share(nothing, held_out=False),
        "recalled_nothing_heldout": share(nothing, held_out=True),
        "recalled_right": share(right),
        "recalled_right_seen": share(right, held_out=False),
        "recalled_right_heldout": share(right, held_out=True),
        "times": TIMES,
        "told_per_question": sum(len(results) for each in found for results in each) / len(found) / TIMES,
    }


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--verbose", action="store_true", help="also list what went wrong, but for what is held out")
    options = parser.parse_args()
    settings: dict[str, Any] = {"PI_MEMORY_PROVIDER": "extractive", "PI_MEMORY_EMBEDDER": "gguf"}
    with measure.folder() as folder, measure.daemon(folder, **settings) as daemon:
        daemon.wait_until_loaded()
        with daemon.client() as client:
            embedder = client.get("/healthz").json()["parts"]["embedder"]
            if embedder["status"] != "ok":
                measure.not_possible(f"There is no embedder: {embedder}. scripts/setup makes one.")
            measure.show(run(client, verbose=options.verbose and not options.json), as_json=options.json)


if __name__ == "__main__":
    main()
