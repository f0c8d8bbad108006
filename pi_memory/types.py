"""The words of one turn: what is passed between its steps, and the protocols of the parts it needs.

Times are Unix seconds (UTC) as floats. Nothing in here does anything.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Role = Literal["system", "user", "assistant"]
Source = Literal["chat", "activity", "import"]
MemoryType = Literal["semantic", "episodic", "procedural"]
Priority = Literal["highest", "high", "medium", "low"]
StatementKind = Literal["remember", "rule", "preference", "personal", "correction", "forget", "private"]
Purpose = Literal["chat", "choose", "write", "idle"]
"""What a model in this process computes for; `idle`: what nobody waits for yet."""
GENERAL = "general"
"""The agent that answers when none is named."""
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool that an agent ran: its name and its arguments as JSON would carry them."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt.

    `context` is text of ours that goes in front of the user's words inside the same message (an edited
    focus, the date). It is prompted, but never quoted and never learned from.
    """

    role: Role
    content: str
    context: str = ""

    @property
    def text(self) -> str:
        """What the model reads."""
        return f"{self.context}\n\n{self.content}" if self.context else self.content


@dataclass(frozen=True, slots=True)
class Turn:
    """What a client asks of us: one message in one conversation."""

    message: str
    conversation_id: str
    agent: str = GENERAL
    project: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """What the user states in a message.

    `content` stands alone; for `forget` it is what is to be forgotten, for `private` empty. `quote` is verbatim.
    """

    kind: StatementKind
    content: str
    quote: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user message and the reply to it: the unit that is kept, tagged and remembered.

    `partial` marks a reply that the client did not wait for. `source` tells a conversation with us from the work of an
    agent elsewhere. `context` is the `Message.context` that was prompted with it, so that the prompt's prefix is the
    same in the next turn, and `recalled` the contents of what was recalled for it; a clean stop keeps them.
    """

    conversation_id: str
    user: str
    reply: str
    at: float
    context: str = ""
    partial: bool = False
    project: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    file_paths: tuple[str, ...] = ()
    source: Source = "chat"
    recalled: tuple[str, ...] = ()
    stated: tuple[Statement, ...] | None = field(default=None, compare=False)
    """What the user states in it, None if nobody has looked for that yet. Not stored."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What an exchange was about. `topic` is None for chatter, which is not recorded; `vector` is of unit length, shape
    (dimensions,), when it was also judged by its meaning.
    """

    topic: str | None
    file_paths: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    vector: Vectors | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Topic:
    """Something the user works on: `area` or `area/detail`, in lower case."""

    name: str
    first_seen_at: float
    last_touched_at: float
    file_paths: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    touch_count: int = 1
    session_count: int = 1
    is_active: bool = True

    @property
    def parent(self) -> str | None:
        """`memory` for `memory/extraction`, None for a topic of one level."""
        area, slash, _ = self.name.partition("/")
        return area if slash else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may become a memory. `quote` is the user's own words, or a tool's, that it rests on, verbatim."""

    content: str
    type: MemoryType = "semantic"
    namespace: str = "user"
    priority: Priority = "low"
    source: str = "api"
    quote: str = ""
    exchange_id: int | None = None
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """Something learned.

    `priority` is `highest` for what the user stated, `high` for an error and its resolution, `medium` for a pattern,
    `low` for what was discovered. `source` names how it came: `user_stated`, `error_resolution`, `pattern`,
    `discovery`, `api`, `import`. It holds from `valid_from` until `valid_to`; a forgotten one has no content any more.
    """

    id: int
    content: str
    type: MemoryType
    namespace: str
    priority: Priority
    source: str
    created_at: float
    updated_at: float
    last_accessed_at: float
    valid_from: float
    valid_to: float | None = None
    superseded_by: int | None = None
    accesses: int = 0
    quote: str = ""
    exchange_id: int | None = None
    topics: tuple[str, ...] = ()
    forgotten_at: float | None = None

    @property
    def is_valid(self) -> bool:
        return self.valid_to is None and self.forgotten_at is None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Something found, and why: score = similarity x strength x (1 + boost).

    `kind` is `memory`, or `exchange` for one message of an exchange, verbatim; `id` is the memory's or the exchange's.
    `cosine` and `words` are what similarity was made from: nearness in meaning, and of the words (BM25), each 0 to 1.
    """

    id: int
    kind: Literal["memory", "exchange"]
    content: str
    score: float
    similarity: float
    strength: float
    boost: float
    cosine: float
    words: float
    at: float
    type: MemoryType = "episodic"
    namespace: str | None = None
    role: Role | None = None
    conversation_id: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The system text of a conversation, as it was when the conversation began, and what went into it.

    `memory_tokens` are those of the text that are memory: everything but the agent's persona.
    """

    agent: str
    text: str
    memory_tokens: int
    focus: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    memories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, as the model counts them.

    `evaluated_tokens` are those of the prompt that had to be computed; the rest came from the kept prefix.
    """

    prompt_tokens: int = 0
    evaluated_tokens: int = 0
    completion_tokens: int = 0
    memory_tokens: int = 0


@dataclass(slots=True)
class Count:
    """Tokens of one purpose since the start; `submitted` are those of all prompts, whether or not evaluated."""

    submitted: int = 0
    evaluated: int = 0
    generated: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Why the model knew what it knew: everything that was put into the prompt besides the user's words.

    `memories` are the ids of those told since the conversation began, `recalled` those for this message, and why;
    `stated` is what the message had us remember or forget.
    """

    focus: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    context: str = ""
    exchanges: int = 0
    exchanges_left_out: int = 0
    memories: tuple[int, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    stated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the reply, as it arrived."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a turn."""

    reply: str
    conversation_id: str
    model: str
    provider: str
    usage: Usage
    receipt: Receipt


class Clock(Protocol):
    def __call__(self) -> float:
        """Unix time in seconds; `time.time` is one."""
        ...


class Model(Protocol):
    """Who does the talking. Implementations: `model/local.py`, `model/remote.py`, `model/extractive.py`."""

    @property
    def name(self) -> str:
        """What to show as the model's name, such as a file's stem."""
        ...

    @property
    def provider(self) -> str:
        """`llama`, `openai` or `extractive`."""
        ...

    @property
    def context_tokens(self) -> int:
        """Most tokens of a prompt and its reply together."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a piece of content, without any role markers."""
        ...

    def count_prompt(self, messages: Sequence[Message]) -> int:
        """Tokens of the whole prompt as `generate` would submit it."""
        ...

    def generate(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncGenerator[str | Usage, None]:
        """Yield the reply's pieces as they arrive (never empty, never half a character), then one `Usage`.

        At most `max_tokens` tokens are generated. Closing the generator, or cancelling the task that
        iterates it, stops the model within one token or one micro-batch, also while the prompt is being
        evaluated, and leaves it ready for the next call.

        Raises `ModelError` when the model or its server fails, `Unprocessable` when the prompt and
        `max_tokens` do not fit into `context_tokens`.
        """
        ...

    async def problem(self) -> str | None:
        """What keeps it from replying and what to do about it, None when nothing does. Answers within seconds."""
        ...

    async def close(self) -> None:
        """Stop what is running and free the memory. Idempotent."""
        ...


@runtime_checkable
class Thinker(Protocol):
    """A model that also works for memory: only `model/local.py`, where it costs next to nothing.

    What it is asked is appended to a fork of the conversation `messages`, whose tokens are evaluated already; the
    conversation's own are left alone. It pauses while there is a chat, and stops when the task that awaits it does.

    Where the context has no room for all of it, `choose` sees what the system said and the newest exchange alone, and
    `write` leaves the newest exchanges out. Both raise `ModelError`, and `Unprocessable` when that does not fit either.
    """

    @property
    def counts(self) -> Mapping[Purpose, Count]: ...

    async def choose(self, messages: Sequence[Message], instruction: str, labels: Sequence[str]) -> str:
        """Which of `labels` (at least one) is the likeliest answer to `instruction`. Generates nothing."""
        ...

    async def write(self, messages: Sequence[Message], instruction: str, *, grammar: str, cap: int) -> str:
        """The answer to `instruction`, at most `cap` tokens, by a grammar in GBNF whose start is `root`.

        Cut off where the cap ends it, or where the model's vocabulary has nothing that the grammar allows. Raises
        `ValueError` for a malformed grammar.
        """
        ...

    def prepare(self, messages: Sequence[Message]) -> None:
        """Have what the user says next to `messages` find them evaluated; done while nobody waits for anything."""
        ...

    async def save(self, beginning: Sequence[Message], conversations: Sequence[Sequence[Message]]) -> None:
        """Keep what is evaluated of these for the next start: what new conversations begin with, and those alive,
        the most important first."""
        ...

    def unsave(self) -> None:
        """Erase what was kept: the user wants something of it forgotten."""
        ...


class Embedder(Protocol):
    """Text to vectors. Implementations in `embedding/`: `gguf.py`, `sentence_transformers.py`, `none.py`."""

    @property
    def id(self) -> str:
        """Names the vector space, so that vectors of different models are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 when there is no embedder and words must do."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of unit length, float32, shape (len(texts), dimensions). Raises `EmbedderError`."""
        ...

    async def close(self) -> None:
        """Free the memory. Idempotent."""
        ...
