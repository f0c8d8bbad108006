"""Power cuts at every write of a real daemon: is what is left sound, and is what was acknowledged there?

The daemon's writes, syncs and renames are recorded in their order. A cut keeps what was synced; of the rest nothing,
all, or, as a card may have it, a part: some of the writes, the last one torn, some of the renames. The files that
result are opened as after a start. Cuts are dense, at every operation of a short history, and rare, at random ones of a
long history.
"""

import asyncio
import random
import re
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure
from pi_memory.store.database import Database

COMMIT_SECONDS = 0.3
SLACK = 1.0
"""Seconds that a commit may take on top."""
SECTOR, PAGE = 512, 4096
WRITE, TRUNCATE, SYNC, RENAME, REMOVE = range(1, 6)
HEAD = struct.Struct("<IIQQd")
WAYS = ("nothing", "everything", "a part", "a part")
"""What of the unsynced writes the card has kept, for each cut."""
OPENED = 10
"""Each so many-th state is opened by the daemon's own code too, which takes longer."""


@dataclass(slots=True)
class Step:
    """An operation on a file: `at` is an offset or a size, `end` the size of the record up to its end."""

    kind: int
    path: str
    at: int
    data: bytes
    seconds: float
    end: int


@dataclass(slots=True)
class Promise:
    """What was acknowledged, when the record was `end` bytes long. `gone`: forgotten, so it must not be there."""

    text: str
    end: int
    seconds: float
    durable: bool = True
    gone: bool = False


def steps(record: Path) -> Iterator[Step]:
    data = record.read_bytes()
    at = 0
    while at < len(data):
        kind, path, offset, length, seconds = HEAD.unpack_from(data, at)
        at += HEAD.size + path + length
        yield Step(kind, data[at - length - path : at - length].decode(), offset, data[at - length : at], seconds, at)


@dataclass(slots=True)
class File:
    """`synced` is on the card; `waiting` are the writes since."""

    synced: bytes = b""
    waiting: list[Step] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = applied(self.synced, self.waiting)
        self.waiting = []


class Disk:
    """Files as the running daemon sees them, and as a cut would leave them."""

    def __init__(self) -> None:
        self._names: dict[str, File] = {}
        self._known: dict[str, File] = {}
        self._waiting: list[Step | tuple[str, File]] = []

    def do(self, step: Step) -> None:
        if step.kind == SYNC:
            self._sync(step.path)
        elif step.kind in (RENAME, REMOVE):
            self._named(self._names, step)
            self._waiting.append(step)
        else:
            if step.path not in self._names:
                self._names[step.path] = File()
                self._waiting.append((step.path, self._names[step.path]))
            self._names[step.path].waiting.append(step)

    def _sync(self, path: str) -> None:
        if path in self._names:
            self._names[path].sync()
            return
        inside = [change for change in self._waiting if str(Path(_path(change)).parent) == path]
        for change in inside:
            self._change(self._known, change)
        self._waiting = [change for change in self._waiting if change not in inside]

    def _change(self, names: dict[str, File], change: "Step | tuple[str, File]") -> None:
        if isinstance(change, Step):
            self._named(names, change)
        else:
            names[change[0]] = change[1]

    def _named(self, names: dict[str, File], step: Step) -> None:
        file = names.pop(step.path, None)
        if step.kind == RENAME and file is not None:
            names[step.data.decode()] = file

    def cut(self, way: str, rng: random.Random) -> dict[str, bytes]:
        """The files after a cut."""
        names = dict(self._known)
        many = {"nothing": 0, "everything": len(self._waiting)}.get(way, rng.randint(0, len(self._waiting)))
        for change in self._waiting[:many]:
            self._change(names, change)
        return {path: applied(file.synced, _left(file.waiting, way, rng)) for path, file in names.items()}


def _path(change: "Step | tuple[str, File]") -> str:
    return change.path if isinstance(change, Step) else change[0]


