"""A sentence-transformers model as a GGUF, run in this process by llama.cpp: no torch, a tenth of the memory.

Only the low-level API is used, which takes several texts in one call. This file does not know whether the GGUF is
sound: a malformed one can abort the process inside ggml, so the caller probes a new file in a child process first.
"""

import ctypes
import hashlib
import logging
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from pi_memory.embedding.reading import Purpose, Text
from pi_memory.embedding.token_codes import NO_TOKENS, Tokens, project
from pi_memory.errors import EmbedderError
from pi_memory.text.language import words
from pi_memory.types import Vectors
from pi_memory.worker import Worker

TokenIds = list[int]

MEANING = "meaning"
"""The name of the adapter that embeds; the others have those of their purposes (`reading.py`)."""

BEGINS_WORD = "\N{LOWER ONE EIGHTH BLOCK}"
"""What a vocabulary has in front of a token that begins a word."""

# A text is evaluated in one piece and the buffers for it grow with the square of this; messages are short.
MOST_CONTEXT_TOKENS = 512
# Several short texts in one call take 3/4 of the time (measured: MiniLM, one thread); llama.cpp keeps one row of the
# whole vocabulary for each token of the largest call (MiniLM: 122 kB), so the call stays small.
CALL_TOKENS = 64
CALL_TEXTS = 8
# More characters than this per token are never met in text, so a book need not be tokenised to use its first page.
MOST_CHARACTERS_PER_TOKEN = 32

logger = logging.getLogger(__name__)

NOT_AN_EMBEDDER = "Set PI_MEMORY_EMBEDDER_MODEL to a GGUF that `pi-memory export-embedder` or `pi-memory pull` made."


class GgufEmbedder:
    """Runs one model on a thread of its own."""

    def __init__(self, model: "_LlamaEmbedding", *, space: str) -> None:
        self.id = space
        self.dimensions = model.dimensions
        self._model = model
        self._worker = Worker(f"The embedder {space}", error=EmbedderError)

    @classmethod
    def open(cls, path: Path, *, adapters: Path | None = None, threads: int = 1) -> Self:
        """Load the model; blocks for about 0.1 s. Raises `EmbedderError` when the file is no embedding model.

        `adapters` has a folder with low-rank adapters (LoRA) for each model that some were fitted for, by its name:
        `meaning` is added to its weights where it embeds, and vectors with it are of a space of their own; the others
        where it reads for their purpose. One thread is best for short texts, and leaves the other cores to the chat
        model.
        """
        if not path.is_file():
            raise EmbedderError(
                f"There is no embedder at {path}", hint="`pi-memory export-embedder --bundled` makes one."
            )
        model = _LlamaEmbedding(path, threads=threads)
        name = model.name or path.stem
        for adapter in sorted((adapters / name).glob("*.gguf")) if adapters else ():
            if model.adapt(adapter) and adapter.stem == MEANING:
                name = f"{name}+{fingerprint(adapter)}"
        return cls(model, space=f"{name}-{fingerprint(path)}")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. A text longer than the model's context counts only up to there."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), CALL_TEXTS):
            # A few at a time: a chat's one text need not wait for a thousand that are embedded again.
            few = slice(start, start + CALL_TEXTS)
            vectors[few] = await self._worker.run(self._model.embed, texts[few])
        return vectors

    async def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """See `TokenEmbedder`. A model that does not take the mean of its tokens gives none."""
        vectors, tokens = np.empty((len(texts), self.dimensions), dtype=np.float32), []
        for start in range(0, len(texts), CALL_TEXTS):
            few = slice(start, start + CALL_TEXTS)
            vectors[few], more = await self._worker.run(self._model.embed_tokens, texts[few])
            tokens += more
        return vectors, tokens

    async def read(self, texts: Sequence[Text], purpose: Purpose) -> Vectors | None:
        """See `ReadingEmbedder`."""
        if (MEANING if purpose == "words" else purpose) not in self._model.adapters:
            return None
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), CALL_TEXTS):
            few = slice(start, start + CALL_TEXTS)
            vectors[few] = await self._worker.run(self._model.read, texts[few], purpose)
        return vectors

    async def close(self) -> None:
        await self._worker.close(self._model.free)


