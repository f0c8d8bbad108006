"""Chooses model, embedder and tagger from the settings and from the files that exist.

What only some choices need is imported with them: a daemon without it need not hold it in RAM.
"""

import logging
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from pi_memory.config import Config
from pi_memory.conversation.window import ConversationWindows
from pi_memory.embedding.calibration import Scale
from pi_memory.embedding.none import NoEmbedder
from pi_memory.embedding.recent import RecentEmbedder
from pi_memory.errors import EmbedderError, ModelError
from pi_memory.loader import Loader, in_thread
from pi_memory.model.extractive import ExtractiveModel
from pi_memory.protocols import Embedder, Model
from pi_memory.settings import ChatSettings, Settings
from pi_memory.store.database import Database
from pi_memory.tagging.centroids import Centroids
from pi_memory.tagging.similarity import NearestText, TopicSimilarity
from pi_memory.tagging.tagger import EvidenceTagger, LoadedTagger, Tagger, TaggerLoader
from pi_memory.tagging.topic_patterns import Patterns
from pi_memory.worker import Worker

if TYPE_CHECKING:
    from pi_memory.learning.llm_extraction import LlmExtraction

DEFAULT_EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"

SHARED_MODELS = Path(sys.prefix) / "share" / "pi-memory" / "models"
"""Folder where set-up puts the embedder, shared by all users of the installation."""

PULL = "`pi-memory pull` fetches one."

logger = logging.getLogger(__name__)


def model(settings: Settings, *, given: Model | None = None, keep: bool = True) -> Loader[Model]:
    """Load the chat model, or the extractive one if that fails. Without `keep` no state is read from disk or
    written.
    """

    async def load() -> Model:
        return given or await _chosen_model(settings, keep=keep)

    return Loader(load, fallback=ExtractiveModel(context_tokens=settings.chat.context_tokens))


def embedder(settings: Settings, *, given: Embedder | None = None, keep: bool = True) -> Loader[Embedder]:
    """Load the embedder, or `NoEmbedder` if that fails. `keep` as for the model."""

    async def load() -> Embedder:
        return given or RecentEmbedder(await _chosen_embedder(settings, keep=keep))

    return Loader(load, fallback=NoEmbedder())


def tagger(
    settings: Settings,
    patterns: Patterns,
    *,
    db: Database,
    model: Loader[Model],
    scale: Scale,
    windows: ConversationWindows,
    worker: Worker,
) -> TaggerLoader:
    """Tags by rules; as soon as the parts that the settings ask for are loaded, also by embeddings and by the model."""
    wanted = settings.embedding.tagger

    def made(meaning: TopicSimilarity | None, asked: Model | None) -> Tagger:
        evidence = EvidenceTagger(patterns, meaning, worker=worker)
        return _asking(asked, evidence, windows) if asked is not None else evidence

    async def better() -> AsyncIterator[LoadedTagger]:
        embedder = await scale.embedder.ready()
        asked = await _asked_for_topics(model) if wanted == "model" else None
        if asked is not None:
            yield LoadedTagger(made(None, asked))
        if embedder.dimensions:
            places = await Centroids.load(db, embedder)
            yield LoadedTagger(made(await _meaning(patterns, scale, places), asked), places)

    return TaggerLoader(EvidenceTagger(patterns, worker=worker), better=better if wanted != "rules" else None)


def extractor(settings: Settings, model: Loader[Model]) -> "LlmExtraction | None":
    """What asks the model for facts, where the settings want that."""
    if settings.embedding.extractor != "model":
        return None
    from pi_memory.learning.llm_extraction import LlmExtraction

    return LlmExtraction(model)


async def _asked_for_topics(model: Loader[Model]) -> Model | None:
    loaded = await model.ready()
    if loaded.is_language_model:
        return loaded
    logger.warning("PI_MEMORY_TAGGER=model needs a chat model: tagging without one. %s", PULL)
    return None


def _asking(model: Model, evidence: Tagger, windows: ConversationWindows) -> Tagger:
    from pi_memory.tagging.llm_tagger import LlmTagger

    return LlmTagger(evidence, model, windows.messages)


async def _meaning(patterns: Patterns, scale: Scale, places: Centroids) -> TopicSimilarity | None:
    """The comparison by embeddings, or None when the embedder cannot separate texts. Raises `EmbedderError`."""
    measured = await scale.measured()
    nearest = NearestText(scale.embedder.now, related=measured.related, same=measured.same)
    if nearest.is_blind:
        return None
    meaning = TopicSimilarity(nearest, places, patterns.words)
    await meaning.ready()
    return meaning


async def _chosen_model(settings: Settings, *, keep: bool) -> Model:
    chat = settings.chat
    if chat.provider == "extractive":
        return ExtractiveModel(context_tokens=chat.context_tokens)
    if chat.provider == "openai":
        return _remote(chat)
    path = chat.model or _first_gguf(settings.models_dir / "chat")
    if path is None and chat.provider == "auto":
        return ExtractiveModel(context_tokens=chat.context_tokens)
    if path is None:
        raise ModelError("There is no chat model", hint=f"{PULL} Or set PI_MEMORY_MODEL to a GGUF.")
    return await in_thread(lambda: _local(settings, path, keep=keep))


def _local(settings: Settings, path: Path, *, keep: bool) -> Model:
    # The modules around llama.cpp take two megabytes, which a daemon without a model of its own can do without.
    from pi_memory.model.from_file import open_model

    return open_model(settings, path, keep=keep)


def _remote(chat: ChatSettings) -> Model:
    # Its HTTP client takes 3 MB, which a daemon without a server can do without.
    from pi_memory.model.remote import RemoteModel

    return RemoteModel(
        chat.openai_base_url,
        model=chat.openai_model,
        api_key=chat.openai_api_key,
        context_tokens=chat.context_tokens,
        temperature=chat.temperature,
        timeout=chat.timeout_seconds,
    )


async def _chosen_embedder(settings: Settings, *, keep: bool) -> Embedder:
    chosen = settings.embedding
    if chosen.embedder == "none":
        return NoEmbedder()
    path = _gguf_embedder(settings)
    if path is not None and chosen.embedder in ("auto", "gguf"):
        return await in_thread(lambda: _gguf(settings, path, keep=keep))
    if chosen.embedder == "gguf":
        raise EmbedderError("There is no GGUF embedder", hint=f"{PULL} So does `pi-memory export-embedder`.")
    from pi_memory.embedding.sentence_transformers import SentenceTransformersEmbedder, installed

    if chosen.embedder == "auto" and not chosen.model and not installed():
        return NoEmbedder()
    return await in_thread(lambda: SentenceTransformersEmbedder.open(chosen.model or DEFAULT_EMBEDDER))


def _gguf(settings: Settings, path: Path, *, keep: bool) -> Embedder:
    from pi_memory.embedding.gguf import GgufEmbedder
    from pi_memory.model.probe import trusted

    trusted(path, kind="embedder", verdicts=settings.models_dir / "probed.json", keep=keep)
    return GgufEmbedder.open(path, adapters=Config().folder("adapters"))


def _gguf_embedder(settings: Settings) -> Path | None:
    named = settings.embedding.model
    if named:
        return Path(named).expanduser() if named.endswith(".gguf") else None
    return _first_gguf(settings.models_dir / "embedder") or _first_gguf(SHARED_MODELS)


def _first_gguf(folder: Path) -> Path | None:
    return min(folder.glob("*.gguf"), default=None)