def _left(waiting: list[Step], way: str, rng: random.Random) -> list[Step]:
    """The writes that reached the card."""
    if way != "a part":
        return waiting if way == "everything" else []
    if rng.random() < 0.5:
        return [step for step in waiting if rng.random() < 0.5]
    kept = waiting[: rng.randint(0, len(waiting))]
    if kept and kept[-1].kind == WRITE:
        torn = kept.pop()
        size = rng.randrange(0, len(torn.data) + 1, SECTOR)
        kept.append(Step(WRITE, torn.path, torn.at, torn.data[:size], torn.seconds, torn.end))
    return kept


def applied(content: bytes, writes: list[Step]) -> bytes:
    if not writes:
        return content
    made = bytearray(content)
    for step in writes:
        if step.kind == TRUNCATE:
            made = made[: step.at] + bytes(max(0, step.at - len(made)))
        else:
            made += bytes(max(0, step.at - len(made)))
            made[step.at : step.at + len(step.data)] = step.data
    return bytes(made)


def history(folder: Path, requests: int) -> tuple[list[Step], list[Promise]]:
    """What a daemon did while it was used, and what it acknowledged."""
    (folder / "data").mkdir()
    record = folder / "record"
    values: dict[str, Any] = {
        "PI_MEMORY_EMBEDDER": "none",
        "PI_MEMORY_PROVIDER": "extractive",
        "PI_MEMORY_COMMIT_SECONDS": COMMIT_SECONDS,
        "LD_PRELOAD": measure.preloaded(folder, "record_io"),
        "RECORD_IO_INTO": record,
        "RECORD_IO_BELOW": folder / "data",
    }
    promises: list[Promise] = []
    with measure.daemon(folder, **values) as daemon:
        with daemon.client() as client:
            for number in range(requests):
                promises += _said(client, record, number)
        daemon.popen.terminate()
        daemon.popen.wait(30)
    return list(steps(record)), promises


