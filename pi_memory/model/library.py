"""llama.cpp itself: imported late, its log passed to ours, model files opened. Only this file imports it here."""

import functools
import logging
import os
from pathlib import Path
from typing import Any

from pi_memory.errors import ModelError
from pi_memory.model.ram_check import check

logger = logging.getLogger(__name__)

# ggml_log_level, as in ggml.h (the numbers in llama_cpp/_logger.py are older). What llama.cpp warns of (a context
# smaller than trained on, an unused tensor) is no user's business.
ERROR, CONTINUED = 4, 5
# What an evaluation says that was cancelled or finds no room, and a state that finds none. One that failed is raised as
# an error by the engine.
EXPECTED = (
    *("graph_compute: ", "process_ubatch: ", "llama_decode: ", "init_batch: "),
    *("state_read_meta: ", "state_seq_set_data: "),
)


@functools.cache
def library() -> Any:
    """Import llama.cpp: 0.2 s and 30 MB, which a daemon without a chat model never pays."""
    import llama_cpp

    llama_cpp.llama_log_set(_callback(llama_cpp), None)
    llama_cpp.llama_backend_init()
    return llama_cpp


def build(llama: Any) -> str:
    """The library's version and the processor that it was built for."""
    path = Path(llama.llama_cpp._lib._name)
    return f"{llama.__version__} {path.stat().st_size} {llama.llama_print_system_info().decode()}"


@functools.cache
def _callback(llama: Any) -> Any:
    """The log callback. Cached, as C calls it until the process ends."""
    return llama.llama_log_callback(_Log())


def open_model(path: Path, *, validate: bool = False, mmap: bool = False) -> Any:
    """A pointer to the model in `path`, which the caller frees. `validate` checks every tensor.

    A malformed file can abort the process: `probe.py` tries new files in a child process. Raises `ModelError`.
    """
    llama = library()
    parameters = llama.llama_model_default_params()
    parameters.n_gpu_layers = 0
    parameters.check_tensors = validate
    # Weights are repacked for the CPU while they are read; a mapping of the file would be a second copy of them
    # (352 MB of weights: 668 MB mapped, 452 MB read).
    parameters.load_mode = llama.LLAMA_LOAD_MODE_MMAP if mmap else llama.LLAMA_LOAD_MODE_NONE
    # ggml's AMX kernels crash when built by a GCC older than 13, and hide behind the same switch as the repacking.
    parameters.use_extra_bufts = b"AMX_INT8 = 1" not in llama.llama_print_system_info()
    if path.is_file() and not mmap:
        check(str(path), path.stat().st_size, hint="Use a smaller model, or end other programs.")
    model = llama.llama_model_load_from_file(os.fsencode(path), parameters) if path.is_file() else None
    if not model:
        raise ModelError(
            f"{path} cannot be loaded as a GGUF model" if path.exists() else f"There is no model file {path}",
            hint="`pi-memory pull` fetches a model; PI_MEMORY_MODEL names one. A damaged file must be fetched again.",
        )
    return model


class _Log:
    """Joins llama.cpp's fragments to lines: its errors become our warnings, everything else debug lines."""

    def __init__(self) -> None:
        self._line = b""
        self._level = logging.DEBUG

    def __call__(self, level: int, text: bytes, _: object) -> None:
        if level != CONTINUED:
            self._level = logging.WARNING if level == ERROR else logging.DEBUG
        self._line += text
        if self._line.endswith(b"\n"):
            line = self._line.decode(errors="replace").rstrip()
            logger.log(logging.DEBUG if line.startswith(EXPECTED) else self._level, "%s", line)
            self._line = b""
