"""Makes the chat model from a GGUF and the settings."""

import logging
import os
from datetime import datetime
from pathlib import Path

from pi_memory.model.cpu_features import unused
from pi_memory.model.engine import Engine
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.local import LocalModel
from pi_memory.model.probe import trusted
from pi_memory.model.sampling import Sampling
from pi_memory.model.saved_state import SavedStates
from pi_memory.settings import ChatSettings, Settings

logger = logging.getLogger(__name__)


def open_model(settings: Settings, path: Path, *, keep: bool) -> LocalModel:
    """The model of `path`. Without `keep` no state is read from disk or written. Raises `ModelError`."""
    chat = settings.chat
    identity = trusted(path, kind="chat", verdicts=settings.models_dir / "probed.json", keep=keep)
    size = ContextSize(
        context_tokens=chat.context_tokens,
        batch=chat.batch_tokens,
        threads=chat.threads,
        prefill_threads=chat.prefill_threads,
    ).with_threads(len(os.sched_getaffinity(0)))
    engine = Engine(path, size, mmap=chat.mmap, parked_bytes=chat.state_mb * 1_000_000)
    states = SavedStates(
        settings.states_dir,
        identity=identity,
        most_bytes=chat.state_mb * 1_000_000,
        clock=lambda: datetime.now().astimezone(),
    )
    model = LocalModel(
        engine,
        name=path.stem,
        now=states.since() if keep else datetime.now().astimezone(),
        sampling=Sampling(temperature=chat.temperature),
        states=states if keep else None,
    )
    _tell(model, engine, size, chat)
    return model


def _tell(model: LocalModel, engine: Engine, size: ContextSize, chat: ChatSettings) -> None:
    """What was chosen, and why."""
    logger.info(
        "%s: %d tokens of context; %d threads write (PI_MEMORY_THREADS=%d), %d read (PI_MEMORY_PREFILL_THREADS=%d), "
        "waiting for each other as PI_MEMORY_WAIT=%s; %d tokens at a time; weights %s; %d tokens evaluated before",
        model.name,
        engine.context_tokens,
        size.threads,
        chat.threads,
        size.prefill_threads,
        chat.prefill_threads,
        chat.wait,
        size.batch,
        "mapped from the file" if chat.mmap else "read into memory",
        model.restored_tokens,
    )
    if missing := unused(engine.build):
        logger.warning(
            "This processor has %s, which llama.cpp was built without and would be faster with. Build it on this "
            "machine: pip install --force-reinstall --no-cache-dir llama-cpp-python",
            ", ".join(missing),
        )
