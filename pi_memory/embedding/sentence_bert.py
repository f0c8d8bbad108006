"""Reads the metadata of a sentence-transformers BERT folder: shape, vocabulary, pooling.

Everything but the weights. The layout is that of `SentenceTransformer.save_pretrained`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from pi_memory.errors import EmbedderError

Pooling = Literal["mean", "cls"]

WHOLE_FOLDER = (
    "Give the whole folder of a sentence-transformers model, "
    "as `SentenceTransformer(name).save_pretrained(folder)` writes it."
)
OTHER_MODEL = (
    "Choose a BERT model with WordPiece, such as sentence-transformers/all-MiniLM-L6-v2, "
    "or run this one live: PI_MEMORY_EMBEDDER=sentence-transformers."
)


class SentenceBert(Struct, frozen=True):
    """A sentence-transformers model of the BERT family, without its weights."""

    weights: Path
    vocabulary: tuple[str, ...]
    """WordPiece tokens in the order of their ids, as Hugging Face writes them (`##ing`)."""
    special: Mapping[str, int]
    """Ids of `unk`, `sep`, `pad`, `cls` and `mask`."""
    lowercase: bool
    strip_accents: bool
    pooling: Pooling
    context_tokens: int
    """Most tokens of a text, [CLS] and [SEP] included; sentence-transformers cuts at the same place."""
    layers: int
    heads: int
    width: int
    feed_forward: int
    token_types: int
    layer_norm_eps: float


def read_sentence_bert(folder: Path) -> SentenceBert:
    """Raises `EmbedderError` when a file is missing or the model is none that llama.cpp's `bert` can run."""
    config = _json(folder, "config.json")
    _check_is_bert(config)
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise EmbedderError(f"{folder} has no model.safetensors", hint=WHOLE_FOLDER)
    _check_has_no_prompt(folder)
    tokenizer = _optional_json(folder, "tokenizer_config.json")
    lowercase, strip_accents = _normalisation(folder, tokenizer)
    vocabulary = _vocabulary(folder)
    return SentenceBert(
        weights=weights,
        vocabulary=vocabulary,
        special=_special_ids(vocabulary, tokenizer),
        lowercase=lowercase,
        strip_accents=strip_accents,
        pooling=_pooling(folder),
        context_tokens=_context_tokens(folder, config, tokenizer=tokenizer),
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        width=config["hidden_size"],
        feed_forward=config["intermediate_size"],
        token_types=config.get("type_vocab_size", 2),
        layer_norm_eps=config.get("layer_norm_eps", 1e-12),
    )


