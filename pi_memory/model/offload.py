"""Sequences offloaded from the context: their KV state in RAM. Knows no model."""

from msgspec import Struct

from pi_memory.model.tokenizer import Tokens


class Offload(Struct, frozen=True):
    tokens: Tokens
    state: bytes


class OffloadedState:
    """Holds at most `most_bytes`; the state offloaded first is evicted."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._sequences: list[Offload] = []

    @property
    def bytes(self) -> int:
        return sum(len(sequence.state) for sequence in self._sequences)

    def put(self, sequence: Offload) -> None:
        """Add a state. It replaces states whose tokens are a prefix of its own."""
        self._sequences = [
            other for other in self._sequences if common(other.tokens, sequence.tokens) < len(other.tokens)
        ]
        self._sequences.append(sequence)
        while self.bytes > self.most_bytes:
            del self._sequences[0]

    def best(self, tokens: Tokens) -> int:
        """Length of the longest prefix of `tokens` that a state covers."""
        return max((common(sequence.tokens, tokens) for sequence in self._sequences), default=0)

    def take(self, tokens: Tokens) -> Offload:
        """Remove and return the state that `best` found. Raises `ValueError` when there is none."""
        found = max(self._sequences, key=lambda sequence: common(sequence.tokens, tokens))
        self._sequences.remove(found)
        return found


def common(held: Tokens, tokens: Tokens) -> int:
    """Length of the common prefix."""
    if held == tokens[: len(held)]:
        return len(held)
    for index, (one, other) in enumerate(zip(held, tokens, strict=False)):
        if one != other:
            return index
    return min(len(held), len(tokens))
