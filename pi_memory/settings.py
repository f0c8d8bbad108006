"""Settings: frozen dataclasses, read once. A flag wins over the environment, then the files of `env_files`, the
default.

This is the only file that reads the environment. The docstring under each field is its documentation:
`docs/settings.md` and `.env.example` are tested against it.
"""

import ast
import dataclasses
import functools
import inspect
import os
import pwd
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pi_memory.errors import SettingsError

MOST = 2**31 - 1
"""Largest integer that the libraries accept."""
Positive = Annotated[int, Meta(ge=1, le=MOST)]
PREFIX = "PI_MEMORY_"
ROOM_BELOW = "x" * 200
"""A name as long as the longest that we create below a folder."""

NOTES = ("ASSISTANT.md", "MEMORY.md")
"""What users write for the assistant, in the workspace."""

SYSTEM_FILE = Path("/etc/pi-memory/env")
SERVICE_FILES, SERVICE_STATE = Path("/etc/pi-memory"), Path("/var/lib/pi-memory")
"""Where the service of a user has its settings (`USER.env`) and its data (`USER`)."""

STRONG = "Set PI_MEMORY_TOKEN to a long random string (openssl rand -hex 32)"
SHORTEST_TOKEN, FEWEST_DIFFERENT = 20, 8
"""Minimum length, and minimum count of different characters, of a token that a network can attack."""