def fingerprint(path: Path) -> str:
    """A model's identity without reading the whole file: its size and sixteen samples of 4 KiB.

    The samples lie in the metadata and all over the weights. Training moves every weight, and another quantisation or
    pooling changes the metadata; a copy or a new name changes nothing.
    """
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for sample in range(16):
            file.seek(size * sample // 16)
            digest.update(file.read(4096))
    return digest.hexdigest()[:8]


class _LlamaEmbedding:
    """The model and its context. One thread at a time."""

    def __init__(self, path: Path, *, threads: int) -> None:
        self._llama = _library()
        self._context: Any = None
        self._batch: Any = None
        self._model = self._llama.llama_model_load_from_file(str(path).encode(), self._model_parameters())
        if not self._model:
            raise EmbedderError(
                f"{path} cannot be loaded as a GGUF", hint="It may be damaged: make or download it again."
            )
        try:
            self._open_context(path, threads=threads)
        except EmbedderError:
            self.free()
            raise
        self.dimensions = int(self._llama.llama_model_n_embd_out(self._model))
        self.name = self._metadata("general.name")
        self._vocabulary = self._llama.llama_model_get_vocab(self._model)
        self._decomposes = self._strips_accents()
        self.adapters: dict[str, Any] = {}
        """Pointers to what was loaded, by name."""

    def adapt(self, adapter: Path) -> bool:
        """Load an adapter; False, with a line in the log, where it is not for a model of this shape."""
        loaded = self._llama.llama_adapter_lora_init(self._model, str(adapter).encode())  # freed with the model
        if loaded:
            self.adapters[adapter.stem] = loaded
        else:
            logger.warning("%s does not fit the embedder and is left out: answers are found less well.", adapter)
        return bool(loaded)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions)."""
        return _units(self._pooled(rows for _, rows in self._read(texts)))

    def read(self, texts: Sequence[Text], adapter: str) -> Vectors:
        """The means of the tokens of texts, or of several read as one, shape (len(texts), dimensions)."""
        ids = [self._cut(self._joined(each)) for each in texts]
        return self._pooled(rows for call in _calls(ids, self._limit) for rows in self._evaluate(call, adapter))

    def embed_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """The same, and the tokens of each text."""
        read = list(self._read(texts))
        return _units(self._pooled(rows for _, rows in read)), [self._telling(*each) for each in read]

    def free(self) -> None:
        """Idempotent."""
        if self._batch is not None:
            self._llama.llama_batch_free(self._batch)
        if self._context is not None:
            self._llama.llama_free(self._context)
        if self._model is not None:
            self._llama.llama_model_free(self._model)
        self._batch = self._context = self._model = None

    def _model_parameters(self) -> Any:
        parameters = self._llama.llama_model_default_params()
        parameters.load_mode = self._llama.LLAMA_LOAD_MODE_MMAP
        parameters.n_gpu_layers = 0
        # ggml's AMX kernels crash (seen) when GCC 12 built them: it drops stores of the tile configuration. The other
        # kernels behind this switch repack weights for ARM, which is worth its memory.
        parameters.use_extra_bufts = b"AMX_INT8 = 1" not in self._llama.llama_print_system_info()
        return parameters

    def _open_context(self, path: Path, *, threads: int) -> None:
        llama = self._llama
        architecture = self._metadata("general.architecture")
        self._means_tokens = self._metadata(f"{architecture}.pooling_type") == str(llama.LLAMA_POOLING_TYPE_MEAN)
        self._limit = min(int(llama.llama_model_n_ctx_train(self._model)), MOST_CONTEXT_TOKENS)
        parameters = llama.llama_context_default_params()
        parameters.embeddings = True
        if self._means_tokens:  # which is done here, as the vectors of the tokens are wanted too
            parameters.pooling_type = llama.LLAMA_POOLING_TYPE_NONE
        # An encoder takes a call in one piece (it asserts that), so all three are one text's worth.
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = self._limit
        parameters.n_seq_max = CALL_TEXTS
        parameters.kv_unified = True
        parameters.n_threads = parameters.n_threads_batch = threads
        self._context = llama.llama_init_from_model(self._model, parameters)
        if self._context is None:
            raise EmbedderError(
                f"{path} cannot be run", hint="It may need more memory than there is; try a smaller model."
            )
        pooled = (llama.LLAMA_POOLING_TYPE_CLS, llama.LLAMA_POOLING_TYPE_LAST)
        if not self._means_tokens and llama.llama_pooling_type(self._context) not in pooled:
            raise EmbedderError(f"{path} is no embedding model: it does not say how to pool", hint=NOT_AN_EMBEDDER)
        self._batch = llama.llama_batch_init(self._limit, 0, 1)

    def _metadata(self, key: str) -> str:
        value = ctypes.create_string_buffer(256)
        length = self._llama.llama_model_meta_val_str(self._model, key.encode(), value, len(value))
        return value.value.decode(errors="replace") if length > 0 else ""

    def _strips_accents(self) -> bool:
        is_wordpiece = self._metadata("tokenizer.ggml.model") == "bert"
        lowercases = self._metadata("tokenizer.ggml.normalizer.lowercase") != "false"
        strips = self._metadata("tokenizer.ggml.normalizer.strip_accents") or str(lowercases).lower()
        return is_wordpiece and strips == "true"

    def _tokenise(self, text: str) -> TokenIds:
        """Token ids of a text, at least one and at most the context. A longer text loses its end, but not the closing
        token.
        """
        text = text[: self._limit * MOST_CHARACTERS_PER_TOKEN]
        if self._decomposes:
            # llama.cpp keeps the first part of a decomposed character: of a Hangul syllable that is one letter.
            text = unicodedata.normalize("NFD", text)
        content = text.encode(errors="replace")
        room = len(content) + 16  # a token covers at least a byte, and a few are added around them
        tokens = (self._llama.llama_token * room)()
        count = self._llama.llama_tokenize(self._vocabulary, content, len(content), tokens, room, True, False)
        return self._cut(list(tokens[: max(count, 0)]) or [0])

    def _joined(self, texts: Text) -> TokenIds:
        """The tokens of texts one after another, of which only the first keeps what the model puts in front."""
        first, *others = map(self._tokenise, texts)
        return first + [token for each in others for token in each[1:]]

    def _cut(self, tokens: TokenIds) -> TokenIds:
        return tokens if len(tokens) <= self._limit else [*tokens[: self._limit - 1], tokens[-1]]

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[TokenIds, Vectors]]:
        for call in _calls(map(self._tokenise, texts), self._limit):
            yield from zip(call, self._evaluate(call, MEANING), strict=True)

    def _pooled(self, texts: Iterable[Vectors]) -> Vectors:
        return np.array([rows.mean(axis=0) for rows in texts], np.float32).reshape(-1, self.dimensions)

    def _telling(self, ids: TokenIds, rows: Vectors) -> Tokens:
        """The tokens that say something, of all tokens of a text."""
        if not self._means_tokens:
            return NO_TOKENS
        stop_words = words("stop_words")
        of = self._words_of(ids)
        kept = [i for i, word in enumerate(of) if word and word not in stop_words]
        return Tokens(tuple(ids[i] for i in kept), tuple(of[i] for i in kept), project(_units(rows[kept])))

    def _words_of(self, ids: TokenIds) -> list[str]:
        """The word that each token is of, "" for punctuation and what the model adds."""
        found: list[str] = []
        places: list[int] = []
        for id_ in ids:
            text = self._text_of(id_)
            part = text.removeprefix(BEGINS_WORD)
            if not part.isalnum():
                part = ""
            if not found or text != part or not part or not found[-1]:
                found.append("")
            found[-1] += part.casefold()
            places.append(len(found) - 1)
        return [found[place] for place in places]

    def _text_of(self, token: int) -> str:
        """Of the vocabulary; "" for a token that is no text."""
        if self._llama.llama_vocab_is_control(self._vocabulary, token):
            return ""
        text: bytes = self._llama.llama_vocab_get_text(self._vocabulary, token)
        return text.decode(errors="replace")

    def _evaluate(self, call: Sequence[TokenIds], adapter: str) -> list[Vectors]:
        """The vectors of each text: of its tokens where the model takes their mean, else the one that the model makes
        of them. The `adapter` is added to the weights, if there is one.
        """
        llama, context = self._llama, self._context
        if context is None:
            raise EmbedderError("The embedder is closed")
        self._use(adapter)
        self._fill(call)
        memory = llama.llama_get_memory(context)
        if memory:  # a decoder that embeds remembers its last call
            llama.llama_memory_clear(memory, True)
        # llama_decode hands over to llama_encode when the model is an encoder.
        if llama.llama_decode(context, self._batch) != 0:
            raise EmbedderError(
                "llama.cpp could not embed a text", hint="Restart the daemon; if it stays, export the embedder again."
            )
        if self._means_tokens:
            size = (sum(map(len, call)), self.dimensions)
            tokens = np.ctypeslib.as_array(llama.llama_get_embeddings(context), shape=size).copy()
            return np.split(tokens, np.cumsum([len(text) for text in call[:-1]]))
        pooled = [llama.llama_get_embeddings_seq(context, sequence) for sequence in range(len(call))]
        return [np.ctypeslib.as_array(vector, shape=(1, self.dimensions)).copy() for vector in pooled]

    def _use(self, adapter: str) -> None:
        kind, loaded = self._llama.llama_adapter_lora_p_ctypes, self.adapters.get(adapter)
        pointers = (kind * 1)(ctypes.cast(loaded, kind)) if loaded else None
        # Costs nothing while it is the same one.
        self._llama.llama_set_adapters_lora(self._context, pointers, bool(loaded), (ctypes.c_float * 1)(1.0))

    def _fill(self, call: Sequence[TokenIds]) -> None:
        batch = self._batch
        batch.n_tokens = 0
        for sequence, tokens in enumerate(call):
            for position, token in enumerate(tokens):
                index = batch.n_tokens
                batch.token[index], batch.pos[index] = token, position
                batch.n_seq_id[index], batch.seq_id[index][0] = 1, sequence
                batch.logits[index] = True
                batch.n_tokens += 1


def _calls(texts: Iterable[TokenIds], limit: int) -> Iterator[list[TokenIds]]:
    """Batches of neighbouring texts. A text longer than a batch has one of its own."""
    room = min(CALL_TOKENS, limit)
    call: list[TokenIds] = []
    for tokens in texts:
        if call and sum(map(len, call)) + len(tokens) > room:
            yield call
            call = []
        call.append(tokens)
    if call:
        yield call


def _units(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


def _library() -> Any:
    """Import llama.cpp: 0.2 s and 30 MB, which a daemon without models never pays."""
    import llama_cpp

    # Else each load writes two hundred lines to stderr. Its ERROR includes the warnings.
    logging.getLogger("llama-cpp-python").setLevel(logging.CRITICAL)
    llama_cpp.llama_backend_init()
    return llama_cpp
