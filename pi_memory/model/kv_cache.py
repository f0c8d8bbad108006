"""What each sequence of a context holds, and which one is evicted. It evaluates nothing; used only by `engine.py`.

Attention reads all cells in use, so a chat has the context for itself: the state of other sequences is offloaded, and
fetched when it is needed. When cells run out, the least recently used sequence is evicted.
"""

import logging
from collections.abc import Container

from pi_memory.model.llama_context import LlamaContext
from pi_memory.model.offload import Offload, OffloadedState, common
from pi_memory.model.tokenizer import Tokens

logger = logging.getLogger(__name__)

FEW = 16
"""A sequence that differs from a prompt in at most this many tokens is cut and continued; otherwise it is kept and
forked.
"""

STRANGE = 32
"""Most tokens of other sequences that may stay in a chat's context. 240 made a prompt of 100 take an eighth longer;
offloading them takes 3 ms.
"""


class KvCache:
    """Sequences are numbered from 0. One more, `scratch`, is for short-lived forks: `sequence_for` never returns it.
    The sequence that it forks is evicted last, and loses only what the fork does not share.
    """

    def __init__(self, context: LlamaContext, *, count: int, parked_bytes: int) -> None:
        self.scratch = count
        self._context = context
        self._held: list[Tokens] = [[] for _ in range(count + 1)]
        # When a sequence was last used, as a number that only grows: equal means untouched.
        self._used = [0] * len(self._held)
        self._clock = 0
        # What the scratch sequence was forked from.
        self._source: int | None = None
        # The sequence whose next token the context has logits for: that of the last evaluation.
        self._logits_of: int | None = None
        self._parked = OffloadedState(parked_bytes)
        # A part could not be removed before: only the whole of what is held can be gone on with.
        self._uncut = False

    @property
    def parked_bytes(self) -> int:
        """RAM taken by offloaded state."""
        return self._parked.bytes

    def held(self, sequence: int) -> Tokens:
        """The tokens that the sequence holds."""
        return list(self._held[sequence])

    def known(self, tokens: Tokens) -> int:
        """Length of the longest prefix of `tokens` that needs no evaluation."""
        if self._uncut:
            return max(len(held) for held in (*self._held[: self.scratch], []) if held == tokens[: len(held)])
        return max(self._nearest(tokens, self.scratch)[1], self._parked.best(tokens))

    def sequence_for(self, tokens: Tokens) -> int:
        """The sequence to prefill with `tokens`: the one that holds the longest prefix.

        If it also holds much that differs, it is left alone and the common prefix is forked.
        """
        self._fetch(tokens)
        best, shared = self._nearest(tokens, self.scratch)
        if shared and len(self._held[best]) - shared <= FEW:
            return best
        oldest = self._least_used(but={self.scratch, best if shared else None})
        if oldest is None:
            return best
        self._park(oldest)
        self.fork(best, oldest, length=shared)
        return oldest

    def branch(self, tokens: Tokens) -> None:
        """Make the scratch sequence hold the longest prefix of `tokens` that any sequence holds."""
        held = self._held[self.scratch]
        if held and held == tokens[: len(held)] and len(tokens) - len(held) <= 1:
            return  # it grows token by token
        self._fetch(tokens)
        best, shared = self._nearest(tokens, len(self._held))
        if shared > common(self._held[self.scratch], tokens):
            self.fork(best, self.scratch, length=shared)

    def fork(self, source: int, target: int, *, length: int) -> None:
        """Make `target` hold the first `length` tokens that `source` holds."""
        self.drop(target)
        if target == self.scratch:
            self._source = source
        if not length:
            return
        self._context.copy(source, target)
        self._held[target] = list(self._held[source])
        self._touch(target)
        self._cut(target, length)

    def clear_for(self, sequence: int) -> None:
        """Offload the other sequences if they hold much, and move this one to the first cells.

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
            self._place(sequence, Offload(held, state))

    def drop(self, sequence: int) -> None:
        """Empty the sequence."""
        self._context.clear(sequence)
        self._held[sequence] = []
        self._used[sequence] = 0
        self._logits_of = None if self._logits_of == sequence else self._logits_of

    def state(self, tokens: Tokens, *, most_bytes: int) -> tuple[Tokens, bytes]:
        """The evaluated state of the longest prefix of `tokens` that takes at most `most_bytes`, and that prefix."""
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
        """Load what `state` returned from an engine of the same model, library and size. False when there is no
        room.
        """
        empty = self._empty()
        return bool(tokens) and empty is not None and self._place(empty, Offload(tokens, state))

    def _fetch(self, tokens: Tokens) -> None:
        """Load offloaded state into a sequence if it covers much more of `tokens` than any sequence."""
        if self._parked.best(tokens) <= max(common(held, tokens) for held in self._held) + FEW:
            return
        away, empty = self._parked.take(tokens), self._empty()
        if empty is None:
            empty = self._least_used(but={self.scratch})
            assert empty is not None, "there is a sequence besides the scratch one"
            self._park(empty)
        while not self._place(empty, away):
            oldest = self._least_used(but=(), holding=True)
            if oldest is None:
                return
            self._park(oldest)

    def _park(self, sequence: int) -> None:
        """Empty a sequence, and offload it if it holds much that no other one does. Scratch is never offloaded."""
        held = self._held[sequence]
        others = (self._held[other] for other in range(self.scratch) if other != sequence)
        only = len(held) - max((common(held, other) for other in others), default=0)
        fits = only > FEW and self._context.state_bytes(sequence) <= self._parked.most_bytes
        if fits and sequence != self.scratch:
            self._parked.put(Offload(list(held), self._context.state(sequence)))
        self.drop(sequence)

    def _place(self, sequence: int, away: Offload) -> bool:
        """Load a state into an empty sequence. False when there is no room."""
        if not self._context.restore(sequence, away.state, length=len(away.tokens)):
            self.drop(sequence)
            return False
        self._held[sequence] = list(away.tokens)
        self._touch(sequence)
        return True

    def _make_room(self, sequence: int) -> bool:
        """Evict a batch from the end of another sequence, so that its prefix stays longest. False when none can be
        evicted.
        """
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

    def _cut(self, sequence: int, length: int) -> None:
        """Keep the first `length` tokens, or none if the model cannot remove a part."""
        held = self._held[sequence]
        if not self._context.cut(sequence, length):
            self._warn_once()
            self.drop(sequence)
        elif length < len(held):
            del held[length:]
            self._logits_of = None if self._logits_of == sequence else self._logits_of

    def _warn_once(self) -> None:
        if not self._uncut:
            logger.warning(
                "This model cannot remove tokens from a sequence: after a change it evaluates the whole prompt again"
            )
        self._uncut = True

    def _touch(self, sequence: int) -> None:
        self._clock += 1
        self._used[sequence] = self._clock

    def _nearest(self, tokens: Tokens, among: int) -> tuple[int, int]:
        """The first sequence that holds most of `tokens`, the shortest of several; and how many it holds."""
        shared = [common(held, tokens) for held in self._held[:among]]
        best = max(range(among), key=lambda sequence: (shared[sequence], -len(self._held[sequence])))
        return best, shared[best]

    def _empty(self) -> int | None:
        return next((s for s in range(self.scratch) if not self._held[s]), None)

    def _least_used(self, *, but: Container[int | None], holding: bool = False) -> int | None:
        others = [s for s in range(len(self._held)) if s not in but and (self._held[s] or not holding)]
        return min(others, key=self._used.__getitem__, default=None)