def _env(key: str, default: Any) -> Any:
    return field(default=default, metadata={"key": key})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Access over HTTP"""

    host: str = _env("PI_MEMORY_HOST", "127.0.0.1")
    """Address to bind. Anything but loopback needs a `PI_MEMORY_TOKEN` that is hard to guess."""
    port: Annotated[int, Meta(ge=0, le=65535)] = _env("PI_MEMORY_PORT", 8765)
    """Port to bind; 0 takes a free one and logs it."""
    token: str = _env("PI_MEMORY_TOKEN", "")
    """Bearer token that every request but `/healthz` and `/version` must carry. Empty: the user of the daemon and root
    need none on this machine, others the one in the file `token` of the data directory."""
    max_body_bytes: Positive = _env("PI_MEMORY_MAX_BODY_BYTES", 1_048_576)
    """Largest request body; a larger one is answered with 413."""
    max_waiting: Positive = _env("PI_MEMORY_MAX_WAITING", 16)
    """Most turns under way or waiting; further ones are answered with 503 and `Retry-After`."""
    requests_per_minute: Annotated[int, Meta(ge=0, le=MOST)] = _env("PI_MEMORY_REQUESTS_PER_MINUTE", 0)
    """Most requests a minute of one client: of a token, or of an address; further ones are answered with 429. 0: 600,
    and no limit for the daemon's own user and root where they need no token."""
    turn_seconds: Annotated[float, Meta(gt=0)] = _env("PI_MEMORY_TURN_SECONDS", 1800.0)
    """Longest time of a turn, with the wait for other turns; the part of the reply that has arrived by then is
    remembered.
    """
    wyoming_port: Annotated[int, Meta(ge=0, le=65535)] = _env("PI_MEMORY_WYOMING_PORT", 0)
    """Port of the Wyoming protocol, for Home Assistant's voice; mostly 10700. 0: off, as it knows no password."""
    wyoming_host: str = _env("PI_MEMORY_WYOMING_HOST", "127.0.0.1")
    """Address to bind that port to. Whoever reaches it can ask what is remembered."""
    wyoming_projects: str = _env("PI_MEMORY_WYOMING_PROJECTS", "")
    """Which project is talked about at which voice satellite: `assist_satellite.garage=workshop, DEVICE_ID=NAME`. What
    is not in the table belongs to no project."""
    log_level: Literal["debug", "info", "warning", "error"] = _env("PI_MEMORY_LOG_LEVEL", "info")
    """Least severe log lines to write. What users say is only logged at `debug`."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Files and folders"""

    data_dir: Path | None = _env("PI_MEMORY_DATA_DIR", None)
    """Database and models. Default: `$STATE_DIRECTORY`, else those of your service, `/var/lib/pi-memory/USER`, if there
    is one, else `$XDG_STATE_HOME/pi-memory`, else `~/.local/state/pi-memory`."""
    workspace: Path | None = _env("PI_MEMORY_WORKSPACE", None)
    """Folder of the files you edit: `memory/RECENT_FOCUS.md`, `ASSISTANT.md`, `MEMORY.md`. Default: `~/pi-memory`
    for your service, else `workspace` in the data directory."""
    config_dir: Path | None = _env("PI_MEMORY_CONFIG_DIR", None)
    """Folder whose `agents/*.md`, `topics.toml` and `language/*.toml` are used instead of the shipped ones; a file it
    lacks is taken from those."""
    backup_dir: Path | None = _env("PI_MEMORY_BACKUP_DIR", None)
    """An existing folder for a second copy of each backup, such as one on a USB stick. While it is missing, `check`
    says so."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How much is remembered, and for how long"""

    enabled: bool = _env("ENABLE_MEMORY", True)
    """`false`: every request stands alone and nothing is stored."""
    max_turns: Positive = _env("MEMORY_MAX_TURNS", 8)
    """Exchanges (a message and its reply) that a conversation keeps word for word; up to twice as many stand in the
    prompt before the oldest become a summary. Fewer where the context has no room.
    """
    ttl_minutes: Annotated[float, Meta(ge=0, le=5_256_000)] = _env("MEMORY_TTL_MIN", 60.0)
    """Idle minutes after which a conversation ends; 0: never."""
    max_conversations: Positive = _env("MEMORY_MAX_CONVERSATIONS", 500)
    """Conversations kept in RAM; the least recently used one is evicted."""
    commit_seconds: Annotated[float, Meta(ge=0, le=3600)] = _env("PI_MEMORY_COMMIT_SECONDS", 10.0)
    """Longest time that an exchange waits for the commit of its group, and so the most that a crash can lose; 0: commit
    each.
    """
    transcript_days: Annotated[float, Meta(ge=0, le=36_500)] = _env("PI_MEMORY_TRANSCRIPT_DAYS", 730.0)
    """Days that what you said is kept verbatim; 0: only until it is processed and its conversation has ended."""
    reply_days: Annotated[float, Meta(ge=0, le=36_500)] = _env("PI_MEMORY_REPLY_DAYS", 30.0)
    """Days that replies are kept verbatim, and messages that only ask."""
    backups: bool = _env("PI_MEMORY_BACKUPS", True)
    """Back up everything daily, if something has changed, to `backups` in the data directory: the last seven days and
    the last of each of four weeks before."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The chat model"""

    provider: Literal["auto", "llama", "openai", "extractive"] = _env("PI_MEMORY_PROVIDER", "auto")
    """`llama`: a GGUF in this process; `openai`: a server that speaks OpenAI's API; `extractive`: no model, replies
    quote what you said; `auto`: a GGUF if there is one, else extractive.
    """
    model: Path | None = _env("PI_MEMORY_MODEL", None)
    """Chat model, a GGUF file. Default: the first `*.gguf` in `models/chat` of the data directory."""
    context_tokens: Annotated[int, Meta(ge=128, le=MOST)] = _env("CTX_TOKENS", 4096)
    """Context length in tokens, prompt and reply together; a model trained on a shorter context uses that."""
    max_tokens: Positive = _env("PI_MEMORY_MAX_TOKENS", 512)
    """Most tokens of a reply; never more than a quarter of the context."""
    temperature: Annotated[float, Meta(ge=0, le=5)] = _env("PI_MEMORY_TEMPERATURE", 0.7)
    """Sampling temperature; 0 always takes the likeliest token."""
    threads: Annotated[int, Meta(ge=0, le=4096)] = _env("PI_MEMORY_THREADS", 0)
    """Threads that generate a reply; 0: half of the cores where there are four or more (memory limits them, not the
    processor), else one per core.
    """
    prefill_threads: Annotated[int, Meta(ge=0, le=4096)] = _env("PI_MEMORY_PREFILL_THREADS", 0)
    """Threads that evaluate a prompt; 0: `PI_MEMORY_THREADS` if that is set, else one per core."""
    wait: Literal["auto", "active", "passive"] = _env("PI_MEMORY_WAIT", "auto")
    """How threads wait for each other: `active` keeps them awake, which is very slow where other programs want the
    cores; `passive` lets them sleep, which is slow where none does; `auto`: awake for some microseconds, then
    asleep."""
    batch_tokens: Annotated[int, Meta(ge=1, le=4096)] = _env("PI_MEMORY_BATCH_TOKENS", 128)
    """Prompt tokens that are evaluated at a time; more is faster and takes more memory."""
    mmap: bool = _env("PI_MEMORY_MMAP", False)
    """`true`: map the model file instead of reading it; it starts faster, and needs more memory where llama.cpp repacks
    the weights for the processor (452 MB become 668 MB)."""
    state_mb: Annotated[int, Meta(ge=0, le=MOST)] = _env("PI_MEMORY_STATE_MB", 64)
    """Megabytes on disk, twice, for the model's evaluated state, so that a restart evaluates nothing again: the common
    prefix of new conversations, and at a clean stop the conversations that are alive; 0: nothing is kept. As many
    megabytes of RAM hold the state of conversations that wait.
    """
    openai_base_url: str = _env("PI_MEMORY_OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    """Base URL of the server for `openai`, such as llama-server's or Ollama's."""
    openai_api_key: str = _env("PI_MEMORY_OPENAI_API_KEY", "")
    """Key for that server, if it needs one."""
    openai_model: str = _env("PI_MEMORY_OPENAI_MODEL", "default")
    """Model to request from that server."""
    timeout_seconds: Annotated[float, Meta(gt=0, le=86_400)] = _env("PI_MEMORY_OPENAI_TIMEOUT_SECONDS", 60.0)
    """Longest silence of that server before the reply is abandoned."""


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """How texts are compared"""

    embedder: Literal["auto", "gguf", "sentence-transformers", "none"] = _env("PI_MEMORY_EMBEDDER", "auto")
    """`gguf`: run by llama.cpp; `sentence-transformers`: live, with torch; `none`: texts are compared by words only;
    `auto`: the first of these that is available.
    """
    model: str = _env("PI_MEMORY_EMBEDDER_MODEL", "")
    """GGUF file, or name or folder of a sentence-transformers model. Default: all-MiniLM-L6-v2."""
    tagger: Literal["auto", "rules", "embedding", "model"] = _env("PI_MEMORY_TAGGER", "auto")
    """How topics are found. `rules`: by paths and words; `embedding`: by these and embeddings; `model`: the chat model
    chooses among what these find; `auto`: `embedding` if there is an embedder, else `rules`; never `model`, as small
    models judge worse.
    """
    extractor: Literal["rules", "model"] = _env("PI_MEMORY_EXTRACTOR", "rules")
    """How memories are extracted from a session that is over. `rules`: by patterns; `model`: also by the chat model, of
    whose output only memories that quote the user's own words are kept.
    """


@dataclass(frozen=True, slots=True)
class Settings:
    server: ServerSettings = ServerSettings()
    paths: Paths = Paths()
    memory: MemorySettings = MemorySettings()
    chat: ChatSettings = ChatSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Where a setting was given, by its key: in a file, the environment, the command line."""

    @property
    def data_dir(self) -> Path:
        assert self.paths.data_dir is not None, "load() and defaults() fill it in"
        return self.paths.data_dir

    @property
    def workspace(self) -> Path:
        return self.paths.workspace or self.data_dir / "workspace"

    @property
    def focus_file(self) -> Path:
        return self.workspace / "memory" / "RECENT_FOCUS.md"

    @property
    def database(self) -> Path:
        return self.data_dir / "memory.db"

    @property
    def backups_dir(self) -> Path:
        return self.data_dir / "backups"

    @property
    def models_dir(self) -> Path:
        return self.data_dir / "models"

    @property
    def states_dir(self) -> Path:
        return self.models_dir / "state"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting, as the documentation and the command line show it; `cls` is the class of its group."""

    key: str
    group: str
    cls: type
    name: str
    type: Any
    default: Any

    @property
    def help(self) -> str:
        """The docstring under the field, read from the source: not at a start, as it takes time and memory."""
        return _field_docs(self.cls)[self.name]


@functools.cache
def options() -> tuple[Option, ...]:
    """Every setting, in the order of the groups."""
    return tuple(_options())


def _options() -> Iterator[Option]:
    for group, cls in _groups().items():
        hints = typing.get_type_hints(cls, include_extras=True)
        for f in dataclasses.fields(cls):
            yield Option(f.metadata["key"], group, cls, f.name, hints[f.name], f.default)


def _groups() -> dict[str, type]:
    """The classes of the groups, by their names."""
    fields = ((f.name, typing.cast(type, f.type)) for f in dataclasses.fields(Settings))
    return {name: cls for name, cls in fields if hasattr(cls, "__dataclass_fields__")}


def load(flags: Mapping[str, object] | None = None, *, env_file: Path | None = None) -> Settings:
    """Read the settings. `flags` are keyed by setting, such as `PI_MEMORY_PORT`; None means not given.

    `env_file` replaces the user's and the system's file (`env_files`). A file may have keys of other programs. Raises
    `SettingsError`, naming the key, for an unknown or malformed setting.
    """
    files = [env_file] if env_file else [file for file in env_files() if os.access(file, os.R_OK)]
    given: dict[str, Mapping[str, object]] = {str(file): _env_file(file) for file in files}
    given["environment"] = _environment()
    given["command line"] = {key: value for key, value in (flags or {}).items() if value is not None}
    values = {key: value for found in given.values() for key, value in found.items()}
    sources = {key: source for source, found in given.items() for key in found}
    return build(values, environ=os.environ, sources=sources)


def build(
    values: Mapping[str, object], *, environ: Mapping[str, str], sources: Mapping[str, str] | None = None
) -> Settings:
    """Settings from values keyed by setting; `environ` gives the default data directory."""
    groups: dict[str, dict[str, Any]] = {}
    for option in options():
        if option.key in values:
            groups.setdefault(option.group, {})[option.name] = _convert(option, values[option.key])
    paths = groups.setdefault("paths", {})
    if paths.get("data_dir") is None:
        paths["data_dir"] = _default_data_dir(environ)
        if paths["data_dir"].parent == SERVICE_STATE and paths.get("workspace") is None:
            paths["workspace"] = Path.home() / "pi-memory"
    classes = _groups()
    made = {name: classes[name](**given) for name, given in groups.items()}
    settings = Settings(**made, sources=sources or {})
    _check(settings)
    return settings


def as_lines(settings: Settings) -> str:
    """The settings that are not the default, as lines of a settings file; the data directory is no part of it."""
    lines = []
    for option in options():
        value = getattr(getattr(settings, option.group), option.name)
        if value != option.default and option.key != "PI_MEMORY_DATA_DIR":
            lines.append(f"{option.key}={str(value).lower() if isinstance(value, bool) else value}\n")
    return "".join(lines)


def _check(settings: Settings) -> None:
    if not settings.server.token.isascii() or not settings.server.token.isprintable():
        raise SettingsError("PI_MEMORY_TOKEN has characters that cannot stand in a header", hint="Use ASCII only.")
    wyoming_projects(settings.server.wyoming_projects)
    local = settings.server.host in ("127.0.0.1", "::1", "localhost")
    if not local and not settings.server.token:
        raise SettingsError(
            f"PI_MEMORY_HOST={settings.server.host} would show your memory to the network without a token",
            hint=f"{STRONG}, or bind 127.0.0.1.",
        )
    if not local and not _is_strong(settings.server.token):
        raise SettingsError(
            f"PI_MEMORY_TOKEN can be guessed, and PI_MEMORY_HOST={settings.server.host} lets the network try",
            hint=f"{STRONG}: at least {SHORTEST_TOKEN} characters, {FEWEST_DIFFERENT} of them different.",
        )


def wyoming_projects(table: str) -> dict[str, str]:
    """Satellite or device to project. Raises `SettingsError`."""
    found = (pair.partition("=") for pair in table.split(",") if pair.strip())
    pairs = [(satellite.strip(), project.strip()) for satellite, _, project in found]
    if not all(map(all, pairs)):
        raise SettingsError(
            f"PI_MEMORY_WYOMING_PROJECTS={table!r}: expected SATELLITE=PROJECT", hint="Separate several by commas."
        )
    return dict(pairs)


def _is_strong(token: str) -> bool:
    return len(token) >= SHORTEST_TOKEN and len(set(token)) >= FEWEST_DIFFERENT


def _environment() -> dict[str, str]:
    known = {option.key for option in options()}
    for key in os.environ:
        if key.startswith(PREFIX) and key not in known:
            raise _unknown(key, "the environment")
    return {key: value for key, value in os.environ.items() if key in known}


def env_files() -> tuple[Path, ...]:
    """The system's settings file, the user's, and that of the user's service; a later one overrides an earlier one. A
    file in the working directory is not read: it may be somebody else's.
    """
    config = os.environ.get("XDG_CONFIG_HOME")
    own = (Path(config) if config else Path.home() / ".config") / "pi-memory" / "env"
    return SYSTEM_FILE, own, SERVICE_FILES / f"{_user()}.env"


def _user() -> str:
    """The name of the user of this process; their number if they have none."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _env_file(file: Path) -> dict[str, str]:
    if not file.is_file():
        raise SettingsError(
            f"There is no settings file {file}", hint="Give the path of an existing file to --env-file."
        )
    from dotenv import dotenv_values

    try:
        values = dotenv_values(file, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read {file}: {error}", hint="It must be UTF-8 text that you may read.") from error
    found, known = {}, {option.key for option in options()}
    for key, value in values.items():
        if key in known and value is None:
            raise SettingsError(f"{key} in {file} has no value", hint=f"Write {key}=VALUE, or remove the line.")
        if key in known and value is not None:
            found[key] = value
        elif key.startswith(PREFIX):
            raise _unknown(key, str(file))
    return found


def _unknown(key: str, where: str) -> SettingsError:
    import difflib  # a quarter of a megabyte, for a mistake

    near = difflib.get_close_matches(key, [option.key for option in options()], n=1, cutoff=0.8)
    hint = f"Did you mean {near[0]}?" if near else "docs/settings.md lists every setting."
    return SettingsError(f"Unknown setting {key} in {where}", hint=hint)


def _convert(option: Option, value: object) -> object:
    if isinstance(value, str) and not value.strip() and option.default is None:
        return None
    try:
        if option.type is bool:
            return _truth(value)
        if Path in typing.get_args(option.type):
            return _path(str(value))
        return msgspec.convert(value, option.type, strict=False)
    except (msgspec.ValidationError, ValueError, OSError) as error:
        raise SettingsError(f"{option.key}={value!r}: {error}", hint=option.help) from error


def _path(value: str) -> Path:
    """A path of the settings. Raises `ValueError` for `~` of an unknown user, `OSError` for a path too long for the
    files below it.
    """
    try:
        path = Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    with suppress(PermissionError):
        (path / ROOM_BELOW).exists()
    return path


def _truth(value: object) -> bool:
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "y", "on"):
        return True
    if word in ("0", "false", "no", "n", "off"):
        return False
    raise ValueError("Expected true or false")


def _default_data_dir(environ: Mapping[str, str]) -> Path:
    if state := environ.get("STATE_DIRECTORY"):
        return Path(state.split(":")[0])
    if os.access(service := SERVICE_STATE / _user(), os.R_OK | os.W_OK | os.X_OK):
        return service
    state = environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "pi-memory"


@functools.cache
def _field_docs(cls: type) -> dict[str, str]:
    """The string literal under each field of a class."""
    (node,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(node, ast.ClassDef)
    docs = {}
    for before, after in zip(node.body, node.body[1:], strict=False):
        match before, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docs[name] = " ".join(text.split())
    return docs


def kind(option: Option) -> str:
    """The type of a setting in words: `integer`, `number`, `true or false`, `path`, `text`, or its choices."""
    base: Any = option.type
    if typing.get_origin(base) is Annotated:
        base = typing.get_args(base)[0]
    if typing.get_origin(base) is Literal:
        return ", ".join(f"`{choice}`" for choice in typing.get_args(base))
    if isinstance(base, types.UnionType):
        return "path"
    return {bool: "true or false", int: "integer", float: "number", str: "text"}[base]
