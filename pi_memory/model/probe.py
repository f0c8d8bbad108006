"""Tests a model file in a child process first: a malformed GGUF can abort the process that loads it.

`python -m pi_memory.model.probe FILE [chat|embedder]` is that child.
"""

import hashlib
import importlib.metadata
import json
import logging
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pi_memory.errors import ModelError
from pi_memory.model.engine import Engine
from pi_memory.model.library import library, open_model
from pi_memory.model.llama_context import ContextSize
from pi_memory.model.prompt_tokens import PromptTokens
from pi_memory.model.sampling import Sampling
from pi_memory.model.tokenizer import Vocabulary
from pi_memory.types import Message

logger = logging.getLogger(__name__)

Kind = Literal["chat", "embedder"]

SECONDS = 300.0
CRASHES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGTRAP)
TEXT = "Hello, <user>! Grüße 👋"
GIGABYTE = 1 << 30


def trusted(path: Path, *, kind: Kind, verdicts: Path, timeout: float = SECONDS, keep: bool = True) -> str:
    """Test that a file loads and runs as a `kind` of model; the first time this blocks for a load.

    Returns the identity of the file's content: size, modification time and SHA-256.

    Verdicts are cached in the JSON file `verdicts` by the file's hash, which is computed again when size or time
    differ; without `keep` that file is only read. Raises `ModelError` with the reason; failures that say nothing of the
    file are not cached.
    """
    if not path.is_file():
        raise ModelError(f"There is no model file {path}", hint="`pi-memory pull` fetches a model.")
    remembered = _read(verdicts)
    known = _fingerprint(path, remembered["files"].get(str(path)))
    key = f"{kind} {importlib.metadata.version('llama-cpp-python')} {known['sha256']}"
    crash = remembered["verdicts"].get(key)
    if crash is None:
        crash = _run(path, kind, timeout)
        if keep:
            _remember(verdicts, {"files": {str(path): known}, "verdicts": {key: crash}})
    if crash:
        raise ModelError(f"{path} is malformed: {crash}", hint="Download it again, or use another model.")
    return f"{known['size']} {known['mtime_ns']} {known['sha256']}"


def _run(path: Path, kind: Kind, timeout: float) -> str:
    """How the child crashed, empty if it did not. Raises `ModelError` for all other failures."""
    command = [sys.executable, "-m", __name__, str(path), kind]
    try:
        child = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        hint = "The machine may be busy or the card slow: start again, or use a smaller model."
        raise ModelError(f"{path} could not be tried within {timeout:g} s", hint=hint) from error
    logger.debug("%s", child.stderr.decode(errors="replace")[-4000:])
    if child.returncode == 0:
        return ""
    if -child.returncode in CRASHES:
        return f"llama.cpp crashed on it ({signal.Signals(-child.returncode).name})"
    raise _failure(path, child)


def _failure(path: Path, child: "subprocess.CompletedProcess[bytes]") -> ModelError:
    if child.returncode == -signal.SIGILL:
        hint = (
            "Reinstall llama-cpp-python on this machine: pip install --force-reinstall --no-cache-dir llama-cpp-python"
        )
        return ModelError("llama.cpp was built for another processor", hint=hint)
    if child.returncode == -signal.SIGKILL:
        return ModelError(f"{path} needs more memory than there is", hint="Use a smaller model or less CTX_TOKENS.")
    reason = child.stdout.decode(errors="replace").strip() or f"{path} could not be tried ({child.returncode})"
    return ModelError(reason, hint="Use another model, or download this one again.")


def _fingerprint(path: Path, known: Any) -> dict[str, Any]:
    """Size, modification time and hash of a file; the hash is taken from `known` if the others are equal."""
    stat = path.stat()
    found = {"size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    if isinstance(known, dict) and found.items() <= known.items() and "sha256" in known:
        return known
    with path.open("rb") as file:
        return {**found, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def _read(verdicts: Path) -> dict[str, dict[str, Any]]:
    """The cached verdicts; empty when the file is missing or malformed."""
    try:
        found = json.loads(verdicts.read_bytes())
        return {"files": dict(found["files"]), "verdicts": dict(found["verdicts"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {"files": {}, "verdicts": {}}


def _remember(verdicts: Path, new: dict[str, dict[str, Any]]) -> None:
    # Read again: another model may have been tried meanwhile.
    merged = {part: {**entries, **new[part]} for part, entries in _read(verdicts).items()}
    temporary = verdicts.with_name(f".{verdicts.name}.{os.getpid()}")
    # A folder that cannot be written costs a trial at each start, no more.
    with suppress(OSError):
        verdicts.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(merged, indent=1), encoding="utf-8")
        temporary.replace(verdicts)


def try_chat(path: Path) -> None:
    """In the child: load, tokenise, evaluate and generate a little. Raises `ModelError`."""
    engine = Engine(path, ContextSize(context_tokens=256, sequences=1, batch=32, threads=1))
    ledger = PromptTokens(engine.vocabulary, context_tokens=engine.context_tokens, now=datetime.now(UTC))
    tokens = ledger.prompt([Message("user", TEXT)])[: engine.context_tokens - 2]
    engine.prefill(0, tokens)
    for token in engine.generate(0, Sampling(temperature=0), cap=2):
        engine.vocabulary.piece(token)
    engine.close()


def try_embedder(path: Path) -> None:
    """In the child: load, tokenise and embed a little. Raises `ModelError`."""
    llama = library()
    model = open_model(path)
    parameters = llama.llama_context_default_params()
    parameters.embeddings = True
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = 64
    context = llama.llama_init_from_model(model, parameters)
    pooled = (llama.LLAMA_POOLING_TYPE_MEAN, llama.LLAMA_POOLING_TYPE_CLS, llama.LLAMA_POOLING_TYPE_LAST)
    if not context or llama.llama_pooling_type(context) not in pooled:
        raise ModelError(f"{path} is no embedding model")
    tokens = Vocabulary(llama, model).tokenise(TEXT, special=False)[:64] or [0]
    array = (llama.llama_token * len(tokens))(*tokens)  # the batch only points to it
    if llama.llama_decode(context, llama.llama_batch_get_one(array, len(tokens))) != 0:
        raise ModelError(f"{path} cannot embed")
    llama.llama_free(context)
    llama.llama_model_free(model)


def main(path: Path, kind: str) -> int:
    """The child: exit code 0, or 1 with the reason on stdout."""
    # Else ggml calls a debugger when it aborts.
    os.putenv("GGML_NO_BACKTRACE", "1")
    # A lying header must not take the memory of the whole machine.
    most = 4 * path.stat().st_size + 8 * GIGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        library().llama_model_free(open_model(path, validate=True))
        (try_embedder if kind == "embedder" else try_chat)(path)
    except ModelError as error:
        sys.stdout.write(error.message)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "chat"))
