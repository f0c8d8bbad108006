"""llama.cpp's context: the KV cache of several sequences, a batch, an abort flag. Used only by `engine.py`."""

import ctypes
import os
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.errors import ModelError
from pi_memory.model.ram_check import check, context_bytes
from pi_memory.model.tokenizer import Tokens

# llama_decode's answers: all evaluated; no room; the flag was set. Negative ones are failures.
DONE, FULL, ABORTED = 0, 1, 2


class ContextSize(Struct, frozen=True):
    """The size of a context.

    `batch` tokens are evaluated at a time: more is faster, and takes more memory. `threads` generate; 0: half of the
    cores where there are four or more (Raspberry Pi 5: 34 tokens/s with two, 27 with four), else one per core.
    `prefill_threads` evaluate prompts; 0: as many as `threads` if those are given, else one per core.
    """

    context_tokens: int = 4096
    sequences: int = 3
    batch: int = 128
    threads: int = 0
    prefill_threads: int = 0

    def with_threads(self, cores: int) -> "ContextSize":
        """This size with 0 replaced by numbers of threads."""
        prefill = self.prefill_threads or self.threads or cores
        return replace(self, threads=self.threads or (cores // 2 if cores >= 4 else cores), prefill_threads=prefill)


class LlamaContext:
    """A context. Positions count from 0; a sequence's tokens have positions without gaps."""

    def __init__(self, llama: Any, model: Any, size: ContextSize) -> None:
        """Raises `ModelError` when there is too little memory, or when the model keeps no sequences (an encoder)."""
        needed = context_bytes(llama, model, size.context_tokens)
        check(f"A context of {size.context_tokens} tokens", needed, hint="Set a smaller CTX_TOKENS.")
        self._llama = llama
        self.batch = min(size.batch, size.context_tokens)
        self.pointer = llama.llama_init_from_model(model, self._parameters(size))
        self._memory = llama.llama_get_memory(self.pointer) if self.pointer else None
        self._window = int(llama.llama_model_n_swa(model))
        if not self._memory:
            self.close()
            hint = (
                "It may be an embedding model, or need more memory than there is: try a smaller one or less CTX_TOKENS"
            )
            raise ModelError("The model cannot be run as a chat model", hint=hint)
        self._batch = llama.llama_batch_init(self.batch, 0, 1)
        self._flag = ctypes.create_string_buffer(2)
        # A batch that is stopped half-way leaves a recurrent state of no use, and with it all that was read before.
        if not (llama.llama_model_is_recurrent(model) or llama.llama_model_is_hybrid(model)):
            self._watch_flag()

    def decode(self, sequence: int, tokens: Tokens, *, position: int, logits: bool) -> int:
        """Evaluate at most `batch` tokens from `position` on. With `logits` the last one's successor can be sampled."""
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index], batch.pos[index] = token, position + index
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, sequence
            batch.logits[index] = False
        batch.logits[len(tokens) - 1] = logits
        return ABORTED if self.stopped else int(self._llama.llama_decode(self.pointer, batch))

    def cut(self, sequence: int, length: int) -> bool:
        """Keep the first `length` tokens. False when the model cannot remove a part of a sequence."""
        removed = self._llama.llama_memory_seq_rm(self._memory, sequence, length, -1)
        return bool(removed) and self._holds(sequence, length)

    def copy(self, source: int, target: int) -> None:
        """Share the tokens of a sequence with another one, which must be empty."""
        self._llama.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def clear(self, sequence: int) -> None:
        self._llama.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def state(self, sequence: int) -> bytes:
        """The serialized KV state of a sequence, for `restore`; empty when llama.cpp cannot give it."""
        size = self.state_bytes(sequence)
        content = bytes(size)
        written = self._llama.llama_state_seq_get_data(self.pointer, _memory(content), size, sequence)
        return content if written == size else b""

    def state_bytes(self, sequence: int) -> int:
        return int(self._llama.llama_state_seq_get_size(self.pointer, sequence))

    def restore(self, sequence: int, state: bytes, *, length: int) -> bool:
        """Load a state of `length` tokens into an empty sequence. False when there is no room for it."""
        read = self._llama.llama_state_seq_set_data(self.pointer, _memory(state), len(state), sequence)
        return bool(read) and self._holds(sequence, length)

    def _holds(self, sequence: int, length: int) -> bool:
        """Whether the kept cells of a sequence are enough to continue behind `length` tokens.

        Layers with a sliding window lose, when cells run out, the tokens that the newest one no longer attends to.
        llama.cpp still removes the newest tokens of such a sequence, and continues behind the gap.
        """
        first = self._llama.llama_memory_seq_pos_min(self._memory, sequence)
        last = self._llama.llama_memory_seq_pos_max(self._memory, sequence)
        whole = first <= max(0, length - self._window) if self._window else True
        return bool(last == length - 1 and whole)

    @property
    def stopped(self) -> bool:
        return self._flag[0] != b"\x00"

    @stopped.setter
    def stopped(self, value: bool) -> None:
        """From any thread: stop an evaluation under way within one operation, and all later ones.

        A recurrent or hybrid model finishes the evaluation under way.
        """
        self._flag[0] = b"\x01" if value else b"\x00"

    def close(self) -> None:
        """Idempotent."""
        if not self.pointer:
            return
        if self._memory:
            self._llama.llama_batch_free(self._batch)
        self._llama.llama_free(self.pointer)
        self.pointer = None

    def _parameters(self, size: ContextSize) -> Any:
        parameters = self._llama.llama_context_default_params()
        parameters.n_ctx = size.context_tokens
        parameters.n_batch = parameters.n_ubatch = self.batch
        parameters.n_seq_max = size.sequences
        # One row of the vocabulary (600 kB for 152,000 tokens) is wanted at a time, not one a token of the batch.
        parameters.n_outputs_max = size.sequences
        parameters.kv_unified = True
        parameters.no_perf = True
        # Flash attention sums in half precision here: in 51 of 800 conversations the reply then depended on how the
        # prompt had been evaluated, in pieces or at once; without it in 3 (near ties), and decoding took 2/3 of the
        # time, prefill of 2,000 tokens 5/4 (x86, two threads).
        parameters.flash_attn_type = self._llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        size = size.with_threads(len(os.sched_getaffinity(0)))
        parameters.n_threads, parameters.n_threads_batch = size.threads, size.prefill_threads
        return parameters

    def _watch_flag(self) -> None:
        """Install libc's strlen as abort callback, on two bytes: its result is not 0 while the first one is set.

        ggml calls it between any two operations; a Python callback would take the GIL hundreds of times a token.
        """
        strlen = ctypes.cast(ctypes.CDLL(None).strlen, self._llama.ggml_abort_callback)
        self._llama.llama_set_abort_callback(self.pointer, strlen, ctypes.cast(self._flag, ctypes.c_void_p))


def _memory(content: bytes) -> Any:
    """The buffer's memory, without a copy: a copy may be half of the memory that there is."""
    return ctypes.cast(ctypes.c_char_p(content), ctypes.POINTER(ctypes.c_uint8))
