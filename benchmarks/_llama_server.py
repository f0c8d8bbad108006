"""llama-server, built from the source inside the package llama-cpp-python: the same llama.cpp as the daemon's."""

import contextlib
import importlib.metadata
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2

from benchmarks import _measure as measure
from benchmarks.synthetic_gguf import cache

FOUND_BY = "PI_MEMORY_LLAMA_SERVER"
WANTED = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_OPENSSL=OFF",
)


def found() -> Path | None:
    """The one that the environment names, or that was built before."""
    named = os.environ.get(FOUND_BY)
    path = Path(named) if named else _folder() / "build" / "bin" / "llama-server"
    return path if path.is_file() else None


def build(jobs: int) -> Path:
    """Takes ten minutes on two cores. Ends the benchmark when it cannot be done."""
    if not shutil.which("cmake") or not shutil.which("cc"):
        measure.not_possible("llama-server cannot be built: it takes cmake and a C++ compiler.")
    folder = _folder()
    folder.mkdir(exist_ok=True)
    source = _source(folder)
    _run(["cmake", "-S", str(source), "-B", str(folder / "build"), *WANTED], folder)
    _run(["cmake", "--build", str(folder / "build"), "--target", "llama-server", "-j", str(jobs)], folder)
    path = found()
    if path is None:
        measure.not_possible(f"llama-server was not built: see {folder / 'log'}")
    assert path
    return path


class Server:
    """A running llama-server."""

    def __init__(self, url: str) -> None:
        self._client = httpx2.Client(base_url=url, timeout=300, trust_env=False)

    def chat(self, messages: list[dict[str, str]], most: int) -> tuple[str, float, dict[str, Any]]:
        """The reply, the seconds to its first piece, and the server's own counts (`timings`)."""
        start, seconds, text, timings = time.perf_counter(), 0.0, "", dict[str, Any]()
        body = {"messages": messages, "max_tokens": most, "temperature": 0, "stream": True, "cache_prompt": True}
        with self._client.stream("POST", "/v1/chat/completions", json=body) as response:
            for line in response.iter_lines():
                if not line.startswith("data: {"):
                    continue
                event = json.loads(line[6:])
                timings = event.get("timings") or timings
                piece = "".join(choice["delta"].get("content") or "" for choice in event["choices"])
                if piece and not seconds:
                    seconds = time.perf_counter() - start
                text += piece
        return text, seconds, timings

    def wait(self, popen: subprocess.Popen[bytes]) -> None:
        for _ in range(600):
            with contextlib.suppress(httpx2.HTTPError):
                if self._client.get("/health").status_code == 200:
                    return
            if popen.poll() is not None:
                break
            time.sleep(0.1)
        measure.not_possible("llama-server did not start.")

    def close(self) -> None:
        self._client.close()


@contextlib.contextmanager
def running(path: Path, model: Path, *, context: int, batch: int) -> Iterator[Server]:
    """With the daemon's settings; its prompt cache as it comes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    threads = str(len(os.sched_getaffinity(0)))
    command = [
        str(path),
        "-m",
        str(model),
        "--port",
        str(port),
        "-c",
        str(context),
        "-b",
        str(batch),
        "-ub",
        str(batch),
    ]
    command += ["-t", threads, "-fa", "off", "--jinja", "--no-warmup"]
    if _amx():
        command.append("--no-repack")  # see _stock.py
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as popen:
        server = Server(f"http://127.0.0.1:{port}")
        try:
            server.wait(popen)
            yield server
        finally:
            server.close()
            popen.kill()


def _amx() -> bool:
    return "amx_int8" in Path("/proc/cpuinfo").read_text()


def _folder() -> Path:
    return cache() / f"llama-server-{importlib.metadata.version('llama-cpp-python')}"


def _source(folder: Path) -> Path:
    """llama.cpp's source, unpacked."""
    package = f"llama-cpp-python=={importlib.metadata.version('llama-cpp-python')}"
    if not any(folder.glob("*.tar.gz")):
        _run([sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", package], folder)
    archive = next(folder.glob("*.tar.gz"))
    unpacked = folder / archive.name.removesuffix(".tar.gz")
    if not unpacked.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return unpacked / "vendor" / "llama.cpp"


def _run(command: list[str], folder: Path) -> None:
    with (folder / "log").open("ab") as log:
        done = subprocess.run(command, cwd=folder, stdout=log, stderr=log, check=False)
    if done.returncode:
        measure.not_possible(f"llama-server cannot be built: `{command[0]}` failed, see {folder / 'log'}")
