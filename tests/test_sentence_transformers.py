"""sentence-transformers, live. What it shares with other embedders is in test_embedder_contract.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from pi_memory.embedding.sentence_transformers import SentenceTransformersEmbedder, installed
from pi_memory.errors import EmbedderError

needs_library = pytest.mark.skipif(
    not installed(),
    reason="sentence-transformers is not installed: pip install 'pi-memory[sentence-transformers]'",
)


def test_importing_the_module_loads_no_library() -> None:
    code = "import sys, pi_memory.embedding.sentence_transformers; print('torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is how Python marks a module that cannot be imported.
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError, match="not installed") as caught:
        SentenceTransformersEmbedder.open("all-MiniLM-L6-v2")
    assert caught.value.hint == "pip install 'pi-memory[sentence-transformers]'"


@needs_library
def test_a_model_that_is_not_here_is_a_clear_error() -> None:
    with pytest.raises(EmbedderError, match="no/such-model cannot be loaded") as caught:
        SentenceTransformersEmbedder.open("no/such-model", download=False)
    assert "Without a network" in caught.value.hint


@needs_library
def test_a_folder_that_is_no_model_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        SentenceTransformersEmbedder.open(tmp_path)
