"""Checks that there is memory for a model: the kernel promises more than it has, and kills whoever takes it."""

import math
from pathlib import Path
from typing import Any

from pi_memory.errors import ModelError

MEMINFO = Path("/proc/meminfo")
HALF_BYTES = 2
"""Bytes of a number in half precision, such as a key or a value."""


def free(meminfo: Path = MEMINFO) -> float:
    """Bytes of available memory, swap included; infinite when the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
        return sum(int(lines[name].split()[0]) * 1024 for name in ("MemAvailable", "SwapFree"))
    except (OSError, ValueError, LookupError):
        return math.inf


def check(what: str, needed: float, *, hint: str, meminfo: Path = MEMINFO) -> None:
    """Raises `ModelError` when `needed` bytes are not available."""
    if needed > (there := free(meminfo)):
        raise ModelError(f"{what} needs {needed / 1e6:.0f} MB of memory, and {there / 1e6:.0f} MB are free", hint=hint)


def context_bytes(llama: Any, model: Any, tokens: int) -> int:
    """Least bytes of the keys and values of a context; 0 for layers that keep only some of them."""
    heads = int(llama.llama_model_n_head(model))
    if not heads or llama.llama_model_n_swa(model) or llama.llama_model_is_hybrid(model):
        return 0
    width = int(llama.llama_model_n_embd(model)) // heads * int(llama.llama_model_n_head_kv(model))
    return 2 * HALF_BYTES * width * int(llama.llama_model_n_layer(model)) * tokens
