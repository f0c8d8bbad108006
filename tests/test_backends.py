"""The chat model as the settings choose it."""

import asyncio
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from pi_memory import backends
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.types import Message
from tests.conftest import settings_for
from tests.gguf_files import write_llama


@pytest.mark.parametrize(
    ("size", "cores", "threads", "prefill"),
    [
        (ContextSize(), 1, 1, 1),
        (ContextSize(), 2, 2, 2),
        (ContextSize(), 4, 2, 4),
        (ContextSize(threads=3), 4, 3, 3),
        (ContextSize(prefill_threads=3), 4, 2, 3),
        (ContextSize(threads=1, prefill_threads=4), 4, 1, 4),
    ],
)
def test_threads_are_chosen_by_the_cores(size: ContextSize, cores: int, threads: int, prefill: int) -> None:
    chosen = size.with_threads(cores)
    assert (chosen.threads, chosen.prefill_threads) == (threads, prefill)


def test_the_log_says_what_was_chosen_and_a_restart_finds_what_was_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_llama(tmp_path / "tiny.gguf")
    settings = settings_for(tmp_path, PI_MEMORY_MODEL=path, PI_MEMORY_THREADS=1, PI_MEMORY_BATCH_TOKENS=32)

    async def start() -> int:
        loader = backends.model(settings)
        loader.start()
        model = await loader.ready()
        assert isinstance(model, LocalModel), loader.problem
        beginning = [Message("system", "You are the assistant. Say hello.")]
        _ = [piece async for piece in model.generate([*beginning, Message("user", "hello")], max_tokens=3)]
        await model.save(beginning, [])
        await loader.close()
        return model.restored_tokens

    with caplog.at_level(logging.INFO):
        assert asyncio.run(start()) == 0
        assert asyncio.run(start()) > 16
    assert "tiny: 512 tokens of context; 1 threads write (PI_MEMORY_THREADS=1), 1 read" in caplog.text
    assert "32 tokens at a time; weights read into memory; 0 tokens evaluated before" in caplog.text


def test_a_daemon_without_a_model_imports_nothing_around_one() -> None:
    code = "import sys, pi_memory.service; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    late = {"pi_memory.model.engine", "pi_memory.model.probe", "pi_memory.embedding.gguf", "pi_memory.http.mcp"}
    assert not {*late, "llama_cpp", "jinja2", "httpx2", "rich", "unittest", "pydoc"} & {*imported}
