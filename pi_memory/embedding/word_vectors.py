"""The vectors of single words, which queries share: those asked for last are kept."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

KEPT = 2_000
"""Words: 1.5 MB at 384 dimensions."""


class WordVectors:
    """One embedder's at a time. A word that is new costs about a millisecond, together with others."""

    def __init__(self) -> None:
        self._space = ""
        self._known: OrderedDict[str, npt.NDArray[np.float16]] = OrderedDict()

    def let_go(self) -> None:
        """Keep no word."""
        self._known.clear()

    async def of(self, words: Sequence[str], embedder: Embedder) -> Vectors:
        """Unit vectors, shape (len(words), dimensions). Raises `EmbedderError`."""
        if self._space != embedder.id:
            self._known.clear()
            self._space = embedder.id
        if missing := [word for word in dict.fromkeys(words) if word not in self._known]:
            made = (await embedder.embed(missing)).astype(np.float16)
            self._known.update(zip(missing, made, strict=True))
        found = np.array([self._known[word] for word in words], np.float32).reshape(len(words), embedder.dimensions)
        for word in words:
            self._known.move_to_end(word)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return found