def _said(client: httpx2.Client, record: Path, number: int) -> Iterator[Promise]:
    """Mostly chats, and now and then what is to be on the card when it is answered."""
    word = f"anchor{number:05}"
    kind = "chat" if number % 3 else ("memory", "topic", "forget")[number // 3 % 3]
    if kind == "chat":
        client.post("/chat", json={"message": f"the {word} is by the door", "conversation_id": f"c{number // 40}"})
    elif kind == "topic":
        client.put(f"/focus/{word}", json={}).raise_for_status()
    else:
        added = client.post("/memories", json={"content": f"The {word} is in the shed."})
        added.raise_for_status()
        yield Promise(word, record.stat().st_size, time.time())
        if kind == "forget":
            client.delete(f"/memories/{added.json()['id']}?forget=1").raise_for_status()
            yield Promise(word, record.stat().st_size, time.time(), gone=True)
        return
    yield Promise(word, record.stat().st_size, time.time(), durable=kind != "chat")


class Judge:
    """Opens what a cut has left, and counts."""

    def __init__(self, promises: list[Promise], scratch: Path) -> None:
        self.cuts = self.corrupt = self.lost = self.came_back = 0
        self.window = 0.0
        self.worst: list[str] = []
        self._promises = promises
        self._scratch = scratch

    def look(self, files: dict[str, bytes], end: int, now: float) -> None:
        self.cuts += 1
        folder = self._scratch / "state"
        shutil.rmtree(folder, ignore_errors=True)
        root = next((path for path in files if path.endswith("/memory.db")), None)
        due = [one for one in self._promises if one.end <= end]
        if root is None:
            self._kept("", due, now)
            return
        base = Path(root).parent
        for path, content in files.items():
            target = folder / Path(path).relative_to(base)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        focus = files.get(str(base / "workspace" / "memory" / "RECENT_FOCUS.md"), b"")
        text = self._opened(folder / "memory.db")
        if text is None or b"\0" in focus or (focus and not focus.startswith(b"#")):
            self.corrupt += 1
            self.worst.append(f"corrupt at byte {end} of the record")
        else:
            self._kept(text, due, now)

    def _opened(self, database: Path) -> str | None:
        """All texts in a database, None when it is not sound."""
        try:
            if self.cuts % OPENED == 0 and asyncio.run(_problem(database)):
                return None
            with closing(sqlite3.connect(database)) as db:
                if db.execute("pragma integrity_check").fetchone()[0] != "ok":
                    return None
                if not db.execute("select 1 from sqlite_master where name = 'memories'").fetchone():
                    return ""
                queries = ("select user from exchanges", "select content from memories", "select name from topics")
                return "\n".join(text for query in queries for (text,) in db.execute(query))
        except sqlite3.Error:
            return None

    def _kept(self, text: str, due: list[Promise], now: float) -> None:
        words = set(re.findall(r"anchor\d{5}", text))
        gone = {one.text for one in due if one.gone}
        self.came_back += len(gone & words)
        for one in due:
            if one.text not in words and one.text not in gone and not self._is_being_forgotten(one):
                late = now - one.seconds
                if one.durable or late > COMMIT_SECONDS + SLACK:
                    self.lost += 1
                    self.worst.append(f"{one.text} was lost {late:.2f} s after its answer")
                else:
                    self.window = max(self.window, late)

    def _is_being_forgotten(self, one: Promise) -> bool:
        return any(other.gone and other.text == one.text for other in self._promises)


async def _problem(database: Path) -> str | None:
    """What the daemon's own start says. The machine has been switched off: its boot is another one."""
    note = database.with_name(f"{database.name}-commits")
    if note.exists():
        parts = note.read_text(errors="replace").split()
        note.write_text(" ".join([*parts[:2], "another-boot"]) + "\n" if len(parts) == 3 else "")
    db = await Database.open(database)
    try:
        return db.problem
    finally:
        await db.close()


def dense(judge: Judge, made: list[Step], rng: random.Random) -> None:
    """Cut at every operation."""
    disk = Disk()
    for step in made:
        disk.do(step)
        for way in WAYS:
            judge.look(disk.cut(way, rng), step.end, step.seconds)


def rare(judge: Judge, made: list[Step], rng: random.Random, cuts: int) -> None:
    """Cut at random operations."""
    disk, chosen = Disk(), set(rng.sample(range(len(made)), min(cuts, len(made))))
    for number, step in enumerate(made):
        disk.do(step)
        if number in chosen:
            judge.look(disk.cut(rng.choice(WAYS), rng), step.end, step.seconds)


def main() -> None:
    parser = measure.parser(__doc__)
    parser.add_argument("--dense", type=int, default=100, help="requests of the short history")
    parser.add_argument("--rare", type=int, default=3000, help="requests of the long history")
    parser.add_argument("--cuts", type=int, default=1500, help="cuts of the long history")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    judges = []
    for requests in (options.dense, options.rare):
        with measure.folder() as folder, tempfile.TemporaryDirectory(dir=_in_ram()) as scratch:
            made, promises = history(folder, requests)
            judges.append(judge := Judge(promises, Path(scratch)))
            if requests == options.dense:
                dense(judge, made, rng)
            else:
                rare(judge, made, rng, options.cuts)
    figures: dict[str, float | int | str] = {
        "cuts": sum(judge.cuts for judge in judges),
        "cuts_on_the_long_history": judges[1].cuts,
        "corrupt": sum(judge.corrupt for judge in judges),
        "acknowledged_lost": sum(judge.lost for judge in judges),
        "forgotten_came_back": sum(judge.came_back for judge in judges),
        "commit_seconds": COMMIT_SECONDS,
        "max_window_seconds": max(judge.window for judge in judges),
        "worst": "; ".join(line for judge in judges for line in judge.worst[:3]),
    }
    measure.show(figures, as_json=options.json)


def _in_ram() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


if __name__ == "__main__":
    main()
