import json
import os
import struct
from pathlib import Path

import gguf
import pytest

from pi_memory.errors import ModelError
from pi_memory.model.probe import trusted
from tests.gguf_bert import write_bert_gguf
from tests.gguf_files import write_llama


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    return tmp_path / "models" / "probed.json"


def crashing(path: Path) -> Path:
    """A model whose last tensor claims to be of 64-bit floats, at which ggml aborts."""
    content = bytearray(write_llama(path).read_bytes())
    name = b"blk.1.ffn_norm.weight"
    after_name = content.index(name) + len(name)
    type_at = after_name + 4 + 8  # one dimension
    assert struct.unpack_from("<II", content, after_name)[0] == 1
    struct.pack_into("<I", content, type_at, gguf.GGMLQuantizationType.F64)
    path.write_bytes(content + bytes(4096))
    return path


def test_a_sound_chat_model_is_trusted_and_remembered(tmp_path: Path, verdicts: Path) -> None:
    path = write_llama(tmp_path / "tiny.gguf")
    trusted(path, kind="chat", verdicts=verdicts)
    known = json.loads(verdicts.read_text())["files"][str(path)]
    assert known["size"] == path.stat().st_size
    trusted(path, kind="chat", verdicts=verdicts, timeout=0)  # no time for a child: none is started


def test_a_new_time_is_no_new_file_but_new_content_is(tmp_path: Path, verdicts: Path) -> None:
    path = write_llama(tmp_path / "tiny.gguf")
    trusted(path, kind="chat", verdicts=verdicts)
    os.utime(path, (1, 1))
    trusted(path, kind="chat", verdicts=verdicts, timeout=0)
    write_llama(path, seed=1)
    with pytest.raises(ModelError, match="within 0 s"):
        trusted(path, kind="chat", verdicts=verdicts, timeout=0)


def test_an_embedder_is_no_chat_model_and_the_other_way_round(tmp_path: Path, verdicts: Path) -> None:
    chat, embedder = write_llama(tmp_path / "tiny.gguf"), write_bert_gguf(tmp_path / "bert.gguf")
    trusted(embedder, kind="embedder", verdicts=verdicts)
    with pytest.raises(ModelError, match="chat model"):
        trusted(embedder, kind="chat", verdicts=verdicts)
    with pytest.raises(ModelError, match="no embedding model"):
        trusted(chat, kind="embedder", verdicts=verdicts)


def test_a_file_that_crashes_llama_is_refused_and_remembered(tmp_path: Path, verdicts: Path) -> None:
    path = crashing(tmp_path / "bad.gguf")
    with pytest.raises(ModelError, match=r"malformed.*crashed") as caught:
        trusted(path, kind="chat", verdicts=verdicts)
    assert "again" in caught.value.hint
    with pytest.raises(ModelError, match=r"malformed.*crashed"):
        trusted(path, kind="chat", verdicts=verdicts, timeout=0)


@pytest.mark.parametrize("kept", [0, 3, 30, 3_000, 100_000])
def test_a_truncated_file_is_refused(tmp_path: Path, verdicts: Path, kept: int) -> None:
    path = write_llama(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ModelError, match=r"cannot be loaded|malformed"):
        trusted(path, kind="chat", verdicts=verdicts)


def test_a_missing_file_is_named(tmp_path: Path, verdicts: Path) -> None:
    with pytest.raises(ModelError, match="no model file"):
        trusted(tmp_path / "none.gguf", kind="chat", verdicts=verdicts)


def test_verdicts_that_are_damaged_or_cannot_be_written_are_done_without(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "tiny.gguf")
    damaged = tmp_path / "probed.json"
    damaged.write_text('{"files": 3}')
    trusted(path, kind="chat", verdicts=damaged)
    trusted(path, kind="chat", verdicts=path / "not a folder" / "probed.json")
