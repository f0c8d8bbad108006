"""What the benchmarks share: a daemon in a process of its own, what the kernel counts of it, how figures are shown."""

import argparse
import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

HERE = Path(__file__).parent
NOT_POSSIBLE = 3
"""Exit code of a benchmark that lacks its data, its model or a tool."""

Figures = Mapping[str, float | int | str]


def parser(doc: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=doc)
    made.add_argument("--json", action="store_true", help="print one JSON object")
    return made


def show(figures: Figures, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:34} {value:.3f}" if isinstance(value, float) else f"{name:34} {value}")


def not_possible(why: str) -> None:
    """End the benchmark, which is no result."""
    print(why, file=sys.stderr)
    sys.exit(NOT_POSSIBLE)


@dataclass(frozen=True)
class Written:
    bytes: int
    writes: int
    syncs: int

    def __sub__(self, other: "Written") -> "Written":
        return Written(self.bytes - other.bytes, self.writes - other.writes, self.syncs - other.syncs)


@dataclass
class Daemon:
    """A running daemon. `counter` is the file that its writes are counted in, if they are."""

    popen: subprocess.Popen[str]
    url: str
    counter: Path | None

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=60, trust_env=False)

    def wait_until_loaded(self) -> None:
        with self.client() as client:
            while client.get("/healthz").json()["status"] == "loading":
                time.sleep(0.02)

    def written(self) -> Written:
        """Bytes, writes and syncs below the data directory so far."""
        assert self.counter is not None
        return Written(*(ctypes.c_uint64 * 3).from_buffer_copy(self.counter.read_bytes()))

    def context_switches(self) -> int:
        """Of all threads, voluntary or not."""
        total = 0
        for status in Path(f"/proc/{self.popen.pid}/task").glob("*/status"):
            total += sum(map(int, re.findall(r"ctxt_switches:\s+(\d+)", status.read_text())))
        return total

    def cpu_seconds(self) -> float:
        """Processor time of all threads so far, in steps of 10 ms."""
        fields = Path(f"/proc/{self.popen.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_mb(self) -> float:
        """Resident memory in MB (10^6 bytes)."""
        text = Path(f"/proc/{self.popen.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", text)
        assert found
        return int(found[1]) * 1024 / 1e6

    def stop(self) -> None:
        self.popen.send_signal(signal.SIGTERM)
        self.popen.wait(30)


@contextlib.contextmanager
def daemon(folder: Path, *, count_io: bool = False, **values: Any) -> Iterator[Daemon]:
    """Run `pi-memory serve` on `folder`, settings by keyword, until the block is left."""
    given = {"PI_MEMORY_DATA_DIR": folder / "data", "PI_MEMORY_PORT": 0, "PI_MEMORY_LOG_LEVEL": "info", **values}
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    environ |= {key: str(value) for key, value in given.items()}
    counter = folder / "io" if count_io else None
    if counter is not None:
        environ |= {
            "LD_PRELOAD": str(preloaded(folder, "count_io")),
            "COUNT_IO_INTO": str(counter),
            "COUNT_IO_BELOW": str(folder),
        }
    with process([sys.executable, "-m", "pi_memory", "serve"], folder, environ) as (popen, url):
        yield Daemon(popen, url, counter)


@contextlib.contextmanager
def process(
    command: list[str], folder: Path, environ: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server that logs `Listening on URL`, until the block is left; its log goes to a file."""
    log = folder / f"log-{time.monotonic_ns()}"
    with log.open("w") as out, subprocess.Popen(command, cwd=folder, env=environ, stderr=out, text=True) as popen:
        try:
            yield popen, _url(popen, log)
        finally:
            popen.kill()
            popen.wait()


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def _url(popen: subprocess.Popen[str], log: Path) -> str:
    for _ in range(6_000):
        if found := re.search(r"Listening on (http://\S+)", log.read_text()):
            return found[1]
        if popen.poll() is not None:
            break
        time.sleep(0.005)
    raise SystemExit(f"The server did not start:\n{log.read_text()}")


def preloaded(folder: Path, name: str) -> Path:
    """`benchmarks/NAME.c`, compiled to be preloaded into a process."""
    made = folder / f"{name}.so"
    source = HERE / f"{name}.c"
    done = subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"], check=False)
    if done.returncode:
        not_possible("A C compiler is needed to stand between a process and the kernel.")
    return made
