import math
from pathlib import Path

import pytest

from pi_memory.errors import ModelError
from pi_memory.model.engine import Engine
from pi_memory.model.library import library, open_model
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.ram_check import check, context_bytes, free
from tests.gguf_files import write_llama

PI = """MemTotal:         943872 kB
MemFree:           91200 kB
MemAvailable:     612340 kB
SwapFree:         102396 kB
"""


def test_what_is_available_and_free_swap_can_be_had(tmp_path: Path) -> None:
    (meminfo := tmp_path / "meminfo").write_text(PI)
    assert free(meminfo) == (612_340 + 102_396) * 1024


@pytest.mark.parametrize("text", ["", "MemAvailable: many kB\nSwapFree: 0 kB\n", "MemFree: 3 kB\n"])
def test_nothing_is_refused_when_nobody_tells(tmp_path: Path, text: str) -> None:
    (meminfo := tmp_path / "meminfo").write_text(text)
    assert free(meminfo) == free(tmp_path / "none") == math.inf
    check("A model", 1e15, hint="", meminfo=meminfo)


def test_more_than_there_is_is_refused_in_numbers(tmp_path: Path) -> None:
    (meminfo := tmp_path / "meminfo").write_text(PI)
    check("A model", 700e6, hint="", meminfo=meminfo)
    with pytest.raises(ModelError, match="A model needs 900 MB of memory, and 732 MB are free"):
        check("A model", 900e6, hint="", meminfo=meminfo)


def test_a_context_that_would_take_all_memory_is_refused_before_it_is_made(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "tiny.gguf", context=1_000_000_000)
    with pytest.raises(ModelError, match=r"1000000000 tokens needs \d+ MB") as caught:
        Engine(path, ContextSize(threads=1, context_tokens=1_000_000_000))
    assert "CTX_TOKENS" in caught.value.hint


def test_what_a_context_takes_is_what_a_state_of_it_holds(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "tiny.gguf")
    engine = Engine(path, ContextSize(threads=1, context_tokens=512))
    engine.prefill(0, list(range(200)))
    _, state = engine.state(list(range(200)), most_bytes=10**9)
    reckoned = context_bytes(library(), open_model(path), 200)
    assert reckoned <= len(state) < 1.2 * reckoned + 4_000
    engine.close()
