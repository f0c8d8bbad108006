"""A real chat model, if there is one to test with: a small one that tells stories."""

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).parents[2] / "shared" / "models" / "TinyStories-656K-Q8_0.gguf"


def story_model() -> Path:
    """Its file. The test is skipped without one."""
    path = Path(os.environ.get("TEST_CHAT_MODEL") or BESIDE)
    if not path.is_file():
        pytest.skip("no real chat model: set TEST_CHAT_MODEL to a small GGUF")
    return path
