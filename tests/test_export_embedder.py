"""`pi-memory export-embedder`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_memory.cli.export_embedder import command
from tests.gguf_bert import write_sentence_bert


def test_the_command_writes_the_file_and_says_how_to_use_it(tmp_path: Path) -> None:
    folder, target = write_sentence_bert(tmp_path / "tiny"), tmp_path / "out.gguf"
    result = CliRunner().invoke(command, [str(folder), str(target), "--quantisation", "f16"])
    assert result.exit_code == 0, result.output
    assert f"PI_MEMORY_EMBEDDER_MODEL={target}" in result.output
    assert target.read_bytes()[:4] == b"GGUF"


def test_the_command_names_the_file_after_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, [str(write_sentence_bert(tmp_path / "tiny"))])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "tiny-Q8_0.gguf").is_file()


@pytest.mark.parametrize("arguments", [[], ["--bundled", "a.gguf", "b.gguf"], ["a", "b", "c"]])
def test_the_command_refuses_other_arguments(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments).exit_code == 2
