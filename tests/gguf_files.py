"""Small GGUF chat models with random weights, written for tests: real files that llama.cpp loads in milliseconds.

`gguf_bert.py` beside this file writes embedding models.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
"""Control tokens of every model written here. `<|im_end|>` ends a reply (EOS), `<|endoftext|>` begins a text (BOS)."""

WORDS = ("the", " the", "he", "llo", " a", "in", "er", " w", "or", "ld", "us", "user", "assistant", "system")
"""Pieces of more than a byte, so that texts are not all bytes."""

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclass(frozen=True)
class Shape:
    """Sizes of a model: enough for a test by default, larger where a test must catch it at work."""

    width: int = 64
    layers: int = 2
    heads: int = 4
    feed_forward: int = 128


def write_llama(
    path: Path,
    *,
    words: Sequence[str] = WORDS,
    chat_template: str | None = CHATML,
    context: int = 512,
    seed: int = 0,
    shape: Shape | None = None,
    follows: Mapping[str, str] | None = None,
    add_bos: bool = False,
) -> Path:
    r"""Write a llama-architecture model with a byte-level BPE tokenizer: 256 bytes, `words`, `CONTROL`. Returns `path`.

    The weights are random (of `seed`), so it babbles, but always the same. With `follows` it is a chain instead: after
    the token `a` comes the token `follows[a]`, whatever was said before; a token without a successor is followed by
    the end. Its tokens are single bytes, `words` and control tokens, written as text; a byte above 127 is written as
    Python's `surrogateescape` does, such as "\udcc3".
    """
    vocabulary = Vocabulary(words)
    writer = gguf.GGUFWriter(path, "llama")
    shape = _chain_shape(vocabulary) if follows is not None else shape or Shape()
    _add_shape(writer, shape, context=context)
    vocabulary.add_to(writer, add_bos=add_bos)
    if chat_template is not None:
        writer.add_chat_template(chat_template)
    random = np.random.default_rng(seed)
    tensors = _random(shape, len(vocabulary.tokens), random)
    if follows is not None:
        tensors |= _chain(shape, vocabulary, follows)
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


class Vocabulary:
    """Byte-level BPE as in GPT-2, with one merge path to each word."""

    def __init__(self, words: Sequence[str]) -> None:
        self._letters = _byte_letters()
        self.merges: list[str] = []
        pieces = list(self._letters.values())
        for word in words:
            self._merge(word, pieces)
        self.tokens = [*pieces, *CONTROL]

    def add_to(self, writer: gguf.GGUFWriter, *, add_bos: bool) -> None:
        types = [gguf.TokenType.NORMAL] * (len(self.tokens) - len(CONTROL)) + [gguf.TokenType.CONTROL] * len(CONTROL)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(self.tokens)
        writer.add_token_types(types)
        writer.add_token_merges(self.merges)
        writer.add_bos_token_id(self.id("<|endoftext|>"))
        writer.add_eos_token_id(self.id("<|im_end|>"))
        writer.add_add_bos_token(add_bos)

    def id(self, text: str) -> int:
        """The token that is exactly this text."""
        return self.tokens.index(text if text in CONTROL else self._spelled(text))

    def _spelled(self, text: str) -> str:
        return "".join(self._letters[byte] for byte in text.encode(errors="surrogateescape"))

    def _merge(self, word: str, pieces: list[str]) -> None:
        spelled = self._spelled(word)
        for end in range(2, len(spelled) + 1):
            merge = f"{spelled[: end - 1]} {spelled[end - 1]}"
            if merge not in self.merges:
                self.merges.append(merge)
            if spelled[:end] not in pieces:
                pieces.append(spelled[:end])


def _byte_letters() -> dict[int, str]:
    """GPT-2's printable letter for each byte."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    letters = {byte: chr(byte) for byte in kept} | {byte: chr(256 + index) for index, byte in enumerate(others)}
    return dict(sorted(letters.items()))


def _add_shape(writer: gguf.GGUFWriter, shape: Shape, *, context: int) -> None:
    writer.add_name("tiny")
    writer.add_context_length(context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def _random(shape: Shape, vocabulary: int, random: np.random.Generator) -> dict[str, npt.NDArray[np.float32]]:
    def matrix(rows: int, columns: int) -> npt.NDArray[np.float32]:
        return random.standard_normal((rows, columns), dtype=np.float32) * np.float32((2 / columns) ** 0.5)

    ones = np.ones(shape.width, dtype=np.float32)
    tensors = {
        "token_embd.weight": matrix(vocabulary, shape.width) * 4,
        "output_norm.weight": ones,
        "output.weight": matrix(vocabulary, shape.width) * 4,
    }
    for layer in range(shape.layers):
        block = {name: matrix(shape.width, shape.width) for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
        block |= {name: matrix(shape.feed_forward, shape.width) for name in ("ffn_gate", "ffn_up")}
        block |= {"ffn_down": matrix(shape.width, shape.feed_forward), "attn_norm": ones, "ffn_norm": ones}
        tensors |= {f"blk.{layer}.{name}.weight": tensor for name, tensor in block.items()}
    return tensors


def _chain_shape(vocabulary: Vocabulary) -> Shape:
    width = -(-len(vocabulary.tokens) // 32) * 32
    return Shape(width=width, layers=1, heads=width // 32, feed_forward=32)


def _chain(shape: Shape, vocabulary: Vocabulary, follows: Mapping[str, str]) -> dict[str, npt.NDArray[np.float32]]:
    """One direction a token, nothing from attention or feed-forward: the output sees only the last token."""
    size = len(vocabulary.tokens)
    successor = np.full(size, vocabulary.id("<|im_end|>"))
    for token, following in follows.items():
        successor[vocabulary.id(token)] = vocabulary.id(following)
    output = np.zeros((size, shape.width), dtype=np.float32)
    output[successor, np.arange(size)] = 10
    nothing = {"attn_output": (shape.width, shape.width), "ffn_down": (shape.width, shape.feed_forward)}
    return {
        "token_embd.weight": np.eye(size, shape.width, dtype=np.float32),
        "output.weight": output,
        **{f"blk.0.{name}.weight": np.zeros(sizes, dtype=np.float32) for name, sizes in nothing.items()},
    }
