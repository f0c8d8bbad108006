"""Small GGUFs with random weights of architectures that keep less of what they read than llama does.

`sliding` (gemma3) attends to the newest tokens only in most layers; `hybrid` (lfm2) mixes attention with short
convolutions, and `recurrent` (mamba) has one state that each token changes: what was read cannot be taken back in part.
"""

from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

from tests.gguf_files import CHATML, WORDS, Vocabulary

WIDTH, HEADS, FEED_FORWARD = 64, 4, 128
HEAD = WIDTH // HEADS
WINDOW = 32
"""Tokens that a sliding layer attends to."""
KEPT = 3
"""Tokens that a short convolution looks at."""

Tensors = dict[str, npt.NDArray[np.float32]]


class Weights:
    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def matrix(self, rows: int, columns: int) -> npt.NDArray[np.float32]:
        return self._random.standard_normal((rows, columns), dtype=np.float32) * np.float32((2 / columns) ** 0.5)

    def feed_forward(self) -> Tensors:
        up = {f"ffn_{name}.weight": self.matrix(FEED_FORWARD, WIDTH) for name in ("gate", "up")}
        return {**up, "ffn_down.weight": self.matrix(WIDTH, FEED_FORWARD), "ffn_norm.weight": ones(WIDTH)}

    def attention(self) -> Tensors:
        matrices = {f"attn_{name}.weight": self.matrix(WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
        norms = {f"attn_{name}_norm.weight": ones(HEAD) for name in ("q", "k")}
        return {**matrices, **norms, "attn_norm.weight": ones(WIDTH)}


def sliding(path: Path, *, context: int = 512, layers: int = 6) -> Path:
    """Every sixth layer attends to everything, the others to `WINDOW` tokens."""
    weights = Weights(0)
    blocks = [
        {
            **weights.attention(),
            **weights.feed_forward(),
            "post_attention_norm.weight": ones(WIDTH),
            "post_ffw_norm.weight": ones(WIDTH),
        }
        for _ in range(layers)
    ]
    writer = _begun(path, "gemma3", context, layers)
    writer.add_sliding_window(WINDOW)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_head_count_kv(HEADS)
    return _written(writer, path, weights, blocks, norm="output_norm")


def hybrid(path: Path, *, context: int = 512) -> Path:
    """A short convolution, attention, a short convolution."""
    weights, attends = Weights(0), (False, True, False)
    blocks = [
        {**(weights.attention() if attention else _convolution(weights)), **weights.feed_forward()}
        for attention in attends
    ]
    writer = _begun(path, "lfm2", context, len(attends))
    writer.add_shortconv_l_cache(KEPT)
    writer.add_head_count_kv([HEADS if attention else 0 for attention in attends])
    return _written(writer, path, weights, blocks, norm="token_embd_norm")


def recurrent(path: Path, *, context: int = 512, layers: int = 2) -> Path:
    weights, inner, state, rank, kernel = Weights(0), 2 * WIDTH, 16, 4, 4
    blocks = [
        {
            "attn_norm.weight": ones(WIDTH),
            "ssm_in.weight": weights.matrix(2 * inner, WIDTH),
            "ssm_conv1d.weight": weights.matrix(inner, kernel),
            "ssm_conv1d.bias": np.zeros(inner, np.float32),
            "ssm_x.weight": weights.matrix(rank + 2 * state, inner),
            "ssm_dt.weight": weights.matrix(inner, rank),
            "ssm_dt.bias": np.zeros(inner, np.float32),
            "ssm_a": -np.tile(np.arange(1, state + 1, dtype=np.float32), (inner, 1)),
            "ssm_d": ones(inner),
            "ssm_out.weight": weights.matrix(WIDTH, inner),
        }
        for _ in range(layers)
    ]
    writer = _begun(path, "mamba", context, layers)
    writer.add_ssm_conv_kernel(kernel)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(state)
    writer.add_ssm_time_step_rank(rank)
    return _written(writer, path, weights, blocks, norm="output_norm")


def ones(size: int) -> npt.NDArray[np.float32]:
    return np.ones(size, dtype=np.float32)


def _convolution(weights: Weights) -> Tensors:
    return {
        "shortconv.conv.weight": weights.matrix(WIDTH, KEPT),
        "shortconv.in_proj.weight": weights.matrix(3 * WIDTH, WIDTH),
        "shortconv.out_proj.weight": weights.matrix(WIDTH, WIDTH),
        "attn_norm.weight": ones(WIDTH),
    }


def _begun(path: Path, architecture: str, context: int, layers: int) -> gguf.GGUFWriter:
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(Vocabulary(WORDS).tokens))
    writer.add_chat_template(CHATML)
    return writer


def _written(writer: gguf.GGUFWriter, path: Path, weights: Weights, blocks: list[Tensors], *, norm: str) -> Path:
    vocabulary = Vocabulary(WORDS)
    vocabulary.add_to(writer, add_bos=False)
    writer.add_tensor("token_embd.weight", weights.matrix(len(vocabulary.tokens), WIDTH))
    writer.add_tensor(f"{norm}.weight", ones(WIDTH))
    writer.add_tensor("output.weight", weights.matrix(len(vocabulary.tokens), WIDTH) * 4)
    for number, block in enumerate(blocks):
        for name, tensor in block.items():
            writer.add_tensor(f"blk.{number}.{name}", tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
