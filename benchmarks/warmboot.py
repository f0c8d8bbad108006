"""A restart of the daemon: what is evaluated before the first reply, and what damaged state files do."""

import argparse
import asyncio
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _engine as bench
from benchmarks import _measure as measure
from benchmarks.synthetic_gguf import cached
from pi_memory.model.engine import Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.model.sampling import Sampling
from pi_memory.model.saved_state import SavedStates
from pi_memory.types import Message, Usage

TURNS, WORDS, REPLY, NAME = 6, 40, 16, "conversation"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SAVED = ("beginning", "conversations")


def restarted(path: Path) -> dict[str, float | int | bool]:
    """A chat with a daemon that is stopped cleanly and started again, and the same chat with one that runs on."""
    values: dict[str, Any] = {"PI_MEMORY_PROVIDER": "llama", "PI_MEMORY_MODEL": path, "PI_MEMORY_EMBEDDER": "none"}
    values |= {"PI_MEMORY_MAX_TOKENS": REPLY, "PI_MEMORY_TEMPERATURE": 0, "CTX_TOKENS": 2048}
    chance = random.Random(0)
    script = [bench.said(chance, WORDS) for _ in range(TURNS + 1)]
    with measure.folder() as folder:
        with measure.daemon(folder, **values) as daemon, daemon.client() as client:
            daemon.wait_until_loaded()
            before = [_say(client, text) for text in script[:-1]][-1]["usage"]
            settled(client)
            daemon.stop()
        size = sum(file.stat().st_size for file in (folder / "data").rglob("*.state"))
        with measure.daemon(folder, **values) as daemon, daemon.client() as client:
            daemon.wait_until_loaded()
            idle = settled(client)
            first = _say(client, script[-1])
            daemon.stop()
        log = max(folder.glob("log-*"), key=lambda file: file.stat().st_mtime).read_text()
    with measure.folder() as folder, measure.daemon(folder, **values) as daemon, daemon.client() as client:
        daemon.wait_until_loaded()
        unbroken = [_say(client, text) for text in script][-1]
        daemon.stop()
    usage = first["usage"]
    new = usage["prompt_tokens"] - before["prompt_tokens"] - before["completion_tokens"]
    found = re.search(r"(\d+) tokens evaluated before", log)
    restored = int(found[1]) if found else 0
    return {
        "evaluated_before_first_reply": usage["evaluated_tokens"] + idle,
        "new_tokens": new,
        "evaluated_before_first_reply_minus_new_tokens": usage["evaluated_tokens"] + idle - new,
        "evaluated_while_waiting_minus_new_tokens": usage["evaluated_tokens"] - new,
        "evaluated_at_the_start": idle,
        "prompt_tokens": usage["prompt_tokens"],
        "first_reply_as_without_restart": first["reply"] == unbroken["reply"],
        "restored_tokens": restored,
        "bytes_per_token": size / restored if restored else float("nan"),
    }


def settled(client: httpx2.Client) -> int:
    """Tokens evaluated while nobody waited, once that has ended: four looks in a row find the same."""
    seen: list[int] = []
    while len(seen) < 4 or len(set(seen[-4:])) > 1:
        time.sleep(0.25)
        text = client.get("/metrics").text
        found = re.search(r'tokens_evaluated_total\{purpose="idle"\} (\d+)', text)
        seen.append(int(found[1]) if found else 0)
    return seen[-1]


def _say(client: httpx2.Client, text: str) -> dict[str, Any]:
    answer = client.post("/chat", json={"message": text, "conversation_id": NAME}, timeout=300)
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


class Damage:
    """Ways to spoil a file. Each gives bytes that differ from the original."""

    def __init__(self, original: bytes, seed: int) -> None:
        self._original = original
        self._chance = random.Random(seed)
        self.ways: list[Callable[[], bytes]] = [
            self.cut,
            self.flipped,
            self.zeroed,
            self.longer,
            self.noise,
            self.shifted,
        ]

    def cut(self) -> bytes:
        return self._original[: self._chance.randrange(len(self._original))]

    def flipped(self) -> bytes:
        """One bit: anywhere, or, half of the time, in the first kilobyte, where the structure stands."""
        end = self._chance.choice((len(self._original), min(1024, len(self._original))))
        at, spoiled = self._chance.randrange(end), bytearray(self._original)
        spoiled[at] ^= 1 << self._chance.randrange(8)
        return bytes(spoiled)

    def zeroed(self) -> bytes:
        """A block that was never written, as after a power cut."""
        at = self._chance.randrange(max(1, len(self._original) - 4096)) // 4096 * 4096
        spoiled = self._original[:at] + bytes(4096) + self._original[at + 4096 :]
        return spoiled if spoiled != self._original else b""

    def longer(self) -> bytes:
        return self._original + self._chance.randbytes(self._chance.randint(1, 4096))

    def noise(self) -> bytes:
        return self._chance.randbytes(len(self._original))

    def shifted(self) -> bytes:
        return self._original[1:] + self._original[:1]


