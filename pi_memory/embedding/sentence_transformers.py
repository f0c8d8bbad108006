"""Any sentence-transformers model, live. The only file that knows the library, which brings torch along."""

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from pi_memory.errors import EmbedderError
from pi_memory.types import Vectors
from pi_memory.worker import Worker

NOT_INSTALLED = "pip install 'pi-memory[sentence-transformers]'"
NOT_LOADED = (
    "Without a network, give the folder of a downloaded model, or use a GGUF embedder: PI_MEMORY_EMBEDDER=gguf."
)


class SentenceTransformersEmbedder:
    """Runs one model on a thread of its own."""

    def __init__(self, model: Any, *, space: str) -> None:
        self.id = space
        self.dimensions = int(model.get_embedding_dimension())
        self._model: Any = model
        self._worker = Worker(f"The embedder {space}", error=EmbedderError)

    @classmethod
    def open(cls, name_or_folder: str | Path, *, threads: int = 1, download: bool = True) -> Self:
        """Load a model by its name on the hub or from a folder; blocks for seconds, or for a download.

        A model that was downloaded before is loaded without asking the hub. One thread is best for short texts.
        Raises `EmbedderError` when the package is not installed or the model cannot be loaded.
        """
        library = _library(threads)
        try:
            model = library.SentenceTransformer(str(name_or_folder), device="cpu", local_files_only=True)
        except Exception as error:  # the hub, the tokenizer, torch: there is no common base
            if not download or Path(name_or_folder).is_dir():
                raise _not_loaded(name_or_folder, error) from error
            model = _download(library, str(name_or_folder))
        return cls(model, space=_space(name_or_folder))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. A text longer than the model's `max_seq_length` counts only up to there."""
        return await self._worker.run(self._embed, list(texts))

    async def close(self) -> None:
        await self._worker.close(self._free)

    def _embed(self, texts: list[str]) -> Vectors:
        if not texts:  # the library would return a vector of one dimension
            return np.empty((0, self.dimensions), dtype=np.float32)
        # The tokenizer refuses half a surrogate pair, which JSON may carry.
        sound = [text.encode(errors="replace").decode() for text in texts]
        vectors = self._model.encode(sound, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(vectors, dtype=np.float32)

    def _free(self) -> None:
        self._model = None


def installed() -> bool:
    """Whether the library is installed; does not import it."""
    return importlib.util.find_spec("sentence_transformers") is not None


def _space(name_or_folder: str | Path) -> str:
    """The name of the vector space: the model's name on the hub; for a folder its name with part of the
    weights' hash.
    """
    folder = Path(name_or_folder)
    weights = folder / "model.safetensors"
    if not weights.is_file():
        return f"{name_or_folder}"
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{folder.resolve().name}-{digest[:8]}"


def _download(library: Any, name: str) -> Any:
    try:
        return library.SentenceTransformer(name, device="cpu")
    except Exception as error:  # as above
        raise _not_loaded(name, error) from error


def _not_loaded(name_or_folder: str | Path, error: Exception) -> EmbedderError:
    reason = str(error).partition("\n")[0]
    return EmbedderError(f"The model {name_or_folder} cannot be loaded: {reason}", hint=NOT_LOADED)


def _library(threads: int) -> Any:
    """Import torch: 4 to 20 s and half a gigabyte."""
    # Read by a library in Rust, which warns at every fork without it; not a setting of ours.
    os.putenv("TOKENIZERS_PARALLELISM", "false")
    try:
        import sentence_transformers

        torch, transformers = map(importlib.import_module, ("torch", "transformers"))
    except ImportError as error:
        raise EmbedderError(f"The package {error.name} is not installed", hint=NOT_INSTALLED) from error
    torch.set_num_threads(threads)
    transformers.utils.logging.disable_progress_bar()  # it draws on stderr, which is the log
    return sentence_transformers
