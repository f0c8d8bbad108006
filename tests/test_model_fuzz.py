"""A short run of the fuzz; `scripts/bench fuzz` is the long one."""

import asyncio
from pathlib import Path

from tests.gguf_files import write_llama
from tests.model_fuzz import Fuzz

CONVERSATIONS = 80
MOST_TIES = 0.01


def test_every_reply_is_that_of_a_cold_start(tmp_path: Path) -> None:
    fuzz = Fuzz(write_llama(tmp_path / "tiny.gguf", context=512), tmp_path / "state", seed=1)
    asyncio.run(fuzz.run(CONVERSATIONS))
    fuzz.close()
    assert fuzz.replies >= 2 * CONVERSATIONS
    assert len(fuzz.ties) <= max(1, MOST_TIES * fuzz.replies)
