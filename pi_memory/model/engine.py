"""One model and one context that holds several sequences of token ids. It knows no text, no roles, no conversations.

What a sequence holds is not evaluated again: `prefill` evaluates only what is new. Which sequence holds what, and which
one is evicted, is in `kv_cache.py`.
"""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
from msgspec.structs import replace

from pi_memory.errors import ModelError
from pi_memory.model.grammar import Grammar, Logits
from pi_memory.model.kv_cache import KvCache
from pi_memory.model.library import build, library, open_model
from pi_memory.model.llama_context import ABORTED, DONE, FULL, ContextSize, LlamaContext
from pi_memory.model.offload import common
from pi_memory.model.sampling import Sampling, sampler
from pi_memory.model.tokenizer import Tokens, Vocabulary

PARKED_BYTES = 64_000_000


class Cancelled(Exception):
    """`cancel` was called, or the sequence was used otherwise between two steps. The state of the sequence is known and
    sound.
    """


class Engine(KvCache):
    """Runs the model. One thread at a time; only `cancel` may be called from any thread.

    `evaluated` and `sampled` count tokens since the start.
    """

    def __init__(self, path: Path, size: ContextSize, *, mmap: bool = False, parked_bytes: int = PARKED_BYTES) -> None:
        """Load the model; blocks for seconds. At most `parked_bytes` of state are offloaded. Raises `ModelError`."""
        self._llama = library()
        self._model = open_model(path, mmap=mmap)
        self.context_tokens = min(size.context_tokens, int(self._llama.llama_model_n_ctx_train(self._model)))
        try:
            context = LlamaContext(
                self._llama,
                self._model,
                replace(size, context_tokens=self.context_tokens, sequences=size.sequences + 1),
            )
        except ModelError:
            self._llama.llama_model_free(self._model)
            raise
        super().__init__(context, count=size.sequences, parked_bytes=parked_bytes)
        self.vocabulary = Vocabulary(self._llama, self._model)
        # What a saved state depends on besides the model: the library, and how the context was made.
        self.build = f"{build(self._llama)} {self.context_tokens} {size.sequences} {size.batch}"
        self.evaluated = self.sampled = 0

    def prefill(self, sequence: int, tokens: Tokens) -> int:
        """Make `sequence` hold exactly `tokens`, at least one. Returns how many of them were evaluated.

        Raises `Cancelled`, after which the sequence holds a part of `tokens`; `ModelError`.
        """
        before = self.evaluated
        for _ in self.steps(sequence, tokens):
            pass
        return self.evaluated - before

    def steps(self, sequence: int, tokens: Tokens, *, batch: int | None = None) -> Generator[None, None, None]:
        """`prefill` as a generator that yields between batches, when other sequences may be used. Raises the same
        errors.

        A small `batch` loses less when it is cancelled.
        """
        batch = min(batch or self._context.batch, self._context.batch)
        same = common(self._held[sequence], tokens)
        self._cut(sequence, min(same, len(tokens) - 1))
        self._touch(sequence)
        mark = self._used[sequence]
        while missing := tokens[len(self._held[sequence]) :]:
            part = missing[:batch]
            self._add(sequence, part, logits=len(part) == len(missing))
            if len(part) == len(missing):
                return
            yield
            if self._used[sequence] != mark:
                raise Cancelled

    def generate(self, sequence: int, sampling: Sampling, *, cap: int) -> Generator[int, None, None]:
        """Yield at most `cap` tokens that follow the sequence. The token that ends a reply is not yielded.

        The last token is not yet in the sequence. Other sequences may be used between two tokens. Raises `Cancelled`,
        also when the sequence was evicted in between; `ModelError`.
        """
        chain = sampler(self._llama, sampling)
        try:
            token = self._sample(sequence, chain) if cap > 0 else None
            while token is not None and not self.vocabulary.ends(token):
                length = len(self._held[sequence])
                yield token
                cap -= 1
                if len(self._held[sequence]) != length:
                    raise Cancelled
                token = self._step(sequence, token, chain) if cap > 0 else None
        finally:
            self._llama.llama_sampler_free(chain)

    def likeliest(self, sequence: int, tokens: Sequence[int]) -> int:
        """Which of `tokens` most likely follows the sequence. Raises `Cancelled`, `ModelError`."""
        return max(tokens, key=self._thought(sequence).__getitem__)

    def grammar(self, text: str) -> Grammar:
        """A grammar for `draw`, which the caller closes. Raises `ValueError`."""
        return Grammar(self._llama, self._model, words=self.vocabulary, text=text)

    def draw(self, sequence: int, grammar: Grammar) -> int | None:
        """The likeliest next token that the grammar allows; None at the end.

        Raises `Cancelled`, `ModelError`.
        """
        thought = self._thought(sequence)
        self.sampled += 1
        return grammar.draw(thought.copy())

    def cancel(self) -> None:
        """Make the evaluation under way and all later ones raise `Cancelled`, until `resume`. From any thread."""
        self._context.stopped = True

    def resume(self) -> None:
        self._context.stopped = False

    def close(self) -> None:
        """Free the memory. Idempotent."""
        if self._model is None:
            return
        self._context.close()
        self._llama.llama_model_free(self._model)
        self._model = None

    def _add(self, sequence: int, tokens: Tokens, *, logits: bool) -> None:
        """Evaluate at most a batch. With `logits` the successor of its last token can be sampled."""
        self._decode(sequence, tokens, logits=logits)
        self._held[sequence] += tokens
        self.evaluated += len(tokens)
        self._logits_of = sequence if logits else None

    def _decode(self, sequence: int, tokens: Tokens, *, logits: bool) -> None:
        self._logits_of = None
        position = len(self._held[sequence])
        while (answer := self._context.decode(sequence, tokens, position=position, logits=logits)) != DONE:
            if answer != FULL or not self._make_room(sequence):
                self._fail(sequence, answer)

    def _fail(self, sequence: int, answer: int) -> NoReturn:
        """Restore the sequence to its state before the batch, or empty it."""
        if answer == ABORTED:
            self._cut(sequence, len(self._held[sequence]))
            raise Cancelled
        self.drop(sequence)
        raise ModelError(
            "The context is full" if answer == FULL else f"llama.cpp could not evaluate the prompt ({answer})",
            hint="Try again; if it stays, restart the daemon or use another model.",
        )

    def _step(self, sequence: int, token: int, chain: object) -> int:
        self._touch(sequence)
        self._add(sequence, [token], logits=True)
        return self._sample(sequence, chain)

    def _sample(self, sequence: int, chain: object) -> int:
        thought = self._thought(sequence)
        self.sampled += 1
        if chain is None:
            return int(thought.argmax())
        return int(self._llama.llama_sampler_sample(chain, self._context.pointer, -1))

    def _thought(self, sequence: int) -> Logits:
        """The logits of the next token, in llama.cpp's own memory: valid until the next evaluation."""
        self._need_logits(sequence)
        row = self._llama.llama_get_logits_ith(self._context.pointer, -1)
        return np.ctypeslib.as_array(row, (self.vocabulary.size,))

    def _need_logits(self, sequence: int) -> None:
        """Make the logits of the next token of the sequence available."""
        if self._logits_of != sequence:
            # Another sequence was evaluated since: the last token again, to see what follows it.
            self.prefill(sequence, self.held(sequence))
