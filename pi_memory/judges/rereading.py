"""Two texts read as one by the embedder: whether a statement answers a question.

Vectors say that `The server is in the cupboard` and `What is the server called?` are about the same; who reads both at
once sees that the one does not answer the other (Nogueira and Cho, 2019, "Passage re-ranking with BERT"). Each pair
costs an evaluation of the model, so only the best few are read.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pi_memory.embedding import reading
from pi_memory.errors import EmbedderError
from pi_memory.judges.heads import Reading
from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors


class Rereading:
    """`folder` has `answers.json`, the weights of what is read in a question and a statement."""

    def __init__(self, folder: Path, embedder: Loader[Embedder]) -> None:
        self._folder = folder
        self._embedder = embedder

    async def answers(self, question: str, statements: Sequence[str]) -> Vectors | None:
        """Log-odds that each statement answers, shape (n,); None where nothing reads, or it fails."""
        if not statements:
            return None
        try:
            read = await reading.read(self._embedder.now, [(question, each) for each in statements], "answers")
        except EmbedderError:
            return None
        return None if read is None else self._answering.odds(read)

    @cached_property
    def _answering(self) -> Reading:
        return Reading.load(self._folder / "answers.json")
