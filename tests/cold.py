"""A cold run to compare with: an engine that holds nothing when it is asked, and evaluates each prompt at once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pi_memory.model.detokenizer import Detokenizer
from pi_memory.model.engine import Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.offload import OffloadedState
from pi_memory.model.sampling import Sampling

GREEDY = Sampling(temperature=0)
Logits = npt.NDArray[np.float32]


class Cold:
    """`thought` are the logits that the last reply began with."""

    def __init__(self, path: Path, *, context: int = 512, batch: int = 32) -> None:
        size = ContextSize(threads=1, context_tokens=context, sequences=1, batch=batch)
        self.engine = Engine(path, size)
        self.thought: Logits = np.zeros(0, np.float32)

    def reply(self, prompt: list[int], *, cap: int, stops: Sequence[str] = ()) -> list[int]:
        """The tokens that follow, up to one of `stops`."""
        self.thought = self.logits(prompt)
        reply, made = Detokenizer(stops), list[int]()
        for token in self.engine.generate(0, GREEDY, cap=cap):
            made.append(token)
            reply.add(token, self.engine.vocabulary.piece(token))
            if reply.stopped:
                break
        return made

    def logits(self, prompt: list[int]) -> Logits:
        """What it thinks of each token to follow."""
        self._evaluate(prompt)
        return logits(self.engine)

    def gap(self, prompt: list[int], said: list[int]) -> float:
        """By how much of a logit the likeliest token is ahead of the one that was said, where it first was another."""
        (end,) = self.engine.vocabulary.tokenise("<|im_end|>", special=True)
        for number, token in enumerate([*said, end]):
            row = self.logits(prompt + said[:number])
            if row.argmax() != token:
                return float(row.max() - row[token])
        return 0.0

    def close(self) -> None:
        self.engine.close()

    def _evaluate(self, prompt: list[int]) -> None:
        self.engine.drop(0)
        self.engine.prefill(0, prompt)


def logits(engine: Engine) -> Logits:
    """Of the token that follows what an engine has evaluated last."""
    row = engine._llama.llama_get_logits_ith(engine._context.pointer, -1)
    return np.array(np.ctypeslib.as_array(row, (engine.vocabulary.size,)))


def empty(engine: Engine) -> None:
    """Have an engine hold nothing, as after a restart."""
    for sequence in range(engine.scratch + 1):
        engine.drop(sequence)
    engine._parked = OffloadedState(engine._parked.most_bytes)
