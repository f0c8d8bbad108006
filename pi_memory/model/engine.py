"""One model and one context that holds several sequences of token ids. It knows no text, no roles, no conversations.

What a sequence holds was evaluated once and is not evaluated again: `prefill` evaluates what is new, `fork` copies
without evaluating. Attention goes over all cells in use, so a chat has the context for itself: what others hold is put
away, and fetched when it is needed. When the context is full, the least recently used sequence gives way.
"""

import logging
from collections.abc import Container, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from pi_memory.errors import ModelError
from pi_memory.model.context import ABORTED, DONE, FULL, Context, Size
from pi_memory.model.grammar import Grammar
from pi_memory.model.llama import build, library, open_model
from pi_memory.model.parked import Parked, common
from pi_memory.model.parked import Sequence as Away
from pi_memory.model.sampling import Sampling, sampler
from pi_memory.model.vocabulary import Tokens, Vocabulary

logger = logging.getLogger(__name__)

FEW = 16
"""A sequence that differs in no more tokens than this is cut and continued; with more, it is kept and forked."""

STRANGE = 256
"""Tokens of others that a chat may find in the context. llama.cpp counts its cells by as many."""

PARKED_BYTES = 64_000_000


class Cancelled(Exception):
    """`cancel` was called, or the sequence was used otherwise between two steps. What it holds is known and sound."""


