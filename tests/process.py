"""A real daemon in a process of its own, on a free port, ended by its process id."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.waiting import SECONDS, eventually


@dataclass
class Process:
    """`log` grows as the daemon writes; `folder` has its data."""

    popen: subprocess.Popen[str]
    folder: Path
    url: str = ""
    log: list[str] = field(default_factory=list)
    _up: threading.Event = field(default_factory=threading.Event)

    @property
    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=30, trust_env=False)

    def read(self) -> None:
        """Follow the log to its end, on a thread."""
        assert self.popen.stderr is not None
        for line in self.popen.stderr:
            self.log.append(line)
            if found := re.search(r"Listening on (http://\S+)", line):
                self.url = found[1]
                self._up.set()
        self._up.set()

    def wait_until_up(self) -> None:
        assert self._up.wait(SECONDS), "".join(self.log)
        assert self.url, "".join(self.log)

    def wait_until_loaded(self) -> None:
        """Wait until models are loaded, or have failed to."""
        with self.client as client:
            eventually(lambda: client.get("/healthz").json()["status"] != "loading", lambda: "".join(self.log))

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.popen.send_signal(number)
        return self.popen.wait(SECONDS)


@contextlib.contextmanager
def serving(folder: Path, *, up: bool = True, **values: object) -> Iterator[Process]:
    """Run `pi-memory serve` on `folder`, with settings by keyword; killed at the end if it still runs."""
    given = {"PI_MEMORY_DATA_DIR": folder / "data", "PI_MEMORY_PORT": 0, "PI_MEMORY_EMBEDDER": "none", **values}
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {key: str(value) for key, value in given.items()}
    command = [sys.executable, "-m", "pi_memory", "serve"]
    with subprocess.Popen(command, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True) as popen:
        process = Process(popen, folder)
        reader = threading.Thread(target=process.read)
        reader.start()
        try:
            if up:
                process.wait_until_up()
            yield process
        finally:
            popen.kill()
            popen.wait()
            reader.join()
