"""BERT models for the tests: a tiny one written here, and the real all-MiniLM-L6-v2 where its package is installed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import save_file

from pi_memory.embedding.gguf_export import bundled_folder, export_bert, export_bundled
from pi_memory.errors import EmbedderError

Weights = npt.NDArray[np.float32]

WIDTH, FEED_FORWARD, LAYERS, HEADS, CONTEXT = 32, 64, 2, 2, 24
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), *".,:/()", "the", "##ing"]


def write_sentence_bert(folder: Path, *, pooling: str = "mean", config: Mapping[str, object] | None = None) -> Path:
    """A whole sentence-transformers folder, its weights drawn from a fixed seed; `config` changes its config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_config(folder, config or {})
    _write_json(folder / "tokenizer_config.json", {"do_lower_case": True, "model_max_length": 64})
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": CONTEXT, "do_lower_case": False})
    _write_json(folder / "1_Pooling/config.json", {"word_embedding_dimension": WIDTH, "pooling_mode": pooling})
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    kind = "sentence_transformers.models"
    named = [
        {"idx": i, "name": str(i), "path": path, "type": f"{kind}.{name}"} for i, (path, name) in enumerate(modules)
    ]
    _write_json(folder / "modules.json", named)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    save_file(_weights(), folder / "model.safetensors")
    return folder


def write_bert_gguf(path: Path, *, pooling: str = "mean") -> Path:
    """A sound GGUF of 40 kB that llama.cpp runs."""
    folder = write_sentence_bert(path.parent / f"{path.stem}-source", pooling=pooling)
    return export_bert(folder, path, name=path.stem)


def write_adapter(path: Path, factors: Mapping[str, tuple[Weights, Weights]]) -> Path:
    """An adapter of these factors by the names of llama.cpp's tensors: what is added is `up @ down`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    for name, (up, down) in factors.items():
        writer.add_float32("adapter.lora.alpha", len(down))
        writer.add_tensor(f"{name}.lora_a", down)
        writer.add_tensor(f"{name}.lora_b", up)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def bundled_or_skip() -> Path:
    """The folder of the real model."""
    try:
        return bundled_folder()
    except EmbedderError as error:
        pytest.skip(f"{error.message}: {error.hint}")


def export_minilm_or_skip(folder: Path) -> Path:
    """The real model as a GGUF in `folder`; takes a second."""
    bundled_or_skip()
    return export_bundled(folder / "all-MiniLM-L6-v2-Q8_0.gguf")


def _write_config(folder: Path, changes: Mapping[str, object]) -> None:
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "hidden_size": WIDTH,
        "intermediate_size": FEED_FORWARD,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": 64,
        "type_vocab_size": 2,
        "vocab_size": len(VOCABULARY),
        "layer_norm_eps": 1e-12,
    }
    _write_json(folder / "config.json", {**config, **changes})


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def _weights() -> dict[str, Weights]:
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": (64, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **_norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        shapes |= _layer(f"encoder.layer.{layer}")
    random = np.random.default_rng(7)
    return {name: _draw(random, name, shape=shape) for name, shape in shapes.items()}


def _draw(random: np.random.Generator, name: str, *, shape: tuple[int, ...]) -> Weights:
    """Norms near 1 and small biases, as after training: else all texts end up in one place."""
    if len(shape) == 2:
        return random.normal(size=shape, scale=0.5).astype(np.float32)
    middle = 1.0 if name.endswith("LayerNorm.weight") else 0.0
    return random.normal(loc=middle, size=shape, scale=0.1).astype(np.float32)


def _layer(name: str) -> dict[str, tuple[int, ...]]:
    return {
        **_linear(f"{name}.attention.self.query", WIDTH, WIDTH),
        **_linear(f"{name}.attention.self.key", WIDTH, WIDTH),
        **_linear(f"{name}.attention.self.value", WIDTH, WIDTH),
        **_linear(f"{name}.attention.output.dense", WIDTH, WIDTH),
        **_norm(f"{name}.attention.output.LayerNorm"),
        **_linear(f"{name}.intermediate.dense", FEED_FORWARD, WIDTH),
        **_linear(f"{name}.output.dense", WIDTH, FEED_FORWARD),
        **_norm(f"{name}.output.LayerNorm"),
    }


def _linear(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