class Engine:
    """Not for two threads at once; only `cancel` may be called from any thread.

    Sequences are numbered from 0. One more, `scratch`, is for forks that are soon dropped: `sequence_for` never takes
    it, and the sequence that it continues gives way last, and only what the fork does not share.

    `evaluated` and `sampled` count tokens since the start.
    """

    def __init__(self, path: Path, size: Size, *, mmap: bool = False, parked_bytes: int = PARKED_BYTES) -> None:
        """Load the model; blocks for seconds. At most `parked_bytes` are put away. Raises `ModelError`."""
        self._llama = library()
        self._model = open_model(path, mmap=mmap)
        self.context_tokens = min(size.context_tokens, int(self._llama.llama_model_n_ctx_train(self._model)))
        try:
            self._context = Context(
                self._llama,
                self._model,
                replace(size, context_tokens=self.context_tokens, sequences=size.sequences + 1),
            )
        except ModelError:
            self._llama.llama_model_free(self._model)
            raise
        self.vocabulary = Vocabulary(self._llama, self._model)
        # What a saved state depends on besides the model: the library, and how the context was made.
        self.build = f"{build(self._llama)} {self.context_tokens} {size.sequences} {size.batch}"
        self.scratch = size.sequences
        self.evaluated = self.sampled = 0
        self._held: list[Tokens] = [[] for _ in range(size.sequences + 1)]
        # When a sequence was last used, as a number that only grows: equal means untouched.
        self._used = [0] * len(self._held)
        self._clock = 0
        # What the scratch sequence was forked from.
        self._source: int | None = None
        # The sequence whose next token the context can tell: that of the last evaluation.
        self._told: int | None = None
        self._warned = False
        self._parked = Parked(parked_bytes)

    @property
    def parked_bytes(self) -> int:
        """What is put away takes so much memory."""
        return self._parked.bytes

    def held(self, sequence: int) -> Tokens:
        """The tokens that need not be evaluated again."""
        return list(self._held[sequence])

    def sequence_for(self, tokens: Tokens) -> int:
        """The sequence to prefill with `tokens`: the one that holds most of them.

        If it holds much that continues another way, it is left alone, and what is common is forked.
        """
        self._fetch(tokens)
        shared = [common(held, tokens) for held in self._held[: self.scratch]]
        best = max(range(len(shared)), key=shared.__getitem__)
        if shared[best] and len(self._held[best]) - shared[best] <= FEW:
            return best
        oldest = self._least_used(but={self.scratch, best if shared[best] else None})
        if oldest is None:
            return best
        self.fork(best, oldest, length=shared[best])
        return oldest

    def prefill(self, sequence: int, tokens: Tokens) -> int:
        """Make `sequence` hold exactly `tokens`, at least one. Returns how many of them had to be evaluated.

        Raises `Cancelled`, after which the sequence holds a part of `tokens`; `ModelError`.
        """
        before = self.evaluated
        for _ in self.steps(sequence, tokens):
            pass
        return self.evaluated - before

    def steps(self, sequence: int, tokens: Tokens, *, batch: int | None = None) -> Generator[None, None, None]:
        """`prefill` that yields between two batches, when other sequences may be used. Raises what it raises.

        A small `batch` loses less when it is cancelled.
        """
        batch = min(batch or self._context.batch, self._context.batch)
        same = common(self._held[sequence], tokens)
        self._cut(sequence, min(same, len(tokens) - 1))
        self._touch(sequence)
        mark = self._used[sequence]
        while missing := tokens[len(self._held[sequence]) :]:
            part = missing[:batch]
            self._add(sequence, part, tell=len(part) == len(missing))
            if len(part) == len(missing):
                return
            yield
            if self._used[sequence] != mark:
                raise Cancelled

    def generate(self, sequence: int, sampling: Sampling, *, cap: int) -> Generator[int, None, None]:
        """Yield at most `cap` tokens that follow what the sequence holds. The token that ends a reply is not yielded.

        The token yielded last is not held yet. Other sequences may be used between two tokens.
        Raises `Cancelled`, also when the sequence had to give way in between; `ModelError`.
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

    def fork(self, source: int, target: int, *, length: int) -> None:
        """Make `target` hold the first `length` tokens that `source` holds. Evaluates nothing."""
        self.drop(target)
        if target == self.scratch:
            self._source = source
        if not length:
            return
        self._context.copy(source, target)
        self._held[target] = list(self._held[source])
        self._touch(target)
        self._cut(target, length)

    def branch(self, tokens: Tokens) -> None:
        """Have the scratch sequence hold as much of `tokens` as any sequence does. Evaluates nothing."""
        held = self._held[self.scratch]
        if held and held == tokens[: len(held)] and len(tokens) - len(held) <= 1:
            return  # it grows token by token
        self._fetch(tokens)
        shared = [common(held, tokens) for held in self._held]
        best = max(range(len(shared)), key=shared.__getitem__)
        if shared[best] > shared[self.scratch]:
            self.fork(best, self.scratch, length=shared[best])

    def clear_for(self, sequence: int) -> None:
        """Put away what others hold, if it is much, and move the sequence to the first cells. Evaluates nothing.

        With 3,500 tokens of others in the context a prompt of 400 took 2.3 times as long, a reply 1.6 times.
        """
        others = [s for s in range(self.scratch) if s != sequence and self._held[s]]
        if sum(len(self._held[s]) - common(self._held[s], self._held[sequence]) for s in others) <= STRANGE:
            return
        if sum(map(self._context.state_bytes, others)) > self._parked.most_bytes:
            return  # better slow than evaluated again
        for other in sorted(others, key=self._used.__getitem__):
            self._park(other)
        self.drop(self.scratch)
        held, state = self.held(sequence), self._context.state(sequence)
        self.drop(sequence)
        if held:
            self._place(sequence, Away(held, state))

    def likeliest(self, sequence: int, tokens: Sequence[int]) -> int:
        """Which of `tokens` most likely follows the sequence. Raises `Cancelled`, `ModelError`."""
        self._tell(sequence)
        logits = self._llama.llama_get_logits_ith(self._context.pointer, -1)
        return max(tokens, key=lambda token: float(logits[token]))

    def grammar(self, text: str) -> Grammar:
        """Raises `ValueError`. The caller closes it."""
        return Grammar(self._llama, self._model, words=self.vocabulary, text=text)

    def draw(self, sequence: int, grammar: Grammar) -> int | None:
        """The likeliest token to follow the sequence that the grammar allows; None at the end.

        Raises `Cancelled`, `ModelError`.
        """
        self._tell(sequence)
        self.sampled += 1
        row = self._llama.llama_get_logits_ith(self._context.pointer, -1)
        return grammar.draw(np.ctypeslib.as_array(row, (self.vocabulary.size,)).copy())

    def drop(self, sequence: int) -> None:
        """Forget what the sequence holds."""
        self._context.clear(sequence)
        self._held[sequence] = []
        self._used[sequence] = 0
        self._told = None if self._told == sequence else self._told

    def state(self, tokens: Tokens, *, most_bytes: int) -> tuple[Tokens, bytes]:
        """How much of `tokens` is evaluated, as far as it takes no more than `most_bytes`, and what was computed."""
        self.drop(self.scratch)
        self.branch(tokens)
        size = self._context.state_bytes(self.scratch)
        if size > most_bytes:
            self._cut(self.scratch, len(self._held[self.scratch]) * most_bytes // size)
        held = self.held(self.scratch)
        fits = len(held) > FEW and self._context.state_bytes(self.scratch) <= most_bytes
        state = self._context.state(self.scratch) if fits else b""
        self.drop(self.scratch)
        return (held, state) if state else ([], b"")

    def restore(self, tokens: Tokens, state: bytes) -> bool:
        """Hold what `state` told of an engine of the same model, library and size. False when there is no room."""
        empty = next((s for s in range(self.scratch) if not self._held[s]), None)
        return bool(tokens) and empty is not None and self._place(empty, Away(tokens, state))

    def cancel(self) -> None:
        """Make what is being evaluated, and all that follows, raise `Cancelled`, until `resume`. From any thread."""
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

    def _add(self, sequence: int, tokens: Tokens, *, tell: bool) -> None:
        """Evaluate at most a batch. `tell`: what follows it can be sampled."""
        self._decode(sequence, tokens, tell=tell)
        self._held[sequence] += tokens
        self.evaluated += len(tokens)
        self._told = sequence if tell else None

    def _decode(self, sequence: int, tokens: Tokens, *, tell: bool) -> None:
        self._told = None
        position = len(self._held[sequence])
        while (answer := self._context.decode(sequence, tokens, position=position, tell=tell)) != DONE:
            if answer != FULL or not self._make_room(sequence):
                self._fail(sequence, answer)

    def _fetch(self, tokens: Tokens) -> None:
        """Have a sequence hold again what was put away, if it is much more of `tokens` than any holds."""
        if self._parked.best(tokens) <= max(common(held, tokens) for held in self._held) + FEW:
            return
        away = self._parked.take(tokens)
        empty = next((s for s in range(self.scratch) if not self._held[s]), None)
        if empty is None:
            empty = self._least_used(but={self.scratch})
        assert empty is not None, "there is a sequence besides the scratch one"
        if self._held[empty]:
            self._park(empty)
        while sum(map(len, self._held)) + len(away.tokens) > self.context_tokens:
            oldest = self._least_used(but=(), holding=True)
            if oldest is None:
                break
            self._park(oldest)
        self._place(empty, away)

    def _park(self, sequence: int) -> None:
        """Put away what a sequence holds, and forget it. Not for scratch, whose beginning another one holds as well."""
        held = self.held(sequence)
        if sequence != self.scratch and self._context.state_bytes(sequence) <= self._parked.most_bytes:
            self._parked.put(Away(held, self._context.state(sequence)))
        self.drop(sequence)

    def _place(self, sequence: int, away: Away) -> bool:
        """Put a state into an empty sequence. False when there is no room."""
        if not self._context.restore(sequence, away.state, length=len(away.tokens)):
            self.drop(sequence)
            return False
        self._held[sequence] = list(away.tokens)
        self._touch(sequence)
        return True

    def _make_room(self, sequence: int) -> bool:
        """Have another sequence give up a batch at its end, and so keep what is longest of use. False: none can."""
        source = self._source if sequence == self.scratch else None
        oldest, least = self._least_used(but={sequence, source}, holding=True), 0
        if oldest is None and source is not None:
            # To give up what the fork shares would free nothing.
            oldest, least = source, common(self._held[source], self._held[sequence])
        if oldest is None or len(self._held[oldest]) <= least:
            return False
        length = max(least, len(self._held[oldest]) - self._context.batch)
        if length:
            self._cut(oldest, length)
        else:
            self.drop(oldest)
        return True

    def _fail(self, sequence: int, answer: int) -> NoReturn:
        """Leave the sequence as it was before the batch, or empty."""
        if answer == ABORTED:
            self._cut(sequence, len(self._held[sequence]))
            raise Cancelled
        self.drop(sequence)
        raise ModelError(
            "The context is full" if answer == FULL else f"llama.cpp could not evaluate the prompt ({answer})",
            hint="Try again; if it stays, restart the daemon or use another model.",
        )

    def _cut(self, sequence: int, length: int) -> None:
        """Keep the first `length` tokens, or none if the model cannot remove a part."""
        held = self._held[sequence]
        if not self._context.cut(sequence, length):
            self._warn_once()
            self.drop(sequence)
        elif length < len(held):
            del held[length:]
            self._told = None if self._told == sequence else self._told

    def _warn_once(self) -> None:
        if not self._warned:
            logger.warning(
                "This model cannot take back a part of what it read: after a change it reads all of it again"
            )
        self._warned = True

    def _step(self, sequence: int, token: int, chain: object) -> int:
        self._touch(sequence)
        self._add(sequence, [token], tell=True)
        return self._sample(sequence, chain)

    def _sample(self, sequence: int, chain: object) -> int:
        self._tell(sequence)
        self.sampled += 1
        return int(self._llama.llama_sampler_sample(chain, self._context.pointer, -1))

    def _tell(self, sequence: int) -> None:
        """See to it that what follows the sequence can be sampled."""
        if self._told != sequence:
            # Another sequence was evaluated since: the last token again, to see what follows it.
            self.prefill(sequence, self.held(sequence))

    def _touch(self, sequence: int) -> None:
        self._clock += 1
        self._used[sequence] = self._clock

    def _least_used(self, *, but: Container[int | None], holding: bool = False) -> int | None:
        others = [s for s in range(len(self._held)) if s not in but and (self._held[s] or not holding)]
        return min(others, key=self._used.__getitem__, default=None)