class Restarts:
    """A model that starts over and over in this process, on states that were saved once and then spoiled."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = folder
        chance = random.Random(3)
        self._said = [Message("system", bench.said(chance, 30)), Message("user", bench.said(chance, WORDS))]
        self._next = Message("user", bench.said(chance, WORDS))

    def open(self, *, identity: str = "this model", context: int = 1024) -> LocalModel:
        states = SavedStates(self._folder, identity=identity, most_bytes=64_000_000, clock=lambda: NOW)
        engine = Engine(self._path, ContextSize(context_tokens=context, threads=1))
        return LocalModel(engine, name="tiny", now=NOW, sampling=Sampling(temperature=0), states=states)

    async def save(self) -> str:
        """What was said, and the reply that follows when nothing is restarted."""
        model = self.open()
        text, _ = await bench.reply(model, self._said, most=REPLY)
        self._said = [*self._said, Message("assistant", text)]
        model.prepare(self._said)
        await bench.settle(model)
        await model.save(self._said[:1], [self._said])
        reply, _ = await bench.reply(model, [*self._said, self._next], most=REPLY)
        await model.close()
        return reply

    async def start(self, **other: Any) -> tuple[str, Usage, int]:
        """The first reply after a start on what lies in the folder, and how many tokens were restored."""
        model = self.open(**other)
        reply, usage = await bench.reply(model, [*self._said, self._next], most=REPLY)
        await model.close()
        return reply, usage, model.restored_tokens


async def damaged(path: Path, tries: int) -> dict[str, int | bool]:
    wrong = used = tried = 0
    with measure.folder() as folder:
        restarts = Restarts(path, folder / "state")
        unbroken = await restarts.save()
        kept = folder / "kept"
        shutil.copytree(folder / "state", kept)
        for name in SAVED:
            (folder / "state" / f"{name}.state").unlink()
        cold, _, _ = await restarts.start()
        for spoiled, other in _spoiled(kept, tries):
            tried += 1
            for name in SAVED:
                (folder / "state" / f"{name}.state").write_bytes(spoiled[name])
            reply, _, restored = await restarts.start(**other)
            wrong, used = wrong + (reply != cold), used + (restored > 0)
        shutil.copytree(kept, folder / "state", dirs_exist_ok=True)
        sound, usage, restored = await restarts.start()
    return {
        "damaged_files_tried": tried,
        "wrong_replies": wrong,
        "damaged_files_used": used,
        "sound_file_reply_as_without_restart": sound == unbroken,
        "sound_file_tokens_restored": restored,
        "sound_file_tokens_evaluated": usage.evaluated_tokens,
    }


def _spoiled(kept: Path, tries: int) -> Iterator[tuple[dict[str, bytes], dict[str, Any]]]:
    """Both files spoiled, one way after the other; then sound ones, of another model and of another context."""
    ways = [Damage((kept / f"{name}.state").read_bytes(), seed).ways for seed, name in enumerate(SAVED)]
    for number in range(tries - 2):
        yield {name: way[number % len(way)]() for name, way in zip(SAVED, ways, strict=True)}, {}
    sound = {name: (kept / f"{name}.state").read_bytes() for name in SAVED}
    yield sound, {"identity": "another model"}
    yield sound, {"context": 768}


def measured(options: argparse.Namespace) -> bench.Figures:
    path, tries = bench.model_file(options), 14 if options.quick else options.tries
    figures = {"shape": options.shape, **restarted(path)}
    return {**figures, "shape_of_damaged": "tiny", **asyncio.run(damaged(cached("tiny"), tries))}


def main() -> None:
    options = bench.parser(__doc__, shape="smollm2-135m")
    options.add_argument("--tries", type=int, default=240, help="damaged files")
    given = options.parse_args()
    bench.show(measured(given), as_json=given.json)


if __name__ == "__main__":
    main()
