"""Write a GGUF of a real model's shape with random weights: scripts/bench synthetic_gguf [SHAPE] [PATH]."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

from benchmarks import _measure as measure
from benchmarks._words import Vocabulary

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

Q4_0, Q8_0 = gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q8_0
BLOCK = 32
"""Weights that share one scale of two bytes, in both types."""
STORED = {Q4_0: 18, Q8_0: 34}
"""Bytes of a block."""
SPREAD = {Q4_0: 4.6, Q8_0: 73.9}
"""Standard deviation of random quants, before they are scaled."""

REVISION = 3
"""Counted up when files written before must not be used again."""


@dataclass(frozen=True)
class Shape:
    """Sizes as the original's `config.json` gives them; `width` / `heads` is the length of a head."""

    architecture: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    feed_forward: int
    vocabulary: int
    context: int
    rope_base: float


SHAPES = {
    # Its whole vocabulary: 152,000 rows of logits are part of what a token costs.
    "qwen2.5-0.5b": Shape("qwen2", 24, 896, 14, 2, 4864, 151_936, 32_768, 1e6),
    "smollm2-135m": Shape("llama", 30, 576, 9, 3, 1536, 49_152, 8_192, 1e5),
    "tiny": Shape("llama", 2, 64, 4, 2, 128, 8_192, 8_192, 1e4),
}


def cache() -> Path:
    """Where large files of the benchmarks are kept, outside the repository: they may be deleted at any time."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pi-memory-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def cached(name: str) -> Path:
    """The file of a shape, written when it is not there. Outside the repository, the same for every run."""
    path = cache() / f"{name}-q4_0-r{REVISION}.gguf"
    if not path.exists():
        half = path.with_name(f"{path.name}.{os.getpid()}")
        write(half, SHAPES[name])
        half.replace(path)
    return path


def write(path: Path, shape: Shape, *, seed: int = 0) -> None:
    """Matrices as Q4_0, the tied embedding as Q8_0, norms and biases as F32, as llama.cpp quantises a file to Q4_0.

    What it generates are words of `_words.py`, at random but always the same, and it never ends a reply by itself.
    """
    words = Vocabulary(shape.vocabulary)
    writer = gguf.GGUFWriter(path, shape.architecture)
    _add_shape(writer, shape)
    words.add_to(writer)
    writer.add_chat_template(CHATML)
    random = np.random.default_rng(seed)
    embedding = _blocks(Q8_0, shape.vocabulary, shape.width, random)
    # Rows of tokens that are never to be generated are small: a norm takes that away when they are read, not when
    # they are compared with what comes out.
    scales = embedding.reshape(shape.vocabulary, -1, STORED[Q8_0])[:, :, :2]
    scales[~words.generable] = np.frombuffer(np.float16(0.02 / SPREAD[Q8_0]).tobytes(), dtype=np.uint8)
    writer.add_tensor("token_embd.weight", embedding, raw_dtype=Q8_0)
    writer.add_tensor("output_norm.weight", np.ones(shape.width, dtype=np.float32))
    for name, tensor, kind in _layers(shape, random):
        writer.add_tensor(name, tensor, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_shape(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_name("random weights")
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)


def _layers(
    shape: Shape, random: np.random.Generator
) -> Iterator[tuple[str, npt.NDArray[np.generic], gguf.GGMLQuantizationType | None]]:
    kv = shape.width // shape.heads * shape.kv_heads
    matrices = {
        "attn_q": (shape.width, shape.width),
        "attn_k": (kv, shape.width),
        "attn_v": (kv, shape.width),
        "attn_output": (shape.width, shape.width),
        "ffn_gate": (shape.feed_forward, shape.width),
        "ffn_up": (shape.feed_forward, shape.width),
        "ffn_down": (shape.width, shape.feed_forward),
    }
    for layer in range(shape.layers):
        for name, (rows, columns) in matrices.items():
            yield f"blk.{layer}.{name}.weight", _blocks(Q4_0, rows, columns, random), Q4_0
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{name}.weight", np.ones(shape.width, dtype=np.float32), None
        if shape.architecture == "qwen2":
            for name in ("attn_q", "attn_k", "attn_v"):
                yield f"blk.{layer}.{name}.bias", np.zeros(matrices[name][0], dtype=np.float32), None


def _blocks(
    kind: gguf.GGMLQuantizationType, rows: int, columns: int, random: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Random quantised weights of standard deviation 1 / sqrt(columns), as bytes of shape (rows, bytes of a row)."""
    stored = STORED[kind]
    made = np.frombuffer(random.bytes(rows * columns // BLOCK * stored), dtype=np.uint8).copy()
    scale = np.float16(columns**-0.5 / SPREAD[kind])
    made.reshape(-1, stored)[:, :2] = np.frombuffer(scale.tobytes(), dtype=np.uint8)
    return made.reshape(rows, -1)


def main() -> None:
    options = measure.parser(__doc__)
    options.add_argument("shape", nargs="?", choices=SHAPES, default="qwen2.5-0.5b")
    options.add_argument("path", nargs="?", type=Path, help="where to; a cache outside the repository by default")
    given = options.parse_args()
    path = given.path or cached(given.shape)
    if given.path:
        write(path, SHAPES[given.shape])
    shape = SHAPES[given.shape]
    kv = shape.width // shape.heads * shape.kv_heads
    figures = {
        "path": str(path),
        "file_bytes": path.stat().st_size,
        "vocabulary": shape.vocabulary,
        "kv_bytes_per_token": 2 * 2 * kv * shape.layers,
    }
    measure.show(figures, as_json=given.json)


if __name__ == "__main__":
    main()
