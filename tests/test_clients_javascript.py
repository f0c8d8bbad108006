"""The JavaScript clients of OpenAI's API, the AI SDK and MCP against a daemon. Skipped where node and they are not
installed (`scripts/setup --clients`).
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gguf_bert import write_bert_gguf
from tests.process import Process, serving

NODE = Path(os.environ.get("NODE") or Path(sys.prefix) / "bin" / "node")
PACKAGES = Path(os.environ.get("PACKAGES") or Path(sys.prefix) / "share" / "pi-memory" / "javascript")
SCRIPT = Path(__file__).with_name("javascript") / "clients.mjs"

pytestmark = pytest.mark.skipif(
    not (NODE.exists() and (PACKAGES / "node_modules" / "openai").exists()),
    reason="scripts/setup --clients installs them",
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon"), PI_MEMORY_COMMIT_SECONDS=0) as process:
        yield process


def use(process: Process, name: str, *more: str, **environ: str) -> Any:
    """What a client of the script got."""
    port = {"PI_MEMORY_PORT": process.url.rpartition(":")[2], "PI_MEMORY_DATA_DIR": str(process.folder / "data")}
    done = subprocess.run(
        [NODE, SCRIPT, name, process.url, *more],
        env={**os.environ, **port, "PACKAGES": str(PACKAGES), **environ},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_openai(daemon: Process) -> None:
    got = use(daemon, "openai")
    assert "oolong" in got["again"]
    assert got["streamed"].startswith("Hello.")
    assert got["response"].startswith("Hello.")
    assert got["tokens"] > 0
    assert (got["refused"][:3], "no text" in got["refused"], got["unknown"]) == ("400", True, 404)
    assert got["models"] == ["pi-memory", "pi-memory-coder"]


def test_vectors(tmp_path: Path) -> None:
    model = write_bert_gguf(tmp_path / "bert.gguf")
    with serving(tmp_path, PI_MEMORY_EMBEDDER="gguf", PI_MEMORY_EMBEDDER_MODEL=model) as process:
        tea, lorry, again = use(process, "vectors")["vectors"]
    assert tea == again != lorry
    assert sum(value * value for value in tea) == pytest.approx(1, abs=1e-3)


def test_the_ai_sdk(daemon: Process) -> None:
    got = use(daemon, "ai")
    assert "oolong" in got["again"]
    assert got["streamed"].startswith("Hello.")
    assert got["response"].startswith("Hello.")
    assert got["tokens"] > 0
    assert (got["refused"][:3], "agent" in got["refused"]) == ("422", True)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("command", [(), (sys.executable,)], ids=["http", "command"])
def test_mcp(daemon: Process, mode: str, command: tuple[str, ...]) -> None:
    got = use(daemon, "mcp", *command, MCP_MODE=mode)
    assert {"recall", "remember", "forget", "read_graph"} <= set(got["tools"])
    assert (got["found"], got["wrong"], got["focus"]) == (True, True, "#")
