"""Whether there is memory for a model: the kernel promises more than it has, and then ends whoever takes it."""

import math
from pathlib import Path
from typing import Any

from pi_memory.errors import ModelError

MEMINFO = Path("/proc/meminfo")
HALF_BYTES = 2
"""Of a key or a value."""


def free(meminfo: Path = MEMINFO) -> float:
    """Bytes that can be had without harm to others, swap included; infinite when nobody tells."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines() if ":" in line)
        return sum(int(lines[name].split()[0]) * 1024 for name in ("MemAvailable", "SwapFree"))
    except (OSError, ValueError, LookupError):
        return math.inf


def check(what: str, needed: float, *, hint: str, meminfo: Path = MEMINFO) -> None:
    """Raises `ModelError` when `needed` bytes are more than there are."""
    if needed > (there := free(meminfo)):
        raise ModelError(f"{what} needs {needed / 1e6:.0f} MB of memory, and {there / 1e6:.0f} MB are free", hint=hint)


def context_bytes(llama: Any, model: Any, tokens: int) -> int:
    """What keys and values of a context take at the least; 0 for layers that keep less than all of them."""
    heads = int(llama.llama_model_n_head(model))
    if not heads or llama.llama_model_n_swa(model) or llama.llama_model_is_hybrid(model):
        return 0
    width = int(llama.llama_model_n_embd(model)) // heads * int(llama.llama_model_n_head_kv(model))
    return 2 * HALF_BYTES * width * int(llama.llama_model_n_layer(model)) * tokens
