"""`pi-memory WORDS` from its entry point: in this process, which takes a tenth of the time, or in one of its own."""

import os
import signal
import subprocess
import sys
from contextlib import chdir
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from pi_memory.__main__ import main
from tests.process import Process

Done = subprocess.CompletedProcess[str]


def run(process: Process | None, folder: Path, *words: str, said: str = "", port: int = 1, **environ: str) -> Done:
    """Run it for a daemon in this process, with its own arguments, folder, environment and streams."""
    streams = [TextIOWrapper(BytesIO(text), encoding="utf-8") for text in (said.encode(), b"", b"")]
    argv = ["pi-memory", *words]
    whole = patch.dict(os.environ, environment(process, folder, port) | environ, clear=True)
    mine = patch.multiple(sys, argv=argv, stdin=streams[0], stdout=streams[1], stderr=streams[2])
    umask, on_interrupt = os.umask(0o022), signal.getsignal(signal.SIGINT)
    try:
        with chdir(folder), whole, mine:
            main()
            code: int | str | None = 0
    except SystemExit as end:
        code = end.code
    finally:
        os.umask(umask)
        signal.signal(signal.SIGINT, on_interrupt)
    assert isinstance(code, int)
    _, stdout, stderr = (stream.detach() for stream in streams)
    return Done(argv, code, *(stream.getvalue().decode() for stream in (stdout, stderr)))


def run_alone(process: Process | None, folder: Path, *words: str, said: str = "", **environ: str) -> Done:
    """Run it for a daemon in a process of its own."""
    given = environment(process, folder) | environ
    command = [sys.executable, "-m", "pi_memory", *words]
    done = subprocess.run(command, cwd=folder, env=given, input=said, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done


def environment(process: Process | None, folder: Path, port: int = 1) -> dict[str, str]:
    """For a command to a daemon, or to nobody at `port`."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PI_MEMORY_")}
    at = process.url.rpartition(":")[2] if process else str(port)
    return environ | {"PI_MEMORY_PORT": at, "PI_MEMORY_DATA_DIR": str(folder / "data"), "PI_MEMORY_EMBEDDER": "none"}
