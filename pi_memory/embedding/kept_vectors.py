"""The vectors of texts that question after question is compared with: those asked for last are kept."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import numpy.typing as npt

from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

Embedding = Callable[[Embedder, Sequence[str]], Awaitable[Vectors]]


async def as_embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    return await embedder.embed(texts)


class KeptVectors:
    """Of `most` texts, one embedder's at a time: 0.8 kB each at 384 dimensions, and the text."""

    def __init__(self, most: int, embedding: Embedding = as_embedded) -> None:
        self._most = most
        self._embedding = embedding
        self._space = ""
        self._known: OrderedDict[str, npt.NDArray[np.float16]] = OrderedDict()

    def let_go(self) -> None:
        """Keep no text, nor one that is being embedded."""
        self._known = OrderedDict()

    async def of(self, texts: Sequence[str], embedder: Embedder) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions). Raises `EmbedderError`."""
        if self._space != embedder.id:
            self._space = embedder.id
            self.let_go()
        kept = self._known
        found = {text: kept[text] for text in texts if text in kept}
        if missing := [text for text in dict.fromkeys(texts) if text not in found]:
            found |= zip(missing, (await self._embedding(embedder, missing)).astype(np.float16), strict=True)
        for text in texts:
            kept[text] = found[text]
            kept.move_to_end(text)
        while len(kept) > self._most:
            kept.popitem(last=False)
        return np.array([found[text] for text in texts], np.float32).reshape(len(texts), embedder.dimensions)
