"""Thousands of turns in many conversations, with evictions, hand edits, forgetting and restarts: does anything grow?"""

import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure
from benchmarks._measure import Daemon

GIVEN: dict[str, Any] = {
    "PI_MEMORY_PROVIDER": "extractive",
    "PI_MEMORY_EMBEDDER": "none",
    "MEMORY_MAX_CONVERSATIONS": 100,
    "PI_MEMORY_COMMIT_SECONDS": 2,
}
THINGS = [
    "valve",
    "sensor",
    "ledger",
    "beehive",
    "trailer",
    "saddle",
    "kiln",
    "router",
    "awning",
    "cello",
    "sluice",
    "lathe",
]
IDLE_SECONDS = 35.0
"""A sweep of the housekeeping comes within this time, and gives back what work has left free."""

PLACES = ["behind the barn", "in the second drawer", "at the neighbours'", "on the top shelf", "beside the boiler"]


def said(number: int, chance: random.Random) -> tuple[str, str]:
    """Method of a request, and what it says; each is new."""
    thing, place = chance.choice(THINGS), chance.choice(PLACES)
    if number % 1000 == 999:
        return "forget", f"Remember that the {thing} number {number - 899} is {place}."
    if number % 100 == 0:
        return "remember", f"Remember that the {thing} number {number} is {place}."
    if number % 5 == 0:
        return "ask", f"Where is the {thing} number {chance.randrange(max(1, number))}?"
    return "tell", f"The {thing} number {number} is {place}, and I changed /srv/{thing}/part{number % 40}.py for it."


def files_open(process: int) -> int:
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def at_rest(daemon: Daemon, folder: Path) -> tuple[float, int]:
    """Resident memory in MB and open files, when nobody talks and the first backup was made: ten minutes after a start
    or later. From then on SQLite keeps a file open, for the next backup.
    """
    while not any((folder / "data" / "backups").glob("memory-*.db")):
        time.sleep(5)
    time.sleep(IDLE_SECONDS)
    return daemon.rss_mb(), files_open(daemon.popen.pid)


class Soak:
    """Talks to one daemon after the other. `errors` counts answers that are no success and lines of trouble in logs."""

    def __init__(self, folder: Path, conversations: int) -> None:
        self.errors = 0
        self.kept: list[str] = []
        self._folder = folder
        self._conversations = conversations
        self._chance = random.Random(1)

    def talk(self, daemon: Daemon, numbers: Iterator[int]) -> None:
        with daemon.client() as client:
            for number in numbers:
                self._say(client, number)
                if number % 500 == 0:
                    self._edit(number)

    def _say(self, client: httpx2.Client, number: int) -> None:
        kind, text = said(number, self._chance)
        if kind == "forget":
            self._forget(client)
            return
        conversation = f"c{self._chance.randrange(self._conversations)}"
        answer = client.post("/chat", json={"message": text, "conversation_id": conversation})
        self.errors += not answer.is_success
        if kind == "remember" and answer.is_success:
            self.kept.append(re.findall(r"number \d+", text)[0])

    def _forget(self, client: httpx2.Client) -> None:
        (number,) = re.findall(r"\d+", self.kept.pop(0))
        lines = map(json.loads, client.get("/export").text.splitlines())
        ids = {line["id"] for line in lines if f"number {number} " in line.get("content", "")}
        for one in ids:
            self.errors += not client.delete(f"/memories/{one}?forget=1").is_success

    def _edit(self, number: int) -> None:
        """Somebody writes a note into the focus file by hand, below its first topic."""
        file = self._folder / "data" / "workspace" / "memory" / "RECENT_FOCUS.md"
        text = file.read_text()
        edited = re.sub(r"(?m)^(- \*\*.+)$", rf"\1\n  Note {number}.", text, count=1)
        assert edited != text, "there is a topic"
        file.write_text(edited)

    def missing(self, daemon: Daemon) -> int:
        """How many of the stated memories are not there."""
        with daemon.client() as client:
            contents = client.get("/export").text
        return sum(not re.search(rf"{one}\b", contents) for one in self.kept)

    def trouble(self) -> int:
        lines = (line for log in self._folder.glob("log-*") for line in log.read_text().splitlines())
        return sum(bool(re.search(r"Traceback|ERROR|CRITICAL", line)) for line in lines)


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--conversations", type=int, default=1_000)
    options = parser.parse_args()
    warm, turns, start = options.turns // 4, options.turns, time.monotonic()
    with measure.folder() as folder:
        soak, numbers = Soak(folder, options.conversations), iter(range(1, turns + 1))
        with measure.daemon(folder, **GIVEN) as daemon:
            soak.talk(daemon, _first(numbers, warm))
            rss, files = at_rest(daemon, folder)
            soak.talk(daemon, _first(numbers, turns // 2))
            later_rss, later_files = at_rest(daemon, folder)
            daemon.stop()
        with measure.daemon(folder, **GIVEN) as daemon:
            soak.talk(daemon, numbers)
            missing = soak.missing(daemon)
            daemon.stop()
        size = (folder / "data" / "memory.db").stat().st_size
        figures = {
            "turns": turns,
            "conversations": options.conversations,
            "seconds": time.monotonic() - start,
            "rss_mb_warm": rss,
            "rss_growth_mb": later_rss - rss,
            "open_files_growth": later_files - files,
            "errors": soak.errors + soak.trouble(),
            "stated_memories_missing": missing,
            "bytes_of_database_per_turn": size / turns,
        }
    measure.show(figures, as_json=options.json)


def _first(numbers: Iterator[int], count: int) -> Iterator[int]:
    return (next(numbers) for _ in range(count))


if __name__ == "__main__":
    main()
