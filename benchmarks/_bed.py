"""A daemon to be treated badly: what it acknowledged, and what it says of what is wrong."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure

SERVE = [sys.executable, "-m", "pi_memory", "serve"]
PATIENCE = 20.0
"""Seconds until what is waited for must have come."""
COMMIT_SECONDS = 0.5
NOT_SAVED, NOTHING_IS, AGAIN = "Nothing is saved", "nothing is saved", "can be written again"
"""What the log says when writes are refused, what `/healthz` says, and what the log says when it is over."""


class Bed:
    """One daemon on a folder of its own. What was acknowledged is to be there at the end: `lost` counts what is not."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.database = self.data / "memory.db"
        self.focus_file = self.data / "workspace" / "memory" / "RECENT_FOCUS.md"
        self.heard: set[str] = set()
        self.noticed = True
        self._stack = stack
        self._running: ExitStack | None = None
        self._daemon: measure.Daemon | None = None

    # The daemon.

    def start(self, **values: Any) -> None:
        self._running = self._stack.enter_context(ExitStack())
        given = {
            "PI_MEMORY_EMBEDDER": "none",
            "PI_MEMORY_PROVIDER": "extractive",
            "PI_MEMORY_COMMIT_SECONDS": COMMIT_SECONDS,
            "PI_MEMORY_DATA_DIR": self.data,
        }
        self._daemon = self._running.enter_context(measure.daemon(self.folder, **{**given, **values}))

    @property
    def popen(self) -> "subprocess.Popen[str]":
        assert self._daemon
        return self._daemon.popen

    def send(self, number: int) -> None:
        self.popen.send_signal(number)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """The exit code."""
        self.send(number)
        code = self.popen.wait(30)
        self._leave()
        return code

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self._leave()

    def _leave(self) -> None:
        assert self._running
        self._running.close()
        self._daemon = None

    @property
    def runs(self) -> bool:
        return self._daemon is not None

    def refused_start(self) -> str:
        """What is said by a daemon that does not start."""
        done = subprocess.run(SERVE, cwd=self.folder, env=self.environ(), capture_output=True, text=True, timeout=60)
        return done.stderr if done.returncode == 3 else ""

    def environ(self) -> dict[str, str]:
        """Of a daemon that is started by hand."""
        return {**os.environ, "PI_MEMORY_DATA_DIR": str(self.data), "PI_MEMORY_PORT": "0"}

    # What is said to it.

    def chat(self, text: str) -> bool:
        """Say something; it counts as acknowledged when its group is due."""
        if is_ok := self._request("POST", "/chat", {"message": text, "conversation_id": "c"}):
            self.heard.add(text)
        return is_ok

    def remember(self, text: str) -> bool:
        if is_ok := self._request("POST", "/memories", {"content": text}):
            self.heard.add(text)
        return is_ok

    def topic(self, name: str) -> bool:
        if is_ok := self._request("PUT", f"/focus/{name}", {}):
            self.heard.add(name)
        return is_ok

    def talk(self, word: str) -> None:
        """One of everything."""
        self.chat(f"the {word} is by the door")
        self.remember(f"I like the {word}.")
        self.topic(word)

    def answers(self) -> bool:
        return self._request("POST", "/chat", {"message": "how are you", "conversation_id": "other"})

    def _request(self, method: str, path: str, body: object) -> bool:
        try:
            with self.client() as client:
                return client.request(method, path, json=body).is_success
        except httpx2.TransportError:
            return False

    def client(self) -> httpx2.Client:
        assert self._daemon
        return self._daemon.client()

    def wait_for_commit(self) -> None:
        time.sleep(3 * COMMIT_SECONDS)

    # What it says.

    def health(self) -> str:
        with self.client() as client:
            return client.get("/healthz").text

    def active(self) -> set[str]:
        """The topics that have not faded."""
        with self.client() as client:
            return {topic["topic"] for topic in client.get("/focus").json()["topics"]}

    def expect(self, words: str) -> None:
        """`/healthz` names what is wrong, and one line of the log does."""
        self.noticed &= until(lambda: words in self.health()) and until(lambda: self.log().count(words) == 1)

    def expect_well(self, words: str = "") -> None:
        """`/healthz` is well again, and one line of the log says so."""
        self.noticed &= until(lambda: '"degraded"' not in self.health())
        self.noticed &= not words or until(lambda: self.log().count(words) == 1)

    def log(self) -> str:
        """Of the last start."""
        newest = max(self.folder.glob("log-*"), key=lambda path: path.stat().st_mtime_ns)
        return newest.read_text(errors="replace")

    def has_traceback(self) -> bool:
        return any("Traceback" in path.read_text(errors="replace") for path in self.folder.glob("log-*"))

    # What is left.

    def lost(self) -> list[str]:
        """What was acknowledged and is not in the database."""
        if not self.heard:
            return []
        with closing(sqlite3.connect(self.database)) as db:
            db.text_factory = lambda data: data.decode(errors="replace")
            kept = "\n".join(
                text
                for query in ("select user from exchanges", "select content from memories", "select name from topics")
                for (text,) in db.execute(query)
            )
        return sorted(text for text in self.heard if text not in kept)

    # What is done to it.

    def change(self, statement: str) -> None:
        """Change the database of a daemon that is stopped."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as db:
            if not db.execute(statement).rowcount:
                raise SystemExit(f"nothing was changed by: {statement}")

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Another program in the middle of a write."""
        with closing(sqlite3.connect(self.database, isolation_level=None, timeout=30)) as other:
            other.execute("begin immediate")
            yield

    def own_disk(self) -> None:
        """Put the data on a disk of two megabytes."""
        self.data.mkdir(parents=True, exist_ok=True)
        mount("-t", "tmpfs", "-o", "size=2m", "none", str(self.data))
        self._stack.callback(subprocess.run, ["umount", "-l", str(self.data)], check=False)

    def read_only(self) -> None:
        mount("-o", "remount,ro", str(self.data))

    def writable(self) -> None:
        mount("-o", "remount,rw", str(self.data))

    def fill(self) -> None:
        with (self.data / "filler").open("wb", buffering=0) as out, contextlib.suppress(OSError):
            while True:
                out.write(b"x" * 4096)

    def make_room(self) -> None:
        (self.data / "filler").unlink()


def known(bed: Bed) -> None:
    """A daemon that has run before."""
    bed.start()
    bed.talk("anchor")
    bed.stop()


def loss_is_named(bed: Bed) -> None:
    bed.noticed &= until(lambda: NOTHING_IS in bed.health()) and until(lambda: bed.log().count(NOT_SAVED) == 1)


def mount(*arguments: str) -> None:
    if subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode:
        measure.not_possible("Only root may mount the disks that are filled.")


def until(found: Callable[[], object]) -> bool:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        with contextlib.suppress(httpx2.TransportError):
            if found():
                return True
        time.sleep(0.05)
    return False