def _json(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise EmbedderError(f"{folder} has no {name}", hint=WHOLE_FOLDER) from error
    except (OSError, ValueError) as error:
        raise EmbedderError(f"{path} cannot be read: {error}", hint=WHOLE_FOLDER) from error
    # modules.json is a list; its readers ask for it by the key they would use for any other file.
    return content if isinstance(content, dict) else {"items": content}


def _optional_json(folder: Path, name: str) -> dict[str, Any]:
    return _json(folder, name) if (folder / name).is_file() else {}


def _check_is_bert(config: Mapping[str, Any]) -> None:
    if config.get("model_type") != "bert":
        kind = config.get("model_type", "unknown")
        raise EmbedderError(f"The model is of the type {kind}, and only bert can be exported", hint=OTHER_MODEL)
    expected = {"hidden_act": "gelu", "position_embedding_type": "absolute"}
    for key, value in expected.items():
        if config.get(key, value) != value:
            raise EmbedderError(
                f"The model's {key} is {config[key]}, and only {value} can be exported", hint=OTHER_MODEL
            )
    missing = {"num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size"} - config.keys()
    if missing:
        raise EmbedderError(f"config.json lacks {', '.join(sorted(missing))}", hint=WHOLE_FOLDER)


def _check_has_no_prompt(folder: Path) -> None:
    prompt = _optional_json(folder, "config_sentence_transformers.json").get("default_prompt_name")
    if prompt:
        raise EmbedderError(
            f"The model puts its prompt {prompt} before each text, which a GGUF cannot", hint=OTHER_MODEL
        )


def _vocabulary(folder: Path) -> tuple[str, ...]:
    """From vocab.txt, else from tokenizer.json."""
    lines = folder / "vocab.txt"
    if lines.is_file():
        # Not splitlines: it also cuts at the Unicode separators, which are tokens of some vocabularies.
        return tuple(lines.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
    model = _json(folder, "tokenizer.json").get("model", {})
    if model.get("type") != "WordPiece" or model.get("continuing_subword_prefix", "##") != "##":
        raise EmbedderError(
            f"The tokenizer is {model.get('type')}, and only WordPiece can be exported", hint=OTHER_MODEL
        )
    ids: dict[str, int] = model["vocab"]
    return tuple(sorted(ids, key=ids.__getitem__))


def _special_ids(vocabulary: tuple[str, ...], tokenizer: Mapping[str, Any]) -> dict[str, int]:
    ids = {token: index for index, token in enumerate(vocabulary)}
    found = {}
    for role in ("unk", "sep", "pad", "cls", "mask"):
        named = tokenizer.get(f"{role}_token") or f"[{role.upper()}]"
        token = named["content"] if isinstance(named, dict) else named
        if token not in ids:
            raise EmbedderError(f"The vocabulary has no {token}", hint=WHOLE_FOLDER)
        found[role] = ids[token]
    return found


def _normalisation(folder: Path, tokenizer: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether to lower-case and to strip accents, decided as transformers does: tokenizer_config.json before
    tokenizer.json.
    """
    normalizer = _optional_json(folder, "tokenizer.json").get("normalizer") or {}
    if not tokenizer.get("tokenize_chinese_chars", normalizer.get("handle_chinese_chars", True)):
        raise EmbedderError(
            "The tokenizer keeps Chinese characters together, which llama.cpp does not", hint=OTHER_MODEL
        )
    lowercase = bool(tokenizer.get("do_lower_case", normalizer.get("lowercase", True)))
    lowercase = lowercase or bool(_optional_json(folder, "sentence_bert_config.json").get("do_lower_case", False))
    strip = tokenizer.get("strip_accents", normalizer.get("strip_accents"))
    return lowercase, lowercase if strip is None else bool(strip)


def _context_tokens(folder: Path, config: Mapping[str, Any], *, tokenizer: Mapping[str, Any]) -> int:
    limits = (
        _optional_json(folder, "sentence_bert_config.json").get("max_seq_length"),
        tokenizer.get("model_max_length"),
        config.get("max_position_embeddings", 512),
    )
    return int(min(limit for limit in limits if limit))


def _pooling(folder: Path) -> Pooling:
    """The pooling of the model's second module. The last module may normalise: vectors are normalised in any case."""
    modules = _json(folder, "modules.json")["items"]
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise EmbedderError(
            f"The model's modules are {', '.join(kinds)}; only a Transformer with a Pooling can be exported",
            hint=OTHER_MODEL,
        )
    config = _json(folder / modules[1]["path"], "config.json")
    modes = _pooling_modes(config)
    if modes == ["mean"]:
        return "mean"
    if modes == ["cls"]:
        return "cls"
    raise EmbedderError(
        f"The model pools by {' and '.join(modes)}; only mean and cls can be exported", hint=OTHER_MODEL
    )


def _pooling_modes(config: Mapping[str, Any]) -> list[str]:
    """The pooling modes: `pooling_mode` since sentence-transformers 6, one flag a mode before."""
    mode = config.get("pooling_mode")
    if mode is not None:
        return [mode] if isinstance(mode, str) else list(mode)
    flags = [key for key, on in config.items() if key.startswith("pooling_mode_") and on]
    return [flag.removeprefix("pooling_mode_").removesuffix("_token").removesuffix("_tokens") for flag in flags]
